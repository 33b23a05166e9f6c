"""What was worked out about a trace does not come when another one is shown."""

from __future__ import annotations

from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from hlprof_core.progress import Progress
from hlprof_gui.background import load
from hlprof_gui.state.view_state import Item
from hlprof_gui.timeline import scene
from tests.gui.conftest import wait_idle
from tests.small_trace import slice_named


def test_work_on_the_former_trace_is_dropped(open_window: Any, qtbot: QtBot, tmp_path: Path) -> None:
    window, told, go = open_window, [], Event()
    for key in ("index", "steps", "colour", "arrow.ends"):
        window.jobs.start(key, "Working", lambda _: go.wait(5) and np.array([7]), told.append)
    path = tmp_path / "other.json"
    path.write_text('{"traceEvents": [{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 5}]}')
    late = tuple(window.jobs.running())
    window._take_trace(path, window.state.trace, window.state.levels)
    go.set()
    window._complete(window.state.trace)
    wait_idle(qtbot, window)
    assert len(late) == 4
    assert not told


def test_slices_that_stood_out_in_the_former_trace_are_forgotten(
    open_window: Any, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, go = open_window, Event()
    build = scene.build_found

    def slow(*args: Any) -> Any:
        go.wait(5)
        return build(*args)

    monkeypatch.setattr(scene, "FEW_FOUND", 0)
    monkeypatch.setattr(scene, "build_found", slow)
    window.state.set_matches(np.array([1, 2], np.int64), is_answer=True)
    assert [job.key for job in window.jobs.running()] == [scene.FOUND]
    path = tmp_path / "other.json"
    path.write_text('{"traceEvents": [{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 5}]}')
    window.state.open(*load(path, "name", Progress()))
    go.set()
    wait_idle(qtbot, window)
    assert window.timeline.scene._found is None


def test_menus_know_what_a_filter_hides_when_that_is_worked_out_late(
    open_window: Any, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    state, outwards = open_window.state, open_window.actions_by_id["select.parent"]
    state.select(Item("slice", slice_named(state.trace, "launch")))
    assert outwards.isEnabled()
    monkeypatch.setattr(scene, "FEW_FOUND", 0)
    open_window.search.set_words("launch")
    open_window.search.set_mode("hide")
    wait_idle(qtbot, open_window)
    assert not outwards.isEnabled(), "what is around it is hidden"
    open_window.search.set_mode("dim")
    wait_idle(qtbot, open_window)
    assert outwards.isEnabled()
