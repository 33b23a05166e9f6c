"""Matches that grow while a search runs: the first of them and all of them are drawn, not each part."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hlprof_core.levels.pyramid import build_levels
from hlprof_core.progress import Progress
from hlprof_gui.state.view_state import ViewState
from hlprof_gui.theme.theme import Theme
from hlprof_gui.timeline import scene as module
from hlprof_gui.timeline.scene import Scene
from hlprof_gui.viewmodels.work import AtOnce
from tests.small_trace import small_trace


class Counting(AtOnce):
    """Counts what is prepared."""

    def __init__(self) -> None:
        self.started = 0

    def start(self, key: str, title: str, work: Callable[[Progress], Any], done: Callable[[Any], None]) -> None:
        self.started += 1
        super().start(key, title, work, done)


def test_the_first_and_the_last_matches_are_drawn(monkeypatch: pytest.MonkeyPatch, qapp: object) -> None:
    monkeypatch.setattr(module, "FEW_FOUND", 1)
    state = ViewState()
    scene = Scene(state, Theme("dark"))
    scene.work = work = Counting()
    trace = small_trace()
    state.open(trace, build_levels(trace))
    state.set_matches(np.empty(0, np.int64), is_answer=True, is_part=True)
    for count in (2, 3, 4, 5):
        state.set_matches(np.arange(count), is_answer=True, is_part=True)
    assert work.started == 1
    state.set_matches(state.matches, is_answer=True)
    assert work.started == 2
    assert scene._found is not None
    assert scene._found.ids.tolist() == [0, 1, 2, 3, 4]
