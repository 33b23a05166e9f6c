"""Arrows as they were looked at: bundled over a whole trace, and those of one slice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hlprof_core.levels.pyramid import build_levels
from hlprof_core.trace.ranges import TimeRange
from hlprof_gui.state.view_state import Item, ViewState
from hlprof_gui.theme.theme import Theme
from hlprof_gui.timeline.picture import arrange_offscreen
from tests.flow_traces import launches_trace
from tests.visual.golden_picture import compare


@pytest.fixture(params=["dark", "light"])
def theme(qapp: Any, request: pytest.FixtureRequest) -> Iterator[Theme]:
    theme = Theme(request.param)
    theme.apply(qapp)
    yield theme
    qapp.setStyleSheet("")


def test_bundles_of_a_whole_trace(theme: Theme, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    trace = launches_trace(900)
    state = ViewState()
    state.open(trace, build_levels(trace))
    state.set_arrows("all")
    view = arrange_offscreen(state, theme, (960, 330))
    compare(view.picture(), f"arrows-{theme.palette.name}", request, tmp_path)


def test_single_arrows_and_one_that_is_selected(theme: Theme, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    trace = launches_trace(900)
    state = ViewState()
    state.open(trace, build_levels(trace))
    state.set_arrows("all")
    start = int(trace.slices.start_ns[300])
    state.set_window(TimeRange(start - 20_000, start + 100_000))
    state.select(Item("slice", 300))
    view = arrange_offscreen(state, theme, (960, 330))
    compare(view.picture(), f"arrows-near-{theme.palette.name}", request, tmp_path)
