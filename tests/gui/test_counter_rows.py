"""Rows of counters in the window: what the pointer reads, stacking and scale by key, kept with the session."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from hlprof_core.trace.ranges import TimeRange
from hlprof_gui.state.session import restore_session, save_session
from hlprof_gui.state.view_state import Item
from hlprof_gui.timeline.layout import RowKind
from tests.gui.conftest import wait_idle

LEFT, SHIFT = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def counted(window: Any, qtbot: QtBot, tmp_path: Path) -> Any:
    """A window on one counter with two series: read 1, then 2; write always 6."""
    samples = [(0, 1, 6), (500, 2, 6), (1000, 2, 6)]
    events = [{"ph": "C", "pid": 1, "name": "traffic", "ts": t, "args": {"read": r, "write": w}} for t, r, w in samples]
    path = tmp_path / "counted.json"
    path.write_text(json.dumps({"traceEvents": events}))
    window.open_path(path)
    wait_idle(qtbot, window)
    return window


def spot(window: Any, time_ns: int, share: float) -> QPoint:
    """Place on the canvas at a time and height of the row (0 bottom, 1 top)."""
    scene = window.timeline.scene
    row = scene.layout.rows_of(window.state.trace.series[0].track, RowKind.COUNTER)[0]
    top, bottom = scene.row_box(row)
    return QPoint(round(scene.x_of(time_ns)), round(bottom - share * (bottom - top)))


def test_the_pointer_reads_the_series_under_it(counted: Any, qtbot: QtBot) -> None:
    w, state = counted, counted.state
    canvas = w.timeline.canvas
    plain = w.timeline.picture()

    def reads(share: float, told: str) -> bool:
        QTest.mouseMove(canvas, QPoint(2, 2))
        QTest.mouseMove(canvas, spot(w, 600_000, share))
        return w.status_line.hover.text().startswith(told)

    qtbot.waitUntil(lambda: reads(0.1, "traffic · read   2   since 500"))
    assert w.timeline.picture() != plain, "dots and values"
    qtbot.waitUntil(lambda: reads(0.7, "traffic · write   6"))
    QTest.mouseClick(canvas, LEFT, pos=spot(w, 100_000, 0.7))
    assert state.selection.kind == "counter"
    assert w.docks["details"].panel.title.text() == "traffic"


def test_keys_change_stack_and_scale_and_a_session_keeps_them(counted: Any, qtbot: QtBot) -> None:
    w, state = counted, counted.state
    track = state.trace.series[0].track
    state.select(Item("track", track))
    rows = w.timeline.scene.maker.counters
    def look() -> Any:
        return rows.look(track, w.timeline.scene.layout.arrangement)

    assert look().is_stacked
    assert w.actions_by_id["row.restack"].isChecked()
    w.timeline.canvas.setFocus()
    qtbot.keyClick(w.timeline.canvas, Qt.Key.Key_C, SHIFT)
    qtbot.keyClick(w.timeline.canvas, Qt.Key.Key_C)
    assert (look().is_stacked, look().fits_view) == (False, True)
    assert not w.actions_by_id["row.restack"].isChecked()
    state.set_window(TimeRange(600_000, 900_000))
    assert rows.scale(track, look(), state.window, w.timeline.scene.view.width) == (2.0, 6.0)
    save_session(state)
    arrangement = state.arrangement
    qtbot.keyClick(w.timeline.canvas, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert state.arrangement != arrangement
    restore_session(state)
    assert state.arrangement == arrangement


def test_the_legend_has_the_colours_of_the_series(counted: Any) -> None:
    w = counted
    image = w.timeline.headers.grab().toImage().convertToFormat(w.timeline.picture().format())
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1)
    rows, track = w.timeline.scene.maker.counters, w.state.trace.series[0].track
    for place in (0, 1):
        assert (pixels == rows.colour(track, place)).any()


def test_stacking_is_offered_for_several_series_only(open_window: Any) -> None:
    w = open_window
    w.state.select(Item("track", w.state.trace.series[0].track))
    assert not w.actions_by_id["row.restack"].isEnabled()
    assert w.actions_by_id["row.fit_scale"].isEnabled()
    w.state.select(Item("track", 0))
    assert not w.actions_by_id["row.fit_scale"].isEnabled()
