"""The whole window: open, look, search, measure, fail gracefully, remember."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QApplication, QLineEdit, QTabBar
from pytestqt.qtbot import QtBot

from hlprof_gui.dialogs.command_palette import CommandPalette
from hlprof_gui.dialogs.key_help import KeyHelp
from hlprof_gui.state.view_state import Edge, Item, Measure
from tests.gui.conftest import wait_idle
from tests.small_trace import START_NS, slice_named

K = Qt.Key
SHIFT, CTRL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier


def press(window: Any, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(window.focusWidget() or window, key, modifier)


def drop(window: Any, *paths: Path) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(p)) for p in paths])
    event = QDropEvent(QPointF(50, 50), Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    window.dropEvent(event)


@pytest.mark.parametrize("turns", range(8))
def test_a_trace_may_be_there_before_the_window_is(turns: int, make_window: Callable[..., Any], trace_file: Path, qtbot: QtBot) -> None:
    w = make_window(is_shown=False)
    w.open_path(trace_file)
    qtbot.waitUntil(lambda: w.jobs.is_idle)
    for _ in range(turns):
        QApplication.processEvents()
    w.show()
    wait_idle(qtbot, w)
    assert w.state.trace is not None
    assert w.timeline.isVisible()
    assert [w.docks[p].isVisible() for p in ("details", "report", "matches")] == [True, True, False]
    bar = next(bar for bar in w.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly) if bar.isVisible())
    assert bar.styleSheet()


def test_an_empty_window_invites(window: Any) -> None:
    assert window.landing.isVisible()
    assert not any(window.docks[p].isVisible() for p in ("details", "report", "matches", "diagnostics"))
    assert window.windowTitle() == "hlprof"
    assert not window.actions_by_id["view.zoom_in"].isEnabled()
    assert window.actions_by_id["file.open"].isEnabled()
    assert not window.search_box.field.isEnabled()


def test_opening_shows_timeline_report_badge_and_remembers(open_window: Any, trace_file: Path) -> None:
    assert open_window.search_box.field.isEnabled()
    w = open_window
    assert w.timeline.isVisible()
    assert w.windowTitle() == "small.json — hlprof"
    assert w.settings.recent_files == [trace_file.resolve()]
    assert w.actions_by_id["view.zoom_in"].isEnabled()
    assert w.docks["report"].isVisible()
    assert "Engines" in w.docks["report"].panel.text.toPlainText()
    assert w.messages.text == ""


def test_failures_leave_what_is_open(open_window: Any, qtbot: QtBot, tmp_path: Path) -> None:
    w = open_window
    before = w.state.trace
    files = {"none.json": None, "empty.json": b"", "page.json": b"<html><body>hi</body></html>", "elf.json": b"\x7fELF\x02\x01"}
    for name, content in files.items():
        path = tmp_path / name
        if content is not None:
            path.write_bytes(content)
        w.open_path(path)
        wait_idle(qtbot, w)
        assert name in w.messages.text
        assert w.messages.property("level") == "error"
        assert "\n" not in w.messages.text
        assert w.state.trace is before
        assert w.timeline.isVisible()
        assert path not in w.settings.recent_files


def test_reading_can_be_cancelled(open_window: Any, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, trace_file: Path) -> None:
    import hlprof_gui.background as module

    def slow(path: Path, progress: Any) -> Any:
        while True:
            progress.report("reading", 1, 4)
            QTest.qSleep(2)

    monkeypatch.setattr(module, "open_trace", slow)
    w = open_window
    before = w.state.trace
    w.open_path(trace_file)
    qtbot.waitUntil(w.progress.isVisible, timeout=10_000)
    assert w.is_busy
    qtbot.waitUntil(lambda: "25%" in w.progress._stage.text(), timeout=10_000)
    qtbot.mouseClick(w.progress._cancel, Qt.MouseButton.LeftButton)
    assert not w.is_busy
    assert not w.progress.isVisible()
    assert w.state.trace is before
    assert w.messages.text == ""


def test_a_newer_opening_replaces_the_older(window: Any, qtbot: QtBot, trace_file: Path, tmp_path: Path) -> None:
    window.open_path(tmp_path / "missing.json")
    window.open_path(trace_file)
    wait_idle(qtbot, window)
    assert window.trace_path == trace_file
    assert window.messages.text == ""


def test_dropped_files_open(window: Any, qtbot: QtBot, trace_file: Path, tmp_path: Path) -> None:
    others: list[Path] = []
    window.window_wanted.connect(others.append)
    drop(window, trace_file, tmp_path / "second.json")
    wait_idle(qtbot, window)
    assert window.trace_path == trace_file
    assert others == [tmp_path / "second.json"]


def test_keys_act_on_the_timeline_but_not_while_typing(open_window: Any) -> None:
    w = open_window
    press(w, K.Key_4)
    assert w.state.tool == "timing"
    press(w, K.Key_1)
    whole = w.state.window
    press(w, K.Key_Plus)
    assert w.state.window.length_ns < whole.length_ns
    press(w, K.Key_0)
    assert w.state.window == whole
    press(w, K.Key_Slash)
    assert w.focusWidget() is w.search_box.field
    QTest.keyClicks(w.search_box.field, "f1m/?")
    assert w.search_box.field.text() == "f1m/?"
    assert (w.state.tool, w.state.marks, w.state.window) == ("select", (), whole)
    press(w, K.Key_Escape)
    assert w.search_box.field.text() == ""
    assert w.search_box.field is not w.focusWidget()


@pytest.mark.parametrize(("key", "modifier", "text"), [(K.Key_Slash, SHIFT, "/"), (K.Key_Slash, Qt.KeyboardModifier.NoModifier, "/")])
def test_signs_count_whatever_key_makes_them(open_window: Any, key: Qt.Key, modifier: Qt.KeyboardModifier, text: str) -> None:
    """A German keyboard types the slash with Shift and 7."""
    press(open_window, key, modifier)
    assert open_window.focusWidget() is open_window.search_box.field


def test_search_as_you_type_jump_and_list(open_window: Any, qtbot: QtBot) -> None:
    w = open_window
    press(w, K.Key_Slash)
    QTest.keyClicks(w.search_box.field, "launch")
    qtbot.waitUntil(lambda: w.search_box.count.text() == "2", timeout=10_000)
    press(w, K.Key_Return)
    assert w.search_box.count.text() == "1 / 2"
    press(w, K.Key_Return)
    assert w.search_box.count.text() == "2 / 2"
    press(w, K.Key_Return, SHIFT)
    assert w.search_box.count.text() == "1 / 2"
    assert w.state.selection == Item("slice", slice_named(w.state.trace, "launch", 0))
    qtbot.mouseClick(w.search_box.count, Qt.MouseButton.LeftButton)
    panel = w.docks["matches"].panel
    qtbot.waitUntil(panel.isVisible, timeout=10_000)
    assert panel.model.rowCount() == 2
    assert panel.table.currentIndex().row() == 0
    where = panel.table.visualRect(panel.model.index(1, 0)).center()
    qtbot.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=where)
    assert w.state.selection == Item("slice", slice_named(w.state.trace, "launch", 1))
    w.timeline.setFocus()
    press(w, K.Key_N)
    assert w.search_box.count.text() == "1 / 2"
    press(w, K.Key_N, SHIFT)
    assert w.search_box.count.text() == "2 / 2"


def test_search_in_arguments_streams(open_window: Any, qtbot: QtBot) -> None:
    w = open_window
    qtbot.mouseClick(w.search_box.in_args, Qt.MouseButton.LeftButton)
    press(w, K.Key_Slash)
    QTest.keyClicks(w.search_box.field, "relu_fwd")
    qtbot.waitUntil(lambda: w.search_box.count.text() == "2", timeout=10_000)
    assert sorted(int(i) for i in w.state.matches) == sorted(slice_named(w.state.trace, "relu", n) for n in (0, 1))


def test_typing_on_while_arguments_are_searched_keeps_the_search_running(open_window: Any, qtbot: QtBot) -> None:
    w = open_window
    w.search.set_in_args(True)
    w.search.set_words("relu")
    w.search.set_words("relu_fwd")
    assert w.search.is_streaming, "the stopped search does not end the new one"
    qtbot.waitUntil(lambda: w.search.count_text == "2", timeout=10_000)


def test_selecting_shows_details_and_copies(open_window: Any) -> None:
    w = open_window
    fc1 = Item("slice", slice_named(w.state.trace, "fc1/forward"))
    w.state.select(fc1)
    panel = w.docks["details"].panel
    assert panel.title.text() == "fc1/forward"
    assert w.is_panel_visible("details")
    assert panel.args_model.rowCount() == 4
    w.actions_by_id["edit.copy_details"].trigger()
    assert json.loads(QGuiApplication.clipboard().text())["Duration"] == "400 ns"
    assert "Copied" in w.messages.text
    press(w, K.Key_Down, Qt.KeyboardModifier.AltModifier)
    assert panel.title.text() == "fc1/inner"
    press(w, K.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert w.state.selection == fc1
    press(w, K.Key_Escape)
    assert panel.details is None


def test_focus_and_mark(open_window: Any) -> None:
    w = open_window
    w.state.select(Item("slice", slice_named(w.state.trace, "sync")))
    press(w, K.Key_F)
    assert (w.state.window.start_ns, w.state.window.end_ns) == (START_NS + 600 - 75, START_NS + 900 + 75)
    press(w, K.Key_M)
    assert w.state.range is not None
    assert w.state.range.length_ns == 300
    assert "Selected 300 ns" in w.status_line.chosen.text()
    press(w, K.Key_Escape)
    press(w, K.Key_M)
    assert len(w.state.marks) == 1


def test_clicking_a_slice_on_the_canvas_selects_it(open_window: Any, qtbot: QtBot) -> None:
    w = open_window
    canvas = w.timeline.canvas
    w.state.select(Item("slice", slice_named(w.state.trace, "fc2/forward")))
    w.state.focus()
    w.state.select(None)
    qtbot.wait(1)
    found = None
    for y in range(2, canvas.height(), 6):
        qtbot.mouseMove(canvas, QPoint(canvas.width() // 2, y))
        if w.state.hover is not None and w.state.hover.kind == "slice" and w.state.trace.name(w.state.hover.id) == "fc2/forward":
            found = y
            break
    assert found is not None, "the slice is nowhere under the middle of the canvas"
    assert "fc2/forward   MME 0   at 500 ns   300 ns" in w.status_line.hover.text()
    qtbot.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=QPoint(canvas.width() // 2, found))
    assert w.docks["details"].panel.title.text() == "fc2/forward"


def test_palette_runs_commands(open_window: Any, qtbot: QtBot) -> None:
    w = open_window
    press(w, K.Key_P, CTRL | SHIFT)
    palette = next(d for d in QApplication.topLevelWidgets() if isinstance(d, CommandPalette) and d.isVisible())
    QTest.keyClicks(palette.field, "timing")
    QTest.keyClick(palette.field, K.Key_Return)
    assert w.state.tool == "timing"
    assert not palette.isVisible()


def test_help_lists_every_key(open_window: Any, qtbot: QtBot) -> None:
    press(open_window, K.Key_F1)
    page = next(d for d in QApplication.topLevelWidgets() if isinstance(d, KeyHelp) and d.isVisible())
    from PySide6.QtWidgets import QLabel

    words = {label.text() for label in page.findChildren(QLabel)}
    assert {c.title.rstrip("…") for c in open_window.commands if c.keys} <= words
    QTest.keyClick(page, K.Key_Space)
    assert not page.isVisible()


def test_theme_switches_everywhere_and_is_remembered(open_window: Any, theme: Any, qtbot: QtBot) -> None:
    open_window.actions_by_id["window.toggle_theme"].trigger()
    assert (theme.palette.name, open_window.settings.theme) == ("light", "light")
    assert not theme.is_settled
    qtbot.waitUntil(lambda: theme.is_settled, timeout=10_000)
    assert open_window.updatesEnabled()
    assert open_window.palette().window().color().name() == theme.palette.window
    report = open_window.docks["report"].panel.text
    assert report.grab().toImage().pixelColor(3, 3).name() == theme.palette.panel
    open_window.actions_by_id["window.toggle_theme"].trigger()
    assert theme.palette.name == "dark"


def test_panels_toggle_and_closing_the_trace_hides_them(open_window: Any) -> None:
    w = open_window
    w.actions_by_id["panel.diagnostics"].trigger()
    assert w.is_panel_visible("diagnostics")
    assert w.actions_by_id["panel.diagnostics"].isChecked()
    w.actions_by_id["panel.diagnostics"].trigger()
    assert not w.is_panel_visible("diagnostics")
    w.actions_by_id["file.close"].trigger()
    assert w.landing.isVisible()
    assert w.state.trace is None
    assert not w.docks["details"].isVisible()
    assert w.status_line.badge.isHidden()


def test_geometry_and_panels_come_back(make_window: Callable[[], Any], qtbot: QtBot, trace_file: Path) -> None:
    first = make_window()
    first.open_path(trace_file)
    wait_idle(qtbot, first)
    first.show_panel("diagnostics")
    first.resize(1000, 700)
    qtbot.wait(20)
    first.close()
    second = make_window()
    second.open_path(trace_file)
    wait_idle(qtbot, second)
    assert not second.docks["diagnostics"].isHidden()


def test_reload_reads_again(open_window: Any, qtbot: QtBot) -> None:
    before = open_window.state.trace
    press(open_window, K.Key_F5)
    wait_idle(qtbot, open_window)
    assert open_window.state.trace is not before


def test_export_saves_a_picture(open_window: Any, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from PySide6.QtWidgets import QFileDialog

    target = tmp_path / "view.png"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a: (str(tmp_path / "view"), ""))
    open_window.actions_by_id["file.export_picture"].trigger()
    wait_idle(qtbot, open_window)
    assert target.read_bytes().startswith(b"\x89PNG")
    assert open_window.messages.text == f"Saved {target}."
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a: ("/nowhere/at/all.png", ""))
    open_window.actions_by_id["file.export_picture"].trigger()
    wait_idle(qtbot, open_window)
    said = "/nowhere/at/all.png: cannot be written (No such file or directory). Choose another place, or make room there."
    assert open_window.messages.text == said


def test_every_control_has_a_name_for_screen_readers(open_window: Any) -> None:
    open_window.state.select(Item("slice", slice_named(open_window.state.trace, "main")))
    kinds = (QAbstractButton, QLineEdit, QAbstractItemView)
    nameless = [
        (type(c).__name__, c.objectName(), c.parent().objectName())
        for kind in kinds
        for c in open_window.findChildren(kind)
        if not c.objectName().startswith("qt_") and not c.accessibleName() and not getattr(c, "text", str)() and not c.toolTip()
        and c.isVisible()
    ]
    assert nameless == []


def test_undo_back_and_their_keys(open_window: Any, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(open_window.history, "_clock", lambda: now[0])
    state = open_window.state
    whole = state.window
    assert not open_window.actions_by_id["edit.undo"].isEnabled()
    state.zoom(0.5)
    zoomed = state.window
    now[0] += 5
    state.add_mark(whole.start_ns + 10)
    open_window.timeline.canvas.setFocus()
    qtbot.keyClick(open_window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert state.marks == ()
    qtbot.keyClick(open_window, Qt.Key.Key_Backspace)
    assert state.window == whole
    qtbot.keyClick(open_window, Qt.Key.Key_Backspace, Qt.KeyboardModifier.ShiftModifier)
    assert state.window == zoomed
    assert open_window.actions_by_id["edit.undo"].isEnabled()
    assert not open_window.actions_by_id["view.forward"].isEnabled()


def test_moving_the_selection_and_colouring(open_window: Any, qtbot: QtBot) -> None:
    w, state = open_window, open_window.state
    state.select(Item("slice", slice_named(state.trace, "launch", 0)))
    w.timeline.canvas.setFocus()
    qtbot.keyClick(w, Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.ShiftModifier)
    assert state.selection == Item("slice", slice_named(state.trace, "launch", 1))
    here = state.selection
    qtbot.keyClick(w.timeline.canvas, "]")  # no arrow starts here
    assert state.selection == here
    state.set_window(state.bounds)
    qtbot.keyClick(w.timeline.canvas, Qt.Key.Key_Return)
    assert state.window != state.bounds
    before = w.timeline.picture()
    w.actions_by_id["color.by_engine"].trigger()
    wait_idle(qtbot, w)
    assert state.colour_by == "engine"
    assert w.actions_by_id["color.by_engine"].isChecked()
    assert w.timeline.picture() != before


def test_numbers_of_the_report_lead_to_their_slices(open_window: Any, qtbot: QtBot) -> None:
    w, state = open_window, open_window.state
    panel = w.docks["report"].panel
    panel.text.anchorClicked.emit(QUrl("filter%3Aengine%3AMME"))
    wait_idle(qtbot, w)
    engines = {state.trace.tracks[int(state.trace.slices.track[i])].engine for i in state.matches}
    assert engines == {"MME"}
    assert w.is_panel_visible("matches")
    panel.text.anchorClicked.emit(QUrl(f"time%3A{START_NS}-{START_NS + 200}"))
    assert (state.range.start_ns, state.range.length_ns) == (START_NS, 200)
    assert state.window == state.range
    document = panel.text.document()
    names = set()
    block = document.begin()
    while block.isValid():
        names |= {f.fragment().charFormat().anchorHref() for f in block if f.fragment().charFormat().isAnchor()}
        block = block.next()
    assert any(name.startswith("filter%3Aname%3D") for name in names)
    assert any(name.startswith("filter%3Aengine%3A") for name in names)


def test_colours_by_argument(open_window: Any, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    w, state = open_window, open_window.state
    qtbot.waitUntil(lambda: "dtype" in w.search.argument_keys())
    monkeypatch.setattr("hlprof_gui.dialogs.question.ask", lambda *said: said[-2] if said[-2] in said[-1] else None)
    w.actions_by_id["color.by_argument"].trigger()
    wait_idle(qtbot, w)
    assert state.colour_by == "argument"
    assert state.colour_groups.labels[0] == "(none)"
    ink = w.timeline.scene.maker.ink
    by_label: dict[int, set[int]] = {}
    for slice_id, key in enumerate(state.colour_groups.keys.tolist()):
        by_label.setdefault(key, set()).add(int(ink.palette[ink.index[slice_id]]))
    assert all(len(colours) == 1 for colours in by_label.values())
    assert len(by_label) > 1
    assert w.actions_by_id["color.by_argument"].isChecked()
    w.close_trace()
    assert state.colour_by == "name"


def test_measures_are_copied(open_window: Any) -> None:
    state = open_window.state
    assert not open_window.actions_by_id["edit.copy_measures"].isEnabled()
    state.set_measures([Measure(Edge(START_NS + 400), Edge(START_NS + 100)), Measure(Edge(START_NS), Edge(START_NS + 7))])
    open_window.actions_by_id["edit.copy_measures"].trigger()
    assert QGuiApplication.clipboard().text().splitlines() == [
        "300 ns (300 ns) from 100 ns to 400 ns after the first event",
        "7 ns (7 ns) from 0 ns to 7 ns after the first event",
    ]
    assert "2 measures" in open_window.messages.text


def test_rows_of_tabs_have_the_looks_of_the_theme(open_window: Any, theme: Any, qtbot: QtBot) -> None:
    open_window.show_panel("notes")
    open_window.show_panel("sql")
    wait_idle(qtbot, open_window)
    bars = [bar for bar in open_window.findChildren(QTabBar) if bar.isVisible() and bar.count()]
    assert len(bars) == 2
    assert all(bar.styleSheet() for bar in bars)
    for bar in bars:
        pixel = bar.grab().toImage().pixelColor(bar.width() - 2, 3)
        assert pixel.name() == theme.palette.window
