"""The counters panel follows time and pointer, and leads to rows."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from tests.gui.conftest import wait_idle


def test_values_follow_time_and_pointer(open_window: Any, qtbot: QtBot) -> None:
    state = open_window.state
    open_window.show_panel("counters")
    wait_idle(qtbot, open_window)
    panel = open_window.dock("counters").panel
    QAbstractItemModelTester(panel.model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    assert panel.model.rowCount() == len(state.trace.series)
    counters = state.trace.counters
    most = f"{float(counters.value[: int(counters.offsets[1])].max()):,.6g}"
    assert panel.model.index(0, 6).data() == most
    state.set_hover(None, int(counters.time_ns[0]))
    first = f"{float(counters.value[0]):,.6g}"
    qtbot.waitUntil(lambda: panel.model.index(0, 7).data() == first)
    qtbot.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=panel.table.visualRect(panel.model.index(0, 0)).center())
    assert state.selection.kind == "track"
    assert state.selection.id == state.trace.series[0].track
