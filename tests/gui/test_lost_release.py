"""A button that goes up where the timeline is not told of it, over a menu, does not go on dragging."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

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
