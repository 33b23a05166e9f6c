"""The counters panel follows time and pointer, and leads to rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage, QWheelEvent
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from hlprof_core.trace.ranges import TimeRange
from hlprof_gui.panels.counters import FEW
from hlprof_gui.viewmodels.counters import compact
from hlprof_gui.widgets.line_plot import LinePlot, PlotLine
from tests.gui.conftest import wait_idle
from tests.small_trace import START_NS


def test_values_follow_time_and_pointer(open_window: Any, qtbot: QtBot) -> None:
    state = open_window.state
    open_window.show_panel("counters")
    wait_idle(qtbot, open_window)
    panel = open_window.docks["counters"].panel
    QAbstractItemModelTester(panel.model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    assert panel.model.rowCount() == len(state.trace.series)
    counters = state.trace.counters
    most = compact(float(counters.value[: int(counters.offsets[1])].max()), 5)
    assert panel.model.index(0, 5).data() == most
    state.set_hover(None, int(counters.time_ns[0]))
    first = compact(float(counters.value[0]), 5)
    qtbot.waitUntil(lambda: panel.model.index(0, 2).data() == first)
    qtbot.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=panel.table.visualRect(panel.model.index(0, 0)).center())
    assert state.selection.kind == "track"
    assert state.selection.id == state.trace.series[0].track


def pixels(image: QImage) -> np.ndarray:
    image = image.convertToFormat(QImage.Format.Format_RGB32)
    return np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.width()).copy()


def test_the_plot_shows_the_chosen_counters_over_the_view(window: Any, qtbot: QtBot, tmp_path: Path) -> None:
    events = [{"ph": "C", "pid": 1, "name": "traffic", "ts": t, "args": {"read": t, "write": 500}} for t in range(0, 1000, 10)]
    events += [{"ph": "C", "pid": 1, "name": "power", "ts": t, "args": {"value": 4e6 + t}} for t in range(0, 1000, 10)]
    path = tmp_path / "counted.json"
    path.write_text(json.dumps({"traceEvents": events}))
    window.open_path(path)
    wait_idle(qtbot, window)
    window.show_panel("counters")
    wait_idle(qtbot, window)
    panel, state = window.docks["counters"].panel, window.state
    plot = panel.plot
    assert [line.name for line in plot.lines] == ["traffic · read", "traffic · write"]
    picture = pixels(plot.grab().toImage())
    assert all((picture == line.color.rgb()).any() for line in plot.lines)
    lowest = {line.name: np.nonzero(picture == line.color.rgb())[0].max() for line in plot.lines}
    power = next(s.id for s in state.trace.series if s.name == "power")
    panel.draw([power])
    assert [line.name for line in plot.lines] == ["power"]
    assert panel.model.swatches.keys() == {power}
    panel.draw([0, 1, power])
    before = pixels(plot.grab().toImage())
    qtbot.mouseClick(panel.own_scales, Qt.MouseButton.LeftButton)
    assert plot.own_scales
    assert (pixels(plot.grab().toImage()) != before).any()
    assert lowest["traffic · read"] >= lowest["traffic · write"]


def test_the_plot_moves_the_view_and_chooses_time(open_window: Any, qtbot: QtBot) -> None:
    state = open_window.state
    open_window.show_panel("counters")
    wait_idle(qtbot, open_window)
    plot = open_window.docks["counters"].panel.plot
    area = plot.area()
    x, y = round(plot.x_of(START_NS + 600, area)), round(area.center().y())
    QTest.mouseMove(plot, QPoint(x - 5, y))
    QTest.mouseMove(plot, QPoint(x, y))
    qtbot.waitUntil(lambda: abs(state.cursor_ns - START_NS - 600) < 10)  # the pointer moves when the screen says so
    QTest.mousePress(plot, Qt.MouseButton.LeftButton, pos=QPoint(x, y))
    QTest.mouseMove(plot, QPoint(x + 60, y))
    QTest.mouseRelease(plot, Qt.MouseButton.LeftButton, pos=QPoint(x + 60, y))
    assert abs(state.range.start_ns - START_NS - 600) < 10
    whole = state.window
    at, none = QPointF(x, y), Qt.MouseButton.NoButton
    turned = QPoint(0, 120)
    upright, phase = Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase
    QApplication.sendEvent(plot, QWheelEvent(at, plot.mapToGlobal(at), QPoint(), turned, none, upright, phase, False))
    assert state.window.length_ns < whole.length_ns
    qtbot.waitUntil(lambda: plot.window_shown == state.window)
    qtbot.mouseClick(plot, Qt.MouseButton.LeftButton, pos=QPoint(x, y))
    assert state.range is None
    state.set_window(TimeRange(START_NS + 100, START_NS + 400))
    qtbot.waitUntil(lambda: plot.window_shown == state.window)
    QTest.mousePress(plot, Qt.MouseButton.MiddleButton, pos=QPoint(x, y))
    QTest.mouseMove(plot, QPoint(x - 40, y))
    QTest.mouseRelease(plot, Qt.MouseButton.MiddleButton, pos=QPoint(x - 40, y))
    assert state.window.start_ns > START_NS + 100
    assert state.window.length_ns == 300


def test_very_many_counters_do_not_hold_up_the_window(window: Any, qtbot: QtBot, tmp_path: Path) -> None:
    events = [{"ph": "C", "pid": 1, "name": f"c{n}", "ts": t, "args": {"value": n + t}} for n in range(FEW + 50) for t in (0, 10)]
    path = tmp_path / "many.json"
    path.write_text(json.dumps({"traceEvents": events}))
    window.open_path(path)
    wait_idle(qtbot, window)
    window.show_panel("counters")
    wait_idle(qtbot, window)
    panel = window.docks["counters"].panel
    assert panel.model.rowCount() == FEW + 50
    assert [line.name for line in panel.plot.lines] == ["c0"]
    qtbot.waitUntil(lambda: panel.model.index(1, 5).data() == "11")
    window.state.set_range(TimeRange(window.state.trace.span.start_ns, window.state.trace.span.start_ns + 5_000))
    qtbot.waitUntil(lambda: panel.model.index(1, 5).data() == "1")


def redness(plot: LinePlot) -> np.ndarray:
    """Which pixels are much more red than blue."""
    picture = pixels(plot.grab().toImage())
    return (picture >> 16 & 0xFF).astype(int) - (picture & 0xFF).astype(int) > 60


def test_values_as_large_as_numbers_go_are_drawn_where_they_belong(theme: Any, qtbot: QtBot) -> None:
    values = np.array([-1e308, 1e308, 0.0])

    def columns(_window: TimeRange, width: int) -> tuple[np.ndarray, np.ndarray]:
        shown = np.repeat(values, -(-width // 3))[:width]
        return shown, shown

    color = QColor(255, 0, 0)
    for own_scales in (False, True):
        plot = LinePlot(theme, lambda _window, _width: ())
        qtbot.addWidget(plot)
        plot.resize(300, 160)
        plot.own_scales = own_scales
        plot.show_lines((PlotLine("v", color, columns, lambda _time: 0.0),))
        area, red = plot.area(), redness(plot)
        heights = []
        for share in (1 / 6, 3 / 6, 5 / 6):
            rows = np.flatnonzero(red[round(area.top()) - 2 :, int(area.left() + share * area.width())])
            assert len(rows)
            heights.append(1 - float(rows.mean() - 2) / area.height())
        assert heights == pytest.approx([0.0, 1.0, 0.5], abs=0.06)
    plot.show_lines((PlotLine("v", color, lambda _w, width: (np.full(width, 1.7e308),) * 2, lambda _t: 0.0),))
    area, red = plot.area(), redness(plot)
    assert red[round(area.top()) :, int(area.center().x())].any()


def test_reading_again_draws_the_same_counters(window: Any, qtbot: QtBot, tmp_path: Path) -> None:
    def write(first: int) -> None:
        events = [
            {"ph": "C", "pid": 1, "name": f"counter {n}", "ts": t, "args": {"v": t}} for n in range(first, 5) for t in range(0, 100, 10)
        ]
        path.write_text(json.dumps({"traceEvents": events}))

    path = tmp_path / "counted.json"
    write(0)
    window.open_path(path)
    wait_idle(qtbot, window)
    window.show_panel("counters")
    wait_idle(qtbot, window)
    panel = window.docks["counters"].panel
    panel.draw([2, 4])
    for first, drawn in ((0, [2, 4]), (1, [1, 3]), (3, [1])):
        write(first)
        window.actions_by_id["file.reload"].trigger()
        wait_idle(qtbot, window)
        assert [line.name for line in panel.plot.lines] == [f"counter {first + n} · v" for n in drawn]


def test_what_is_always_zero_opens_no_room_below_zero(theme: Any, qtbot: QtBot) -> None:
    plot = LinePlot(theme, lambda _window, _width: ())
    qtbot.addWidget(plot)
    plot.resize(300, 160)

    def line(*values: float) -> PlotLine:
        shown = np.repeat(np.array(values), 400 // len(values))
        return PlotLine("v", QColor(255, 0, 0), lambda _window, _width: (shown, shown), lambda _time: 0.0)

    for lines, least, most in (((line(0.0), line(0.0, 1.0, 2.0)), 0.0, 2.0), ((line(0.0),), 0.0, 1.0), ((line(3.0),), 0.0, 6.0)):
        plot.show_lines(lines)
        ticks = [value for value, _ in plot._scale(plot._limits(plot._columns(400)))]
        assert (ticks[0], ticks[-1]) == (least, most)
