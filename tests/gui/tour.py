"""Everything a user does in the window, one thing after the other, in a program of its own: `python -m tests.gui.tour FOLDER [TRACE]`.

Prints for each step its longest piece of the GUI thread's work, as JSON. Without a trace one of a million slices is made.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QMenu

from tests.gui import watchdog
from tests.gui.watchdog import WATCH, WatchedApplication
from tests.machine import machine_factor

SLICES = 1_000_000
QUIET_MS, LOOK_MS, LONGEST_WAIT_S = 20, 60, 60
Step = tuple[str, Callable[[], object]]


def large_trace(path: Path) -> Any:
    """A million slices with arguments, beside them counters, instants, flows; ``path`` is where it pretends to come from."""
    from hlprof_core.trace import table
    from hlprof_core.trace.args import MemoryText
    from hlprof_core.trace.model import Origin
    from hlprof_core.trace.tracks import Series
    from tests.synthetic import busy_trace, lanes_trace

    rng = np.random.default_rng(3)
    trace = busy_trace(SLICES, rows=120)
    s, span = trace.slices, trace.span
    texts = [json.dumps({"dtype": dtype, "bytes": size}).encode() for dtype in ("bf16", "f32", "i8") for size in range(0, 4000, 100)]
    places = np.concatenate(([0], np.cumsum([len(t) for t in texts])))
    which = rng.integers(0, len(texts), len(s))
    has_args = np.arange(len(s)) % 4 == 0
    slices = replace(s, args_offset=places[which].astype(np.uint64), args_length=(np.diff(places)[which] * has_args).astype(np.uint32))
    times = np.sort(rng.integers(span.start_ns, span.end_ns, 200_000))
    series = [(Series(n, n, f"bytes {n}", "value"), times, rng.random(len(times)) * 1e9) for n in range(8)]
    ids = rng.integers(0, len(s), (2, 50_000))
    ends = np.where(s.start_ns[ids[0]] <= s.start_ns[ids[1]], ids, ids[::-1]).T
    marks = [(int(t), int(time_ns), 5) for t, time_ns in zip(rng.integers(0, 8, 5000), rng.choice(times, 5000), strict=True)]
    extra = lanes_trace([], list(trace.tracks), list(trace.processes), [], instants=marks, counters=series, flows=ends.tolist())
    made = replace(
        trace, origin=Origin("synthetic", path, 0), slices=slices, args_text=MemoryText(b"".join(texts)), series=extra.series,
        counters=extra.counters, instants=extra.instants, flows=extra.flows,
    )  # fmt: skip
    table.freeze(made.slices)
    return made


class Guide:
    """Does the steps in one window and keeps what was measured."""

    def __init__(self, window: Any) -> None:
        self.window = window
        self.found: dict[str, list[watchdog.Piece]] = {}

    def do(self, name: str, action: Callable[[], object]) -> None:
        """As an event of the loop, like anything a user causes; the step ends when nothing is left to do."""
        WATCH.clear()
        QTimer.singleShot(0, self.window, action)
        self.rest()
        self.found[name] = sorted(WATCH.long, key=lambda piece: -piece.cpu_s)

    def rest(self) -> None:
        end = time.monotonic() + LONGEST_WAIT_S
        quiet = 0
        while quiet < QUIET_MS and time.monotonic() < end:
            QTest.qWait(5)
            quiet = quiet + 5 if self.window.jobs.is_idle and self.window.theme.is_settled else 0
        if quiet < QUIET_MS:
            raise SystemExit(f"tour: still at work: {[job.title for job in self.window.jobs.running()]}")


def answer_dialogs() -> None:
    """What stands in the window's way is answered like a user would."""
    box = QApplication.activeModalWidget() or QApplication.activePopupWidget()
    if isinstance(box, QDialog):
        box.accept()
    elif isinstance(box, QMenu):
        box.close()


def ask_for_menu(widget: Any) -> None:
    """A right click; the menu is looked at and closed."""
    QTimer.singleShot(LOOK_MS, answer_dialogs)
    at = QPoint(widget.width() // 3, min(60, widget.height() // 2))
    QApplication.sendEvent(widget, QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, widget.mapToGlobal(at)))


