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
from hlprof_gui.timeline import scene
from tests.gui.conftest import wait_idle


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
