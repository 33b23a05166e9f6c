"""Rows arranged by keys and by the menu of a row."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from hlprof_gui.state.view_state import Item
from hlprof_gui.timeline.layout import RowKind


def test_keys_pin_hide_move_and_undo(open_window: Any, qtbot: QtBot) -> None:
    state = open_window.state
    track = len(state.trace.tracks) - 1
    state.select(Item("track", track))
    open_window.timeline.canvas.setFocus()
    qtbot.keyClick(open_window, Qt.Key.Key_P)
    assert state.arrangement.pinned == (track,)
    assert open_window.actions_by_id["row.pin"].isChecked()
    layout = open_window.timeline.scene.layout
    assert layout.track[0] == track
    assert layout.pinned_rows > 0
    qtbot.keyClick(open_window, Qt.Key.Key_P)
    assert state.arrangement.pinned == ()
    qtbot.keyClick(open_window, Qt.Key.Key_H)
    assert state.arrangement.hidden == {track}
    assert open_window.timeline.scene.layout.track_extent(track) is None
    assert open_window.timeline.scene.hidden_of(state.trace.tracks[track].process) == 1
    qtbot.keyClick(open_window, Qt.Key.Key_H, Qt.KeyboardModifier.ShiftModifier)
    assert state.arrangement.hidden == frozenset()
    qtbot.keyClick(open_window, Qt.Key.Key_G)
    assert state.trace.tracks[track].process in state.collapsed


def test_a_right_click_is_about_the_row_under_the_pointer(open_window: Any, qtbot: QtBot) -> None:
    state, headers = open_window.state, open_window.timeline.headers
    layout = open_window.timeline.scene.layout
    row = int((layout.kind == RowKind.LANE).nonzero()[0][-1])
    at = QPoint(40, int(layout.y[row]) + 5)
    offered: list[str] = []

    def choose() -> None:
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        offered.extend(action.text() for action in menu.actions() if not action.isSeparator())
        action = open_window.actions_by_id["row.pin"]
        qtbot.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(action).center())

    QTimer.singleShot(0, choose)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, headers.mapToGlobal(at))
    QApplication.sendEvent(headers, event)
    assert state.arrangement.pinned == (int(layout.track[row]),)
    assert {"Pin", "Hide", "Move Up", "Taller"} <= set(offered)
    assert state.row_target is None


def test_the_name_of_a_group_stays_while_its_rows_scroll(open_window: Any, qtbot: QtBot) -> None:
    view = open_window.timeline
    scene = view.scene
    view.setFixedHeight(200)
    qtbot.waitUntil(lambda: scene.max_top > 60)
    scene.scroll_to(40)
    sticky = scene.sticky_group()
    assert sticky is not None
    assert sticky.top <= 0 < sticky.top + float(scene.layout.height[sticky.row])
    assert view.headers.row_at(2) == sticky.row
    scene.scroll_to(0)
    assert scene.sticky_group() is None