def drag(widget: Any, start: QPoint, end: QPoint, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """Press, move in twelve steps, release."""
    QTest.mousePress(widget, Qt.MouseButton.LeftButton, held, start)
    for n in range(1, 13):
        QTest.mouseMove(widget, start + (end - start) * n / 12)
    QTest.mouseRelease(widget, Qt.MouseButton.LeftButton, held, end)


def on_the_timeline(w: Any) -> Iterator[Step]:
    canvas, state, run = w.timeline.canvas, w.state, lambda name: w.actions_by_id[name].trigger
    yield "zoom in", run("view.zoom_in")
    yield "zoom far in", lambda: state.zoom(0.002)
    yield "pan", lambda: state.pan(state.window.length_ns // 2)
    yield "keys", lambda: QTest.keyClick(canvas, Qt.Key.Key_D)
    yield "click", lambda: QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(500, 60))
    yield "next slice", run("select.next_slice")
    yield "next of that name", run("select.next_alike")
    yield "next longer", run("select.next_longer")
    yield "follow a flow", run("select.follow_flow")
    yield "focus", run("view.focus_selection")
    yield "whole trace", run("view.zoom_fit")
    yield "choose a time", lambda: drag(canvas, QPoint(300, 200), QPoint(700, 210))
    yield "choose a box", lambda: drag(canvas, QPoint(300, 100), QPoint(700, 300), Qt.KeyboardModifier.ControlModifier)
    yield "clear", run("edit.clear")
    yield "hover", lambda: [QTest.mouseMove(canvas, QPoint(200 + 20 * n, 40 + 10 * n)) for n in range(20)]
    yield "timing tool", run("tool.timing")
    yield "measure", lambda: drag(canvas, QPoint(300, 200), QPoint(640, 240))
    yield "select tool", run("tool.select")
    yield "undo", run("edit.undo")
    yield "redo", run("edit.redo")
    yield "back", run("view.back")
    yield "fold all", run("track.fold_all")
    yield "unfold all", run("track.unfold_all")
    for by in ("engine", "process"):
        yield f"group by {by}", run(f"row.group_by_{by}")
    yield "select a row's slice", lambda: QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=QPoint(420, 90))
    for command in ("row.pin", "row.taller", "row.move_down", "row.hide", "row.show_hidden", "row.pin_alike", "row.fold", "row.reset"):
        yield command, run(command)
    for name, widget in (("row", w.timeline.headers), ("slice", canvas), ("ruler", w.timeline.ruler)):
        yield f"menu of a {name}", lambda widget=widget: ask_for_menu(widget)
    for by in ("category", "engine", "rank", "duration", "name"):
        yield f"colour by {by}", run(f"color.by_{by}")
    yield "colour by argument", lambda: (QTimer.singleShot(LOOK_MS, answer_dialogs), run("color.by_argument")())
    yield "wheel", lambda: [w.timeline.interaction.wheel(400.0, 0, 1, shift=False) for _ in range(3)]
    yield "scroll", lambda: w.timeline.scroll_bar.setValue(w.timeline.scroll_bar.maximum() // 2)
    yield "scroll back", lambda: w.timeline.scroll_bar.setValue(0)


def in_the_panels(w: Any) -> Iterator[Step]:
    state, search, run = w.state, w.search, lambda name: w.actions_by_id[name].trigger
    field = w.search_box.field
    yield "search a name", lambda: (w.focus_search(), QTest.keyClicks(field, "soft"))
    yield "search on", lambda: QTest.keyClicks(field, "max")
    yield "next match", run("search.go_next")
    yield "search results", lambda: w.show_panel("matches")
    yield "all slices of many names", lambda: search.set_words("a")
    yield "sort the results", lambda: w.docks["matches"].panel.table.sortByColumn(1, Qt.SortOrder.DescendingOrder)
    yield "hide the rest", run("search.hide_rest")
    yield "dim the rest", run("search.hide_rest")
    yield "filter", lambda: search.set_words("dur>20us -name:add")
    yield "filter with a mistake", lambda: search.set_words("dur>")
    yield "filter by argument", lambda: search.set_words("args.dtype=bf16 dur>100us")
    yield "words in arguments", lambda: (search.set_words("f32"), search.set_in_args(True))
    yield "leave the search", lambda: (search.set_in_args(False), w.leave_search())
    yield "statistics", lambda: w.show_panel("statistics")
    panel = w.docks["statistics"].panel
    yield "look at a group", lambda: panel.table.setCurrentIndex(panel.model.index(0, 0))
    yield "brush", lambda: drag(panel.histogram, QPoint(20, 20), QPoint(120, 20))
    yield "brush nothing", lambda: QTest.mouseClick(panel.histogram, Qt.MouseButton.LeftButton, pos=QPoint(20, 20))
    yield "statistics of a window", lambda: state.zoom(0.3)
    for by in ("engine", "track", "args.dtype", "args.bytes"):
        yield f"statistics by {by}", lambda by=by: panel.view_model.set_by(by)
    yield "statistics by name", lambda: panel.view_model.set_by("name")
    yield "sort the statistics", lambda: panel.table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
    yield "SQL", lambda: w.show_panel("sql")
    sql = w.docks["sql"].panel
    yield "ask in SQL", lambda: (sql.editor.setPlainText("select * from slices order by dur desc limit 20000"), sql.ask())
    yield "sort the answer", lambda: sql.table.sortByColumn(1, Qt.SortOrder.DescendingOrder)
    yield "a mistake in SQL", lambda: (sql.editor.setPlainText("select nothing from slices"), sql.ask())
    yield "report", lambda: w.show_panel("report")
    yield "counters", lambda: w.show_panel("counters")
    yield "counters of a window", lambda: state.zoom(0.5)
    yield "notes", lambda: w.show_panel("notes")
    yield "a flag", lambda: state.add_mark(state.window.start_ns + state.window.length_ns // 3, "here")
    yield "a note", run("edit.add_note")
    yield "diagnostics", lambda: w.show_panel("diagnostics")
    yield "details", lambda: w.show_panel("details")


def around(w: Any, folder: Path) -> Iterator[Step]:
    run = lambda name: w.actions_by_id[name].trigger  # noqa: E731
    close = lambda: [d.close() for d in QApplication.topLevelWidgets() if isinstance(d, QDialog)]  # noqa: E731
    yield "light theme", run("window.toggle_theme")
    yield "dark theme", run("window.toggle_theme")
    for kind in ("png", "svg", "html"):
        target = str(folder / f"picture.{kind}")
        yield f"export {kind}", lambda target=target: (setattr(QFileDialog, "getSaveFileName", lambda *_: (target, "")), w.export_picture())
    yield "save the session", run("file.save_session")
    for dialog in ("help.show_palette", "window.edit_keys", "help.show_keys", "help.show_about", "row.edit_layouts"):
        yield dialog, run(dialog)
        if dialog == "help.show_palette":
            palette = next(d for d in QApplication.topLevelWidgets() if type(d).__name__ == "CommandPalette")
            yield "type into the palette", lambda palette=palette: QTest.keyClicks(palette.field, "zoom")
        if dialog == "help.show_keys":
            yield "another theme for window and dialog", run("window.toggle_theme")
        yield f"{dialog}, closed", close
    menu = w.menuBar().actions()[2].menu()
    yield "a menu", lambda: (QTimer.singleShot(LOOK_MS, answer_dialogs), menu.exec(w.mapToGlobal(QPoint(90, 30))))
    yield "smaller window", lambda: w.resize(1100, 700)
    yield "larger window", lambda: w.resize(1590, 960)
    yield "reset the panels", run("window.reset_layout")


def main(folder: Path, file: Path | None) -> dict[str, list[watchdog.Piece]]:
    """The longest pieces of each step, longest first."""
    from hlprof_gui import app as program
    from hlprof_gui import background
    from hlprof_gui.settings import Settings

    program.QApplication = WatchedApplication
    made = program.Program(Settings(folder / "window.ini"), theme="dark", backend="image")
    window = made.open_window()
    window.resize(1590, 950)
    sys.excepthook = sys.__excepthook__
    if file is None:
        file = folder / "large.json"
        file.write_bytes(b"[]")
        trace = large_trace(file)
        background.open_trace = lambda _path, _progress: trace  # what is read is not what is measured
    guide = Guide(window)
    guide.rest()
    guide.do("open", lambda: window.open_path(file))
    QTest.qWait(400)  # names are rendered ahead
    for steps in (on_the_timeline(window), in_the_panels(window), around(window, folder)):
        for name, action in steps:
            guide.do(name, action)
    guide.do("open again", lambda: window.open_path(file))
    guide.do("close the trace", window.close_trace)
    guide.do("close", window.close)
    return guide.found


if __name__ == "__main__":
    watchdog.compile_program()
    found = main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None)
    told = {name: [str(piece) for piece in pieces] for name, pieces in found.items() if pieces}
    longest = {name: round(pieces[0].cpu_s * 1e3, 1) for name, pieces in found.items() if pieces}
    print(json.dumps({"longest_ms": longest, "pieces": told, "factor": machine_factor(), "steps": len(found)}))
    sys.stdout.flush()
    os._exit(0)
