"""The window at work, under Xvfb: first paint, frames, clicks, and how long the GUI thread is ever kept from answering."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from figures import BIN, ENVIRONMENT, ROOT, WATCHED, Figure, trace_file

XVFB = ("xvfb-run", "-a", "-s", "-screen 0 1600x1000x24 +extension GLX")
SIZE = (1600, 900)

BARE = """
import os, sys, time
import hlprof_core.cli.hlprof_command, hlprof_gui.cli_view
from hlprof_gui.loading import load_numpy, load_qt
load_numpy(); load_qt()
from PySide6.QtCore import QEvent, QObject
from hlprof_gui import app as program

class Painted(QObject):
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint:
            from hlprof_gui.cli_bench import seconds_since_start
            print(seconds_since_start(), flush=True)
            os._exit(0)
        return False

made = program.Program(theme="dark")
painted = Painted()
made.open_window().installEventFilter(painted)
made.app.exec()
"""

WINDOW = """
import json, os, sys, time
from pathlib import Path
from PySide6.QtCore import QObject, QPoint, Qt, QTimer
from PySide6.QtTest import QTest
from hlprof_gui import app as program
from hlprof_gui.settings import Settings
from hlprof_gui.state.view_state import Item

BEAT_MS = 5

""" + WATCHED + """
class Pulse(QObject):
    # The time between two turns of the event loop.
    def __init__(self):
        super().__init__()
        self.gaps = []
        self.timer = QTimer(self, interval=BEAT_MS, timerType=Qt.TimerType.PreciseTimer)
        self.timer.timeout.connect(self.beat)
        self.last = None
    def start(self):
        self.gaps.clear(); self.last = time.perf_counter(); self.timer.start()
    def stop(self):
        self.timer.stop()
        return self.gaps
    def beat(self):
        now = time.perf_counter()
        self.gaps.append((now - self.last) * 1e3)
        self.last = now

def p99(values):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]

found = {}
made = program.Program(Settings(Path(sys.argv[2]) / "w.ini"), theme="dark", backend="image")
window = made.open_window()
window.resize(1600, 900)
QTest.qWait(300)
pulse = Pulse()
pulse.start()
window.open_path(Path(sys.argv[1]))
while window.state.trace is None:
    QTest.qWait(5)
gaps = pulse.stop()
found["loading, gap p99"] = p99(gaps)
found["loading, gap max"] = max(gaps)
while window.jobs.running():
    QTest.qWait(5)
QTest.qWait(300)
state, canvas = window.state, window.timeline.canvas
trace = state.trace

