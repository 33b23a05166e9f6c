"""``hlprof bench open``: how long a trace takes to its first frame, how long frames take, what it costs in memory."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

import click

from hlprof_core.cli.memory_option import memory_option
from hlprof_core.interruption import ending_at_once
from hlprof_core.progress import Progress

if TYPE_CHECKING:
    from hlprof_core.levels.pyramid import Levels
    from hlprof_core.trace.model import Trace

SIZE = (1600, 900)
CONTEXT = {"help_option_names": ["-h", "--help"]}


@click.group(context_settings=CONTEXT)
def bench() -> None:
    """Measure opening and drawing a trace."""


@bench.command("open", context_settings=CONTEXT)
@click.argument("file", type=click.Path(path_type=Path, readable=False))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--cached", is_flag=True, help="Open through the cache as the window does; otherwise read anew.")
@click.option("--renderer", type=click.Choice(["auto", "image", "opengl"]), default="auto", help="Back end of the timeline.")
@memory_option
def open_(file: Path, as_json: bool, cached: bool, renderer: str) -> None:
    """Open FILE in a timeline, then zoom and pan by a script over five decades.

    Times count from the start of the process; the screen is the display, or none (offscreen) where there is no display.
    """
    with ending_at_once("hlprof"):
        figures = measure(file, cached=cached, renderer=renderer)
    if as_json:
        import orjson

        sys.stdout.write(orjson.dumps(figures, option=orjson.OPT_APPEND_NEWLINE | orjson.OPT_INDENT_2).decode())
    else:
        sys.stdout.write(as_text(figures))


class Reading(threading.Thread):
    """Reads the trace and prepares it, as the window has it done, while that is built.

    It loads what it needs when it is made, not in its thread; what draws comes with ``go_on``, as Qt is loaded by the main thread only.
    """

    def __init__(self, file: Path, *, cached: bool) -> None:
        super().__init__(name="read", daemon=True)
        from hlprof_core.io.open import open_trace
        from hlprof_core.levels.kept import open_levels
        from hlprof_core.levels.pyramid import build_levels

        if not cached:
            from hlprof_core.io.reading import readers

            readers()
        self._open = partial(open_trace, file, use_cache=cached)
        self._add_levels = open_levels if cached else build_levels
        self.trace: Trace | None = None
        self.levels: Levels | None = None
        self.seconds = 0.0
        self.error: BaseException | None = None
        self._last_steps: SimpleQueue[Callable[[Trace, Levels], None]] = SimpleQueue()

    def run(self) -> None:
        start = time.perf_counter()
        try:
            self.trace = self._open()
            self.seconds = time.perf_counter() - start
            self.levels = self._add_levels(self.trace)
            self._last_steps.get()(self.trace, self.levels)
        except BaseException as error:  # noqa: BLE001 - raised again in the main thread
            self.error = error

    def go_on(self, prepare: Callable[[Trace, Levels], None]) -> None:
        """Have this done when the trace is there."""
        self._last_steps.put(prepare)

    def result(self) -> tuple[Trace, Levels]:
        """Wait for it; raises what the thread raised."""
        self.join()
        if self.error is not None:
            raise self.error
        assert self.trace is not None
        assert self.levels is not None
        return self.trace, self.levels


def measure(file: Path, *, cached: bool, renderer: str) -> dict[str, Any]:
    """The figures of design 4.1 and the back end they were taken with."""
    import os
    import resource

    from hlprof_gui.loading import load_numpy, load_qt

    load_numpy()
    from hlprof_core.trace.table import BEGIN_END

    reading = Reading(file, cached=cached)
    # PySide changes how Python finds modules while it loads: another thread that loads some meanwhile may not find them.
    load_qt()
    reading.start()
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from hlprof_gui.app import check_display

    check_display()
    from PySide6.QtCore import QSize

    from hlprof_gui.app import make_application
    from hlprof_gui.background import prepare
    from hlprof_gui.interrupt import interrupts
    from hlprof_gui.state.view_state import ViewState
    from hlprof_gui.theme.theme import Theme
    from hlprof_gui.timeline.view import TimelineView

    reading.go_on(prepare)
    app = make_application()
    theme = Theme("dark")
    theme.apply(app)
    state = ViewState()
    view = TimelineView(state, theme, backend=renderer)  # type: ignore[arg-type]
    view.resize(QSize(*SIZE))
    view.show()
    app.processEvents()
    trace, levels = reading.result()
    stop = Progress()
    with interrupts(stop.cancel):  # Python raises in the middle of a paint otherwise, where nobody hears it
        state.open(trace, levels)
        app.processEvents()
        first_frame = seconds_since_start()
        frames = run_script(app, view, stop)
    slices = len(trace.slices)
    pairs = int((trace.slices.flags & BEGIN_END > 0).sum())
    return {
        "bytes": trace.origin.size_bytes,
        "events": slices + pairs + len(trace.instants) + len(trace.counters) + 2 * len(trace.flows),
        "slices": slices,
        "read_s": round(reading.seconds, 4),
        "first_frame_s": round(first_frame, 4),
        "frame_ms": {key: round(value, 3) for key, value in percentiles(frames).items()},
        "peak_rss_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "resident_bytes_per_slice": round(held_bytes(trace, view) / max(slices, 1), 1),
        "renderer": view.backend,
        "platform": app.platformName(),
        "frames": len(frames),
    }


def script(trace: Trace) -> list[tuple[int, int]]:
    """Windows to show: zoom in over five decades, pan at each of six depths, zoom out again."""
    span = trace.span
    full = max(span.length_ns, 1000)
    at = span.start_ns + full * 37 // 100
    zooms = [10 ** (-5 * i / 59) for i in range(60)]
    windows = [(at - int(full * z * 0.37), at + int(full * z * 0.63) + 1) for z in zooms]
    for depth in range(6):
        length = max(10, int(full / 10**depth))
        windows += [(at - length // 2 + length * i // 50, at + length // 2 + length * i // 50) for i in range(40)]
    return windows + windows[:60][::-1]


def run_script(app: Any, view: Any, stop: Progress) -> list[float]:
    """Milliseconds of each frame: change the window, paint, hand over to the screen."""
    from hlprof_core.trace.ranges import TimeRange

    trace, state = view.state.trace, view.state
    if not len(trace.slices):
        return [0.0]
    times = []
    for start, end in script(trace):
        begin, before, painted = time.perf_counter(), state.window, view.canvas.frames
        state.set_window(TimeRange(start, end))
        app.processEvents()
        while view.canvas.frames == painted and state.window != before:
            app.processEvents()  # OpenGL paints when the screen asks for it
        stop.check()
        times.append((time.perf_counter() - begin) * 1000)
    return times


def percentiles(values: list[float]) -> dict[str, float]:
    """Median, 99th percentile and largest."""
    ordered = sorted(values)
    return {"median": ordered[len(ordered) // 2], "p99": ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))], "max": ordered[-1]}


def held_bytes(trace: Trace, view: Any) -> int:
    """Memory that the trace and what is derived from it take: columns, strings, levels, colours. Arguments stay in the file."""
    tables = (trace.slices, trace.end_args, trace.lanes, trace.instants, trace.counters, trace.flows)
    columns = sum(getattr(table, name).nbytes for table in tables for name in table.__struct_fields__)
    levels, maker = view.state.levels, view.scene.maker
    return int(columns + len(trace.strings.data) + trace.strings.offsets.nbytes + levels.slices.size_bytes + maker.ink.size_bytes)


def seconds_since_start() -> float:
    """Time since the kernel started this process, interpreter and imports included."""
    import os

    fields = Path("/proc/self/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return time.clock_gettime(time.CLOCK_BOOTTIME) - int(fields[19]) / os.sysconf("SC_CLK_TCK")


def as_text(figures: dict[str, Any]) -> str:
    """The figures for people."""
    from hlprof_core.units import format_bytes

    frame = figures["frame_ms"]
    lines = (
        f"file          {format_bytes(figures['bytes'])}, {figures['events']:,} events, {figures['slices']:,} slices",
        f"read          {figures['read_s']:.3f} s",
        f"first frame   {figures['first_frame_s']:.3f} s after the process started",
        f"frames        median {frame['median']:.2f} ms, p99 {frame['p99']:.2f} ms, max {frame['max']:.2f} ms"
        f" ({figures['frames']} frames, {figures['renderer']} on {figures['platform']})",
        f"memory        peak {format_bytes(figures['peak_rss_bytes'])},"
        f" {figures['resident_bytes_per_slice']:.1f} bytes of columns and levels for each slice",
    )
    return "\n".join(lines) + "\n"
