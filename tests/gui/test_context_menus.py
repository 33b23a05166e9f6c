"""Menus at the pointer: what a right click and the Menu key offer at each place, and that choosing does it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from hlprof_core.analysis.steps import Step
from hlprof_core.levels.pyramid import build_levels
from hlprof_core.trace.ranges import TimeRange
from hlprof_gui.commands.context import CONTEXT_MENUS
from hlprof_gui.state.view_state import Item, Mark
from hlprof_gui.timeline.layout import RowKind
from tests.gui.conftest import wait_idle
from tests.small_trace import START_NS, slice_named, small_trace

Choose = Callable[..., list[str]]


@pytest.fixture
def choose(open_window: Any, qtbot: QtBot) -> Choose:
    """Opens a menu by right click or key, returns what it offers, and takes one of it."""

    def run(widget: QWidget, at: QPoint | None, wanted: str | None = None) -> list[str]:
        offered: list[str] = []

        def act() -> None:
            menu = QApplication.activePopupWidget()
            assert isinstance(menu, QMenu)
            offered.extend(action.objectName() for action in menu.actions() if not action.isSeparator())
            if wanted is None:
                qtbot.keyClick(menu, Qt.Key.Key_Escape)
            else:
                qtbot.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(open_window.actions_by_id[wanted]).center())

        QTimer.singleShot(0, act)
        reason = QContextMenuEvent.Reason.Keyboard if at is None else QContextMenuEvent.Reason.Mouse
        where = widget.rect().center() if at is None else at
        QApplication.sendEvent(widget, QContextMenuEvent(reason, where, widget.mapToGlobal(where)))
        assert offered, "no menu came"
        return offered

    return run


def middle(window: Any, slice_id: int) -> QPoint:
    box = window.timeline.scene.slice_box(slice_id)
    return QPoint(round((box[0] + box[2]) / 2), round((box[1] + box[3]) / 2))


def test_a_right_click_on_a_slice_selects_it_and_offers_what_is_about_it(open_window: Any, choose: Choose) -> None:
    window, state = open_window, open_window.state
    relu = slice_named(state.trace, "relu")
    offered = choose(window.timeline.canvas, middle(window, relu), "search.filter_name")
    assert state.selection == Item("slice", relu)
    assert set(offered) <= {i for i in CONTEXT_MENUS["slice"] if i}
    assert {"view.focus_selection", "edit.copy_details", "edit.copy_name", "row.pin", "select.next_alike"} <= set(offered)
    assert state.filter.text == "name==relu"
    assert (state.row_target, state.time_target, window.deeds) == (None, None, {})


def test_moves_that_lead_nowhere_are_not_offered(window: Any, qtbot: QtBot, tmp_path: Path) -> None:
    def event(name: str, at: int, length: int) -> dict[str, object]:
        return {"ph": "X", "pid": 1, "tid": 1, "name": name, "ts": at, "dur": length}

    def arrow(phase: str, at: int) -> dict[str, object]:
        return {"ph": phase, "pid": 1, "tid": 1, "id": 7, "name": "to", "cat": "f", "ts": at, "bp": "e"}

    path = tmp_path / "ties.json"
    events = [event("outer", 0, 100), event("inner", 10, 20), event("last", 200, 50), arrow("s", 15), arrow("f", 210)]
    path.write_text(json.dumps({"traceEvents": events}))
    window.open_path(path)
    wait_idle(qtbot, window)
    moves = ("parent", "child", "follow_flow", "flow_origin", "next_slice", "previous_slice")
    wanted = {"outer": {"child", "next_slice"}, "inner": {"parent", "follow_flow"}, "last": {"flow_origin", "previous_slice"}}
    for name, possible in wanted.items():
        window.state.select(Item("slice", slice_named(window.state.trace, name)))
        qtbot.waitUntil(lambda p=possible: {m for m in moves if window.actions_by_id[f"select.{m}"].isEnabled()} == p)
    window.state.select(None)
    qtbot.waitUntil(lambda: all(window.actions_by_id[f"select.{move}"].isEnabled() for move in moves))


def test_the_menu_key_means_the_selected_slice(open_window: Any, choose: Choose) -> None:
    window = open_window
    window.state.select(Item("slice", slice_named(window.state.trace, "launch")))
    choose(window.timeline.canvas, None, "edit.copy_name")
    assert QGuiApplication.clipboard().text() == "launch"
    window.state.select(None)
    offered = choose(window.timeline.canvas, None)
    assert "view.zoom_fit" in offered
    assert "edit.copy_name" not in offered


def test_the_keys_of_menus_are_free(open_window: Any) -> None:
    """Shift+F10 and the Menu key become requests for a menu in Qt; a command with one of them would take it away."""
    keys = {key.lower() for command in open_window.commands for key in command.keys}
    assert not keys & {"shift+f10", "menu"}
    assert open_window.timeline.canvas.focusPolicy() == Qt.FocusPolicy.StrongFocus


def test_empty_canvas_is_about_the_time_there(open_window: Any, choose: Choose) -> None:
    window, state = open_window, open_window.state
    canvas = window.timeline.canvas
    at = QPoint(300, canvas.height() - 5)
    offered = choose(canvas, at, "edit.flag_pointer")
    assert {"view.zoom_in", "edit.add_note", "track.fold_all"} <= set(offered)
    assert [mark.time_ns for mark in state.marks] == [window.timeline.scene.time_at(300)]


def test_instants_and_counters_have_menus_of_their_own(open_window: Any, choose: Choose) -> None:
    window, state = open_window, open_window.state
    scene = window.timeline.scene
    rows = scene.layout.kind.tolist()
    for kind, place in ((RowKind.INSTANTS, "instant"), (RowKind.COUNTER, "counter")):
        row = rows.index(int(kind))
        top, bottom = scene.row_box(row)
        time = START_NS + (950 if kind == RowKind.INSTANTS else 800)
        offered = choose(window.timeline.canvas, QPoint(round(scene.x_of(time)), round((top + bottom) / 2)))
        assert state.selection is not None
        assert state.selection.kind == place
        assert set(offered) <= set(CONTEXT_MENUS[place])


def test_headers_of_rows_and_groups(open_window: Any, choose: Choose) -> None:
    window, state = open_window, open_window.state
    layout, headers = window.timeline.scene.layout, window.timeline.headers
    for kind, wanted in ((RowKind.GROUP, "row.fold"), (RowKind.LANE, "row.pin")):
        row = layout.kind.tolist().index(int(kind))
        offered = choose(headers, QPoint(60, int(layout.y[row]) + 5), wanted)
        assert set(offered) <= {i for i in CONTEXT_MENUS["group" if kind == RowKind.GROUP else "row"] if i}
        layout = window.timeline.scene.layout
        state.set_collapsed(())
    assert len(state.arrangement.pinned) == 1


def test_overview_ruler_and_steps(open_window: Any, choose: Choose, qtbot: QtBot) -> None:
    window, state = open_window, open_window.state
    state.zoom(0.3)
    assert "view.go_start" in choose(window.timeline.overview, QPoint(50, 20), "view.zoom_fit")
    assert state.window == state.bounds
    assert "edit.flag_pointer" in choose(window.timeline.ruler, QPoint(120, 15), "edit.flag_pointer")
    assert [mark.time_ns for mark in state.marks] == [window.timeline.scene.time_at(120)]
    span = TimeRange(START_NS + 200, START_NS + 600)
    state.set_steps(state.trace, (Step("step", span),))
    qtbot.waitUntil(window.timeline.steps.isVisible)
    at = QPoint(round(window.timeline.scene.x_of(START_NS + 400)), 8)
    assert "select.next_step" in choose(window.timeline.steps, at, "view.focus_range")
    assert state.range == span
    assert state.window.length_ns < 600


def test_lists_offer_what_they_can_do(open_window: Any, choose: Choose, qtbot: QtBot) -> None:
    window, state = open_window, open_window.state
    window.search.set_words("relu")
    window.show_panel("matches")
    table = window.docks["matches"].panel.table
    qtbot.waitUntil(lambda: table.model().rowCount() == 2)
    at = table.visualRect(table.model().index(1, 0)).center()
    offered = choose(table.viewport(), at, "list.zoom_to")
    assert {"list.go_to", "list.copy_row", "list.copy_table", "list.export_table"} <= set(offered)
    assert state.selection == Item("slice", slice_named(state.trace, "relu", 1))
    assert state.window.length_ns < 200
    choose(table.viewport(), at, "list.copy_row")
    assert "relu" in QGuiApplication.clipboard().text()

    state.set_marks([Mark(START_NS + 300, "look here")])
    window.show_panel("notes")
    notes = window.docks["notes"].panel.table
    at = notes.visualRect(notes.model().index(0, 1)).center()
    assert {"list.go_to", "list.edit_row"} <= set(choose(notes.viewport(), at, "list.remove_row"))
    assert state.marks == ()

    window.show_panel("statistics")
    statistics = window.docks["statistics"].panel.table
    qtbot.waitUntil(lambda: statistics.model().rowCount() > 0)
    at = statistics.visualRect(statistics.model().index(0, 0)).center()
    label = statistics.model().index(0, 0).data()
    choose(statistics.viewport(), at, "list.filter_by")
    assert label in state.filter.text

    trace = small_trace()
    state.open(trace, build_levels(trace))
    window.show_panel("diagnostics")
    tree = window.docks["diagnostics"].panel.tree
    at = tree.visualItemRect(tree.topLevelItem(0)).center()
    choose(tree.viewport(), at, "list.copy_table")
    assert "read.bad_ts" in QGuiApplication.clipboard().text()
    assert "byte 17" in QGuiApplication.clipboard().text()


def test_arguments_and_report(open_window: Any, choose: Choose, qtbot: QtBot) -> None:
    window, state = open_window, open_window.state
    state.select(Item("slice", slice_named(state.trace, "relu")))
    window.show_panel("details")
    args = window.docks["details"].panel.args
    qtbot.waitUntil(args.isVisible)
    index = args.model().index(0, 1)
    choose(args.viewport(), args.visualRect(index).center(), "list.copy_value")
    assert QGuiApplication.clipboard().text() == "relu_fwd_bf16"
    window.show_panel("report")
    text = window.docks["report"].panel.text
    offered = choose(text.viewport(), QPoint(5, 5), "list.copy_table")
    assert "list.copy_selected" not in offered
    assert QGuiApplication.clipboard().text().startswith("#")
    text.selectAll()
    assert "list.copy_selected" in choose(text.viewport(), QPoint(5, 5))


def test_without_a_trace_there_are_no_menus(window: Any) -> None:
    asked: list[Any] = []
    window.timeline.menu_wanted.connect(asked.append)
    for widget in (window.timeline.canvas, window.timeline.ruler, window.timeline.overview, window.timeline.steps, window.timeline.headers):
        QTest.mouseClick(widget, Qt.MouseButton.RightButton, pos=QPoint(3, 3))
        event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, QPoint(3, 3), widget.mapToGlobal(QPoint(3, 3)))
        QApplication.sendEvent(widget, event)
    assert asked == []
