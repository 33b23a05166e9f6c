"""The band of steps: drawn, clicked, walked through by keys."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from hlprof_core.analysis.steps import Step
from hlprof_core.trace.ranges import TimeRange
from tests.small_trace import START_NS

STEPS = tuple(Step(f"step {i}", TimeRange(START_NS + 300 * i, START_NS + 300 * i + 200)) for i in range(3))


def test_click_choose_and_keys(open_window: Any, qtbot: QtBot) -> None:
    state, view = open_window.state, open_window.timeline
    state.set_steps(state.trace, STEPS)
    assert view.steps.isVisible()
    x = round(view.scene.x_of(START_NS + 400))
    qtbot.mouseClick(view.steps, Qt.MouseButton.LeftButton, pos=QPoint(x, 8))
    assert state.range == STEPS[1].span
    view.canvas.setFocus()
    qtbot.keyClick(open_window, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
    assert state.range == STEPS[2].span
    for _ in range(5):
        qtbot.keyClick(open_window, Qt.Key.Key_Left, Qt.KeyboardModifier.ControlModifier)
    assert state.range == STEPS[0].span
    qtbot.mouseDClick(view.steps, Qt.MouseButton.LeftButton, pos=QPoint(x, 8))
    assert state.window == STEPS[1].span
    state.set_window(state.bounds)
    gap = round(view.scene.x_of(START_NS + 250))
    qtbot.mouseClick(view.steps, Qt.MouseButton.LeftButton, pos=QPoint(gap, 8))
    assert state.range is None


def test_a_trace_without_steps_has_no_band(open_window: Any) -> None:
    state = open_window.state
    state.set_steps(state.trace, ())
    assert not open_window.timeline.steps.isVisible()
    state.set_steps(None, STEPS)  # of another trace: too late
    assert state.steps == ()


def test_a_million_steps_cost_what_the_pixels_cost(open_window: Any) -> None:
    state, band = open_window.state, open_window.timeline.steps
    starts = np.linspace(state.bounds.start_ns, state.bounds.end_ns, 300_000).astype(np.int64).tolist()
    state.set_steps(state.trace, tuple(Step("s", TimeRange(start, start + 1)) for start in starts))
    band.grab()
    begun = time.thread_time()
    band.grab()
    assert time.thread_time() - begun < 1


def test_control_and_drag_choose_time_on_rows(open_window: Any, qtbot: QtBot) -> None:
    view, state = open_window.timeline, open_window.state
    layout = view.scene.layout
    y0, y1 = int(layout.y[1]) + 4, int(layout.y[2]) + 4
    canvas = view.canvas
    control = Qt.KeyboardModifier.ControlModifier
    x0, x1 = canvas.width() // 2, canvas.width() // 2 + 120
    qtbot.mousePress(canvas, Qt.MouseButton.LeftButton, control, QPoint(x0, y0))
    qtbot.mouseMove(canvas, QPoint(x1, y1))
    qtbot.mouseRelease(canvas, Qt.MouseButton.LeftButton, control, QPoint(x1, y1))
    assert state.range_tracks == (int(layout.track[1]),)
    before = canvas.grab().toImage()
    state.set_range(state.range)
    assert canvas.grab().toImage() != before
