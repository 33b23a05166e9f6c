"""Drags and held keys that end otherwise than by a release the timeline is told of: over a menu, by Escape, by another trace."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from hlprof_core.trace.ranges import TimeRange
from hlprof_gui.state.view_state import Item
from tests.gui.conftest import wait_idle

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
Kind = QEvent.Type


def send(widget: QWidget, kind: QEvent.Type, x: int, button: Qt.MouseButton, held: Qt.MouseButton) -> None:
    at = QPointF(x, 10)
    QApplication.sendEvent(widget, QMouseEvent(kind, at, QPointF(widget.mapToGlobal(at)), button, held, Qt.KeyboardModifier.NoModifier))


@pytest.mark.parametrize("part", ["canvas", "ruler"])
def test_a_lost_release_ends_the_drag(open_window: Any, part: str) -> None:
    timeline, state = open_window.timeline, open_window.state
    widget = getattr(timeline, part)
    send(widget, Kind.MouseButtonPress, 100, LEFT, LEFT)
    send(widget, Kind.MouseMove, 200, NONE, LEFT)
    chosen = state.range
    assert chosen is not None
    send(widget, Kind.MouseMove, 400, NONE, NONE)
    assert timeline.interaction.gesture == "none"
    assert state.range == chosen


@pytest.mark.parametrize("part", ["canvas", "ruler"])
def test_no_menu_opens_in_the_middle_of_a_drag(open_window: Any, part: str) -> None:
    timeline, wanted = open_window.timeline, []
    widget = getattr(timeline, part)
    timeline.menu_wanted.disconnect()
    timeline.menu_wanted.connect(wanted.append)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, QPoint(150, 10), widget.mapToGlobal(QPoint(150, 10)))
    send(widget, Kind.MouseButtonPress, 100, LEFT, LEFT)
    QApplication.sendEvent(widget, event)
    assert not wanted
    QTest.mouseRelease(widget, LEFT, pos=QPoint(100, 10))
    QApplication.sendEvent(widget, event)
    assert len(wanted) == 1


def test_escape_takes_back_the_drag_and_nothing_else(open_window: Any, qtbot: QtBot) -> None:
    timeline, state = open_window.timeline, open_window.state
    timeline.setFocus()
    state.select(Item("slice", 0))
    state.set_range(TimeRange(state.bounds.start_ns, state.bounds.start_ns + 10))
    chosen, window = state.range, state.window
    send(timeline.canvas, Kind.MouseButtonPress, 100, LEFT, LEFT)
    send(timeline.canvas, Kind.MouseMove, 200, NONE, LEFT)
    assert state.range != chosen
    QTest.keyClick(timeline.canvas, Qt.Key.Key_Escape)
    send(timeline.canvas, Kind.MouseMove, 300, NONE, LEFT)
    send(timeline.canvas, Kind.MouseButtonRelease, 300, LEFT, NONE)
    assert state.range == chosen
    assert state.selection == Item("slice", 0)
    send(timeline.overview, Kind.MouseButtonPress, timeline.overview.width(), LEFT, LEFT)
    send(timeline.overview, Kind.MouseMove, 200, NONE, LEFT)
    assert state.window != window
    QTest.keyClick(timeline.canvas, Qt.Key.Key_Escape)
    assert state.window == window
    assert state.range == chosen
    QTest.keyClick(timeline.canvas, Qt.Key.Key_Escape)
    assert state.range is None, "without a drag it drops what is chosen"


def test_the_borders_of_the_overview_stay_when_the_other_is_dragged_too_far(open_window: Any) -> None:
    overview, state = open_window.timeline.overview, open_window.state
    state.zoom(0.3)
    start, end = state.window.start_ns, state.window.end_ns
    left, right = overview.frame_extent()
    send(overview, Kind.MouseButtonPress, round(left), LEFT, LEFT)
    send(overview, Kind.MouseMove, -300, NONE, LEFT)
    assert state.window == TimeRange(state.bounds.start_ns, end)
    send(overview, Kind.MouseMove, 900, NONE, LEFT)
    assert state.window.end_ns == end
    send(overview, Kind.MouseButtonRelease, 900, LEFT, NONE)
    state.set_window(TimeRange(start, end))
    send(overview, Kind.MouseButtonPress, round(right), LEFT, LEFT)
    send(overview, Kind.MouseMove, 5000, NONE, LEFT)
    assert state.window == TimeRange(start, state.bounds.end_ns)
    send(overview, Kind.MouseMove, 20, NONE, LEFT)
    assert state.window.start_ns == start
    send(overview, Kind.MouseMove, 400, NONE, NONE)
    assert state.window.start_ns == start


def test_a_trace_that_comes_in_the_middle_of_a_drag_is_not_touched_by_it(open_window: Any, qtbot: QtBot, tmp_path: Path) -> None:
    timeline, state = open_window.timeline, open_window.state
    other = tmp_path / "other.json"
    other.write_text('[{"ph": "X", "name": "only", "ts": 5, "dur": 1, "pid": 1, "tid": 1}]')
    box = timeline.scene.slice_box(len(state.trace.slices) - 1)
    x, y = round((box[0] + box[2]) / 2), round((box[1] + box[3]) / 2)
    QTest.mousePress(timeline.canvas, LEFT, pos=QPoint(x, y))
    QTest.mousePress(timeline.overview, LEFT, pos=QPoint(100, 10))
    open_window.open_path(other)
    wait_idle(qtbot, open_window)
    assert len(state.trace.slices) == 1
    window = state.window
    QTest.mouseMove(timeline.overview, QPoint(300, 10))
    QTest.mouseRelease(timeline.canvas, LEFT, pos=QPoint(x, y))
    assert state.selection is None
    assert state.window == window


def test_a_held_key_goes_up_whatever_else_is_held_by_then(open_window: Any) -> None:
    canvas = open_window.timeline.canvas
    no, control = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier
    QApplication.sendEvent(canvas, QKeyEvent(Kind.KeyPress, Qt.Key.Key_D, no, "d"))
    assert open_window.timeline.interaction.is_moving
    QApplication.sendEvent(canvas, QKeyEvent(Kind.KeyRelease, Qt.Key.Key_D, control, "\x04"))
    assert not open_window.timeline.interaction.is_moving
