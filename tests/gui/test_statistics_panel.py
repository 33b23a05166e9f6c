"""The statistics panel: follows the view, sorts, looks at one group, brushes, filters and writes a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QAbstractItemModelTester, QTest
from pytestqt.qtbot import QtBot

from hlprof_core.trace.ranges import TimeRange
from hlprof_gui.viewmodels.peers import spread_of
from hlprof_gui.widgets.histogram import Histogram
from tests.gui.conftest import wait_idle
from tests.small_trace import START_NS, slice_named


@pytest.fixture
def shown(open_window: Any, qtbot: QtBot) -> tuple[Any, Any]:
    open_window.show_panel("statistics")
    panel = open_window.docks["statistics"].panel
    qtbot.waitUntil(lambda: panel.model.rowCount() == 7, timeout=10_000)
    return open_window, panel


def text(panel: Any, row: int, column: int) -> str:
    return str(panel.model.index(row, column).data())


def test_it_follows_the_chosen_time(shown: Any, qtbot: QtBot) -> None:
    window, panel = shown
    QAbstractItemModelTester(panel.model, QAbstractItemModelTester.FailureReportingMode.Fatal, panel)
    assert (text(panel, 0, 0), text(panel, 0, 2)) == ("main", "1.000 µs")
    window.state.set_range(TimeRange(START_NS + 500, START_NS + 600))
    qtbot.waitUntil(lambda: panel.model.rowCount() == 3, timeout=10_000)
    assert panel.scope.text() == "Chosen time, 100 ns"
    panel.table.sortByColumn(3, Qt.SortOrder.AscendingOrder)
    assert [text(panel, row, 3) for row in range(3)] == ["40 ns", "100 ns", "100 ns"]


def brush_relu(panel: Any, qtbot: QtBot) -> None:
    """Drag over the upper half of its durations."""
    row = panel.model.row_of("relu")
    where = panel.table.visualRect(panel.model.index(row, 0)).center()
    qtbot.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=where)
    assert panel.caption.text() == "relu"
    bars = panel.histogram
    qtbot.waitUntil(bars.isVisible, timeout=10_000)
    QTest.mousePress(bars, Qt.MouseButton.LeftButton, pos=QPoint(bars.width() // 2, 20))
    QTest.mouseMove(bars, QPoint(bars.width() - 2, 20))
    QTest.mouseRelease(bars, Qt.MouseButton.LeftButton, pos=QPoint(bars.width() - 2, 20))


def assert_nothing_stands_out(window: Any, panel: Any) -> None:
    assert (window.state.highlight, panel.histogram.brush) == (None, None)
    assert panel.brush_text.text().startswith("Drag over the bars")


def test_a_row_shows_its_durations_and_a_brush_highlights(shown: Any, qtbot: QtBot) -> None:
    window, panel = shown
    brush_relu(panel, qtbot)
    assert window.state.highlight.tolist() == [slice_named(window.state.trace, "relu", 0)]
    assert panel.brush_text.text().startswith("1 slice from")
    window.docks["statistics"].hide()
    assert_nothing_stands_out(window, panel)
    window.show_panel("statistics")
    wait_idle(qtbot, window)
    assert_nothing_stands_out(window, panel)
    brush_relu(panel, qtbot)
    QTest.mouseClick(panel.histogram, Qt.MouseButton.LeftButton, pos=QPoint(9, 20))
    assert_nothing_stands_out(window, panel)


def test_a_brush_follows_the_view(shown: Any, qtbot: QtBot) -> None:
    window, panel = shown
    brush_relu(panel, qtbot)
    durations = panel.histogram.brush
    window.state.set_window(TimeRange(START_NS + 50, START_NS + 200))
    qtbot.waitUntil(lambda: panel.scope.text().startswith("Visible"), timeout=10_000)
    wait_idle(qtbot, window)
    state = window.state
    assert state.highlight.tolist() == [i for i in (slice_named(state.trace, "relu", n) for n in (0, 1)) if stands_in(state, i, durations)]
    assert panel.histogram.brush == durations
    assert f"{len(state.highlight)} slice" in panel.brush_text.text()
    state.set_window(TimeRange(START_NS + 900, START_NS + 920))
    qtbot.waitUntil(lambda: "has no slices here" in panel.caption.text(), timeout=10_000)
    assert state.highlight.tolist() == []
    assert panel.brush_text.isVisible()
    assert panel.brush_text.text().startswith("0 slices from")
    state.set_window(state.bounds)
    qtbot.waitUntil(lambda: panel.scope.text() == "Whole trace", timeout=10_000)
    wait_idle(qtbot, window)
    assert state.highlight.tolist() == [slice_named(state.trace, "relu", 0)]


def stands_in(state: Any, slice_id: int, durations: tuple[int, int]) -> bool:
    slices = state.trace.slices
    start, dur = int(slices.start_ns[slice_id]), int(slices.dur_ns[slice_id])
    return durations[0] <= dur <= durations[1] and start < state.window.end_ns and start + dur > state.window.start_ns


def test_the_bars_show_what_of_a_brush_is_among_them(theme: Any, qtbot: QtBot) -> None:
    bars = Histogram(theme, can_brush=True)
    qtbot.addWidget(bars)
    bars.resize(240, 76)
    bars.show_spread(spread_of(np.array([100, 200, 400, 800])))

    def picture(durations: tuple[int, int] | None) -> QImage:
        bars.show_brush(durations)
        return bars.grab().toImage()

    nothing, everything = picture(None), picture((100, 800))
    assert everything != nothing
    assert picture((1, 99)) == picture((801, 9000)) == nothing
    assert picture((1, 9000)) == everything
    assert picture((150, 9000)) == picture((150, 800)) != everything


@pytest.mark.parametrize("command", ["edit.clear", "search.hide_rest"])
def test_commands_end_a_brush(shown: Any, qtbot: QtBot, command: str) -> None:
    window, panel = shown
    brush_relu(panel, qtbot)
    window.actions_by_id[command].trigger()
    assert_nothing_stands_out(window, panel)


def test_a_filter_hides_the_rest_whatever_was_brushed(shown: Any, qtbot: QtBot) -> None:
    window, panel = shown
    brush_relu(panel, qtbot)
    window.search.set_words("engine:MME")
    window.actions_by_id["search.hide_rest"].trigger()
    wait_idle(qtbot, window)
    assert_nothing_stands_out(window, panel)
    scene = window.timeline.scene
    assert scene.hiding is not None
    assert scene.hiding.ids.tolist() == sorted(window.state.matches.tolist())


def test_a_double_click_filters_and_the_table_is_written(shown: Any, qtbot: QtBot, tmp_path: Path) -> None:
    window, panel = shown
    panel.by.setEditText("args.dtype")
    panel.by.lineEdit().editingFinished.emit()
    wait_idle(qtbot, window)
    qtbot.waitUntil(lambda: panel.model.rowCount() == 2, timeout=10_000)
    panel._filter_by_group(panel.model.index(panel.model.row_of("bf16"), 0))
    wait_idle(qtbot, window)
    assert window.search_box.field.text() == "args.dtype==bf16"
    qtbot.waitUntil(lambda: panel.model.rowCount() == 1, timeout=10_000)
    panel.export.save_to(tmp_path / "s.csv")
    wait_idle(qtbot, window)
    lines = (tmp_path / "s.csv").read_text().splitlines()
    assert lines[0].startswith("group,count,total_ns,clipped_ns,self_ns,mean_ns,median_ns,p95_ns,min_ns,max_ns")
    assert lines[1].startswith("bf16,2,700,700,600,350.0,")


def test_a_long_key_takes_no_room_of_the_scope(shown: Any) -> None:
    _, panel = shown
    panel.by.addItem("args." + "x" * 5000)
    assert panel.by.sizeHint().width() < 300


def test_long_names_and_filters_push_nothing_out_of_sight(shown: Any, qtbot: QtBot) -> None:
    window, panel = shown
    window.search.set_words("name:" + "y" * 3000)
    wait_idle(qtbot, window)
    window.show_panel("matches")
    wait_idle(qtbot, window)
    matches = window.docks["matches"].panel
    assert "yyy" in panel.view_model.scope
    assert "yyy" in matches.summary.text()
    panel.view_model.look_at("x" * 5000)
    for part in (panel, matches, panel.caption):
        assert part.minimumSizeHint().width() < 900