def timed(what, act, runs=9, clock=time.perf_counter):
    times = []
    for n in range(runs):
        begin = clock()
        act(n)
        made.app.processEvents()
        times.append((clock() - begin) * 1e3)
    times.sort()
    found[what] = times[len(times) // 2]

def searched(what, words, in_args):
    # How soon the first matches are listed, all of them, and what it costs all threads.
    window.search.set_in_args(in_args)
    first = None
    begin, spent = time.perf_counter(), time.process_time()
    window.search.set_words(words)
    while window.search.is_busy:
        made.app.processEvents()
        first = first or (len(state.matches) and time.perf_counter() - begin)
        time.sleep(0.002)
    found[what + ", first matches"] = first * 1e3
    found[what] = (time.perf_counter() - begin) * 1e3
    found[what + ", processor time"] = (time.process_time() - spent) * 1e3
    window.search.clear()

count = len(trace.slices)
timed("click to details", lambda n: state.select(Item("slice", count * (n + 1) // 11), reveal=True))
timed("hover", lambda n: QTest.mouseMove(canvas, QPoint(200 + 60 * n, 60 + 20 * n)), 15)
letters = "gemmrelu"
for clock, note in ((time.perf_counter, ""), (time.thread_time, ", processor time")):
    timed("search, a letter typed" + note, lambda n: window.search.set_words(letters[: n + 1]), 8, clock)
    window.search.clear()
    QTest.qWait(300)
window.show_panel("matches")
searched("search of all arguments", "model/decoder", True)
searched("search of one argument", "args.dtype=bf16", False)
window.show_panel("statistics")
while window.jobs.running():
    QTest.qWait(5)
QTest.qWait(200)
span = trace.span
for command in ("track.fold_all", "track.unfold_all", "color.by_duration", "color.by_name", "edit.undo", "edit.redo", "row.pin",
                "window.toggle_theme", "window.toggle_theme"):
    window.actions_by_id[command].trigger()
    QTest.qWait(30)
for panel in ("sql", "notes", "counters", "matches", "diagnostics", "report", "details"):
    window.show_panel(panel)
    QTest.qWait(60)
while window.jobs.running():
    QTest.qWait(5)
found["GUI thread, longest piece of work"] = max(Watched.busy)
print(json.dumps(found))
window.close()
"""

DEEP = """
import json, statistics, sys
from PySide6.QtWidgets import QApplication
sys.path.insert(0, sys.argv[3])
from tests.synthetic import busy_trace
from hlprof_core.levels.pyramid import build_levels
from hlprof_core.progress import Progress
from hlprof_gui.app import make_application
from hlprof_gui.cli_bench import percentiles, run_script
from hlprof_gui.state.view_state import ViewState
from hlprof_gui.theme.theme import Theme
from hlprof_gui.timeline.view import TimelineView

app = make_application()
theme = Theme("dark")
theme.apply(app)
trace = busy_trace(int(sys.argv[1]))
state = ViewState()
view = TimelineView(state, theme, backend=sys.argv[2])
view.resize(1600, 900)
view.show()
app.processEvents()
state.open(trace, build_levels(trace))
app.processEvents()
run_script(app, view, Progress())
runs = [percentiles(run_script(app, view, Progress())) for _ in range(5)]
print(json.dumps({key: statistics.median(run[key] for run in runs) for key in runs[0]}))
"""


def under_xvfb(code: str, *words: object, cache: str) -> str:
    """What a program prints that runs with a screen of its own and an empty cache."""
    command = [*XVFB, sys.executable, "-c", code, *map(str, words)]
    environment = {**ENVIRONMENT, "XDG_CACHE_HOME": cache}
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment, cwd=ROOT).stdout


def bench_open(path: Path, cache: str, *words: str) -> dict[str, Any]:
    command = [*XVFB, BIN / "hlprof", "bench", "open", path, "--json", *words]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env={**ENVIRONMENT, "XDG_CACHE_HOME": cache})
    return json.loads(done.stdout)


def view() -> Iterator[Figure]:
    """The window: medians of several runs, cache cold unless it says otherwise."""
    with tempfile.TemporaryDirectory() as cache:
        yield Figure("no file: start to first paint", statistics.median(float(under_xvfb(BARE, cache=cache)) for _ in range(7)), "s", 0.6)
    for events, limit in ((1_000_000, 1.0), (5_000_000, 4.0)):
        path = trace_file(events)
        with tempfile.TemporaryDirectory() as cache:
            runs = [bench_open(path, cache) for _ in range(5 if events == 1_000_000 else 3)]
            size = f"{events // 1_000_000} M"
            yield Figure(f"{size}: start to first frame", statistics.median(r["first_frame_s"] for r in runs), "s", limit)
            again = []
            if events == 5_000_000:
                bench_open(path, cache, "--cached")
                again = [bench_open(path, cache, "--cached") for _ in range(7)]
                yield Figure("5 M from the cache: start to first frame", statistics.median(r["first_frame_s"] for r in again), "s", 0.6)
            yield from frames(f"{size} events", statistics_of([*runs, *again]), 4, 8)
    with tempfile.TemporaryDirectory() as cache:
        trace = Path(cache) / "trace.json"
        trace.symlink_to(trace_file(5_000_000))  # a session beside the file itself would come back in the next run
        found = json.loads(under_xvfb(WINDOW, trace, cache, cache=cache))
        limits = {
            "loading, gap p99": 33, "click to details": 50, "hover": 10,
            "search, a letter typed": 16, "search, a letter typed, processor time": 10,
            "search of all arguments, first matches": 400, "search of all arguments, processor time": 2400,
            "search of one argument, first matches": 400, "search of one argument, processor time": 4000,
            "GUI thread, longest piece of work": 50,
        }  # fmt: skip
        for what, value in found.items():
            yield Figure(f"5 M events: {what}", value, "ms", limits.get(what))
        for millions, back_end, median, p99 in ((10, "image", 4, 8), (50, "image", None, 16.7), (5, "opengl", None, 25)):
            told = json.loads(under_xvfb(DEEP, millions * 1_000_000, back_end, ROOT, cache=cache))
            yield from frames(f"{millions} M slices, {back_end}", told, median, p99)


def statistics_of(runs: list[dict[str, Any]]) -> dict[str, float]:
    return {key: statistics.median(run["frame_ms"][key] for run in runs) for key in ("median", "p99")}


def frames(what: str, told: dict[str, float], median: float | None, p99: float) -> Iterator[Figure]:
    yield Figure(f"{what}: frame median", told["median"], "ms", median)
    yield Figure(f"{what}: frame p99", told["p99"], "ms", p99)
