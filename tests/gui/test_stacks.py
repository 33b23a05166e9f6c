"""Call stacks in the window: those of slices, and samples of a profiler as marks on the row of their thread."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from hlprof_gui.state.view_state import Item
from hlprof_gui.timeline.layout import RowKind
from hlprof_gui.viewmodels.status import hover_text
from hlprof_gui.widgets.stack_list import AT_END
from tests.gui.conftest import wait_idle

EVENTS = {
    "traceEvents": [
        {"ph": "X", "pid": 1, "tid": 1, "ts": 0, "dur": 100, "name": "step", "sf": "3"},
        {"ph": "B", "pid": 1, "tid": 1, "ts": 10, "name": "inner", "sf": "2"},
        {"ph": "E", "pid": 1, "tid": 1, "ts": 20, "name": "inner", "sf": "3"},
        {"ph": "X", "pid": 1, "tid": 1, "ts": 200, "dur": 10, "name": "bare"},
        {"ph": "P", "pid": 1, "tid": 1, "ts": 40, "name": "cycles", "sf": "3", "weight": 2, "args": {"cpu": 5}},
        {"ph": "P", "pid": 1, "tid": 1, "ts": 60, "name": "cycles"},
    ],
    "stackFrames": {
        "1": {"name": "main", "category": "app"},
        "2": {"name": "train", "parent": "1", "category": "app"},
        "3": {"name": "forward", "parent": "2", "category": "app"},
    },
    "samples": [{"pid": 1, "tid": 9, "ts": 300, "name": "cycles", "sf": "1"}],
}


@pytest.fixture
def stacked(window: Any, qtbot: QtBot, tmp_path: Path) -> Any:
    file = tmp_path / "stacks.json"
    file.write_text(json.dumps(EVENTS))
    window.open_path(file)
    wait_idle(qtbot, window)
    window.show_panel("details")
    return window


def slice_of(window: Any, name: str) -> Item:
    trace = window.state.trace
    return Item("slice", next(i for i in range(len(trace.slices)) if trace.name(i) == name))


def test_details_show_the_stack_of_a_slice(stacked: Any) -> None:
    panel = stacked.docks["details"].panel
    stacked.state.select(slice_of(stacked, "step"))
    assert panel.stack.isVisible()
    assert panel.stack.text.split("\n") == ["main", "train", "forward"]
    stacked.actions_by_id["edit.copy_details"].trigger()
    assert json.loads(QGuiApplication.clipboard().text())["stack"] == ["main", "train", "forward"]
    stacked.state.select(slice_of(stacked, "bare"))
    assert not panel.stack.isVisible()
    assert "stack" not in json.loads(panel.details.to_json())


def test_another_stack_at_the_end_is_told_too_and_frames_are_copied(stacked: Any, qtbot: QtBot) -> None:
    panel = stacked.docks["details"].panel
    stacked.state.select(slice_of(stacked, "inner"))
    assert panel.stack.text.split("\n") == ["main", "train", AT_END, "main", "train", "forward"]
    view = panel.stack.view
    view.setFocus()
    view.setCurrentIndex(panel.stack.model.index(1))
    qtbot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "train"
    stacked.state.select(None)
    assert not panel.stack.isVisible()


def test_samples_are_marks_on_the_row_of_their_thread(stacked: Any, qtbot: QtBot) -> None:
    state, scene = stacked.state, stacked.timeline.scene
    trace, layout = state.trace, scene.layout
    rows = [row for row in range(len(layout)) if layout.kind[row] == RowKind.INSTANTS]
    assert [int(layout.track[row]) for row in rows] == [0, 1]
    assert trace.tracks[1].tid == "9"
    assert trace.span.end_ns == 300_000
    top, bottom = scene.row_box(rows[0])
    at = QPoint(round(scene.x_of(40_000)), round((top + bottom) / 2))
    QTest.mouseMove(stacked.timeline.canvas, at - QPoint(30, 0))
    QTest.mouseMove(stacked.timeline.canvas, at)
    qtbot.waitUntil(lambda: state.hover == Item("sample", 0))
    assert hover_text(state).startswith("cycles   in forward, 3 frames")
    QTest.mouseClick(stacked.timeline.canvas, Qt.MouseButton.LeftButton, pos=at)
    assert state.selection == Item("sample", 0)
    details = stacked.docks["details"].panel.details
    assert (details.title, details.stack) == ("cycles", ("main", "train", "forward"))
    assert details.args == {"cpu": 5}
    assert {fact.label: fact.value for fact in details.facts}["Weight"] == "2"
    state.select(Item("sample", 1))
    assert stacked.docks["details"].panel.details.stack == ()


def test_a_sample_is_gone_to_and_its_row_can_be_pinned(stacked: Any) -> None:
    state = stacked.state
    state.select(Item("sample", 2), reveal=True)
    assert state.target() == (state.trace.tracks[1].process, 1)
    stacked.actions_by_id["row.pin"].trigger()
    assert state.arrangement.pinned == (1,)
    state.focus()
    assert state.window.start_ns < 300_000 < state.window.end_ns
