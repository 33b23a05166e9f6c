"""A window can be closed from outside (a signal, the session's end) while it waits in a menu or a question."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from hlprof_gui.dialogs.question import ask
from tests.gui.conftest import wait_idle


@pytest.fixture
def doomed(make_window: Callable[[], Any], qtbot: QtBot, trace_file: Path) -> Any:
    """Ends while the next menu or question is open."""
    window = make_window()
    window.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    window.open_path(trace_file)
    wait_idle(qtbot, window)

    def end() -> None:
        assert QApplication.activePopupWidget() or QApplication.activeModalWidget()
        window.close()

    QTimer.singleShot(50, end)
    return window


def test_under_a_menu(doomed: Any, qtbot: QtBot) -> None:
    canvas, state = doomed.timeline.canvas, doomed.state
    at = QPoint(100, 50)
    QApplication.sendEvent(canvas, QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, canvas.mapToGlobal(at)))
    assert state.time_target is None
    qtbot.waitUntil(lambda: not isValid(doomed))


def test_under_a_question(doomed: Any, qtbot: QtBot) -> None:
    assert ask(doomed, doomed.theme, "Title", "Question:", "answer") is None
    qtbot.waitUntil(lambda: not isValid(doomed))
