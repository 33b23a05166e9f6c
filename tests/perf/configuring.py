"""The configuration window, under Xvfb: start to first paint, and the longest piece of work of its GUI thread, page by page."""

from __future__ import annotations

import json
import statistics
import tempfile
from collections.abc import Iterator

from figures import WATCHED, Figure
from viewing import under_xvfb

FIRST_PAINT = """
import os, sys
from PySide6.QtCore import QEvent, QObject
from hlprof_gui import app as program

class Painted(QObject):
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint and watched.isWidgetType() and watched.window() is watched:
            from hlprof_gui.cli_bench import seconds_since_start
            print(seconds_since_start(), flush=True)
            os._exit(0)
        return False

class Watched(program.Program):
    def open_configuration(self, path=None):
        self.painted = Painted()
        self.app.installEventFilter(self.painted)
        return super().open_configuration(path)

program.Program = Watched
sys.argv = ["hl-prof-config"]
from hlprof_core.cli.prof_config_command import main
main()
"""

PAGES = """
import json, sys, time
from pathlib import Path
from PySide6.QtTest import QTest
from hlprof_core.config.document import ProfConfig
from hlprof_gui import app as program
from hlprof_gui.settings import Settings

""" + WATCHED + """folder = Path(sys.argv[1])
config = ProfConfig()
config.set("hw.arch", "gaudi2")
config.save(folder / "c.json")
made = program.Program(Settings(folder / "w.ini"), theme="dark")
window = made.open_configuration(folder / "c.json")
QTest.qWait(1500)
found = {}

def timed(what, act):
    Watched.busy[:] = [0.0]
    begun = time.thread_time()
    act()
    direct = (time.thread_time() - begun) * 1e3
    QTest.qWait(300)
    found[what] = max(direct, *Watched.busy)

for page in window.pages:
    timed(f"first look at {page.title}", lambda: window.show_page(page.id))
for page in window.pages:
    timed(f"back to {page.title}", lambda: window.show_page(page.id))
units = window.frame("units").page
window.show_page("units")
timed("units of every generation", units.every.click)
timed("search for units", lambda: units.search.setText("TPC"))
timed("another target", lambda: window.model.set("hw.arch", "gaudi3"))
window.show_page("advanced")
timed("search for settings", lambda: window.frame("advanced").page.search.setText("t"))
timed("undo", window.undo)
timed("another theme", window.toggle_theme)
print(json.dumps(found))
window.file.may_leave = lambda: True
window.close()
"""
SHOWN = 3


def configure() -> Iterator[Figure]:
    """The configuration window: what a user waits for."""
    with tempfile.TemporaryDirectory() as cache:
        starts = [float(under_xvfb(FIRST_PAINT, cache=cache)) for _ in range(5)]
        yield Figure("hl-prof-config: start to first paint", statistics.median(starts), "s", 1.0)
        runs = [json.loads(under_xvfb(PAGES, cache, cache=cache)) for _ in range(3)]
    longest = {what: statistics.median(run[what] for run in runs) for what in runs[0]}
    for what, value in sorted(longest.items(), key=lambda item: -item[1])[:SHOWN]:
        yield Figure(what, value, "ms", 50)
