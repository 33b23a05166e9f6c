"""The statistics panel: follows the view, sorts, looks at one group, brushes, filters and writes a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest
from pytestqt.qtbot import QtBot

from hlprof_core.trace.ranges import TimeRange
from tests.gui.conftest import wait_idle
from tests.small_trace import START_NS, slice_named


@pytest.fixture
def shown(open_window: Any, qtbot: QtBot) -> tuple[Any, Any]:
    open_window.show_panel("statistics")
    panel = open_window.dock("statistics").panel
    qtbot.waitUntil(lambda: panel.model.rowCount() == 7, timeout=3000)
    return open_window, panel


def text(panel: Any, row: int, column: int) -> str:
    return str(panel.model.index(row, column).data())


def test_it_follows_the_chosen_time(shown: Any, qtbot: QtBot) -> None:
    window, panel = shown
    QAbstractItemModelTester(panel.model, QAbstractItemModelTester.FailureReportingMode.Fatal, panel)
    assert (text(panel, 0, 0), text(panel, 0, 2)) == ("main", "1.000 µs")
    window.state.set_range(TimeRange(START_NS + 500, START_NS + 600))
    qtbot.waitUntil(lambda: panel.model.rowCount() == 3, timeout=3000)
    assert panel.scope.text() == "Chosen time, 100 ns"
    panel.table.sortByColumn(3, Qt.SortOrder.AscendingOrder)
    assert [text(panel, row, 3) for row in range(3)] == ["40 ns", "100 ns", "100 ns"]


def test_a_row_shows_its_durations_and_a_brush_highlights(shown: Any, qtbot: QtBot) -> None:
    window, panel = shown
    row = panel.model.row_of("relu")
    where = panel.table.visualRect(panel.model.index(row, 0)).center()
    qtbot.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=where)
    assert panel.caption.text() == "relu"
    bars = panel.histogram
    qtbot.waitUntil(bars.isVisible, timeout=2000)
    QTest.mousePress(bars, Qt.MouseButton.LeftButton, pos=QPoint(bars.width() // 2, 20))
    QTest.mouseMove(bars, QPoint(bars.width() - 2, 20))
    QTest.mouseRelease(bars, Qt.MouseButton.LeftButton, pos=QPoint(bars.width() - 2, 20))
    assert window.state.highlight.tolist() == [slice_named(window.state.trace, "relu", 0)]
    assert panel.brush_text.text().startswith("1 slice from")
    panel.hide()
    assert window.state.highlight is None


def test_a_double_click_filters_and_the_table_is_written(shown: Any, qtbot: QtBot, tmp_path: Path) -> None:
    window, panel = shown
    panel.by.setEditText("args.dtype")
    panel.by.lineEdit().editingFinished.emit()
    wait_idle(qtbot, window)
    qtbot.waitUntil(lambda: panel.model.rowCount() == 2, timeout=3000)
    panel._filter_by_group(panel.model.index(panel.model.row_of("bf16"), 0))
    wait_idle(qtbot, window)
    assert window.search_box.field.text() == "args.dtype==bf16"
    qtbot.waitUntil(lambda: panel.model.rowCount() == 1, timeout=3000)
    panel.export.save_to(tmp_path / "s.csv")
    wait_idle(qtbot, window)
    lines = (tmp_path / "s.csv").read_text().splitlines()
    assert lines[0].startswith("group,count,total_ns,clipped_ns,self_ns,mean_ns,median_ns,p95_ns,min_ns,max_ns")
    assert lines[1].startswith("bf16,2,700,700,600,350.0,")
