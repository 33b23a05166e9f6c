"""Times at the ends of int64, in traces and in session files, stay within what the kernels can count."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from hlprof_core.errors import UsageError
from hlprof_core.io.open import open_trace
from hlprof_core.levels.pyramid import build_levels
from hlprof_core.trace.ranges import TimeRange
from hlprof_core.trace.tracks import Process, Track
from hlprof_gui.state.session import restore_session, save_session, session_path
from hlprof_gui.state.view_state import FARTHEST_NS, ViewState
from tests.synthetic import lanes_trace

EVENTS = '{"traceEvents": [{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 5}]}'


def with_slices(*spans: tuple[int, int]) -> ViewState:
    starts, lengths = np.array(spans, np.int64).T
    lane = (0, 0, starts, lengths, np.ones(len(spans)))
    trace = lanes_trace([lane], [Track(0, 0, "thread", "row", "1", "1")], [Process(0, "1", "all")], ["a"])
    state = ViewState()
    state.open(trace, build_levels(trace))
    return state


@pytest.mark.parametrize(
    "spans", [[(FARTHEST_NS - 5000, 3000)], [(-FARTHEST_NS, 3000)], [(-FARTHEST_NS, 10), (5, 10), (FARTHEST_NS - 50, 10)]]
)
def test_the_window_stays_within_int64(spans: list[tuple[int, int]]) -> None:
    state = with_slices(*spans)
    bounds = state.bounds
    assert -FARTHEST_NS <= bounds.start_ns < bounds.end_ns <= FARTHEST_NS
    assert bounds.length_ns <= FARTHEST_NS
    for act in (lambda: state.pan(FARTHEST_NS), lambda: state.zoom(100), lambda: state.pan(-FARTHEST_NS), lambda: state.zoom(1e-9)):
        act()
        assert bounds.start_ns <= state.window.start_ns < state.window.end_ns <= bounds.end_ns


def test_of_events_too_far_apart_those_of_our_time_are_in_reach() -> None:
    now = 1_700_000_000_000_000_000
    bounds = with_slices((-FARTHEST_NS, 10), (now, 10), (FARTHEST_NS - 50, 10)).bounds
    assert bounds.start_ns < now < bounds.end_ns


def test_chosen_time_stays_within_the_trace() -> None:
    state = with_slices((FARTHEST_NS - 5000, 3000))
    state.set_range(TimeRange(FARTHEST_NS - 4000, FARTHEST_NS + 10**6))
    assert state.range == TimeRange(FARTHEST_NS - 4000, state.bounds.end_ns)


@pytest.mark.parametrize(
    "values",
    [
        '"range": [0, 1e999]', '"window": [-1e30, 1e30]', '"window": [100, 5]', '"notes": [{"at": 1e25, "text": "x"}]',
        '"notes": [{"at": 1, "length": -5, "text": "x"}]', '"measures": [[1e25, -1e25]]', '"measures": [[1]]', '"range": [NaN, 1]',
    ],
)  # fmt: skip
def test_a_session_with_times_that_are_none_is_refused_by_its_name(tmp_path: Path, values: str) -> None:
    file = tmp_path / "run.json"
    file.write_text(EVENTS)
    trace = open_trace(file, use_cache=False)
    state = ViewState()
    state.open(trace, build_levels(trace))
    session_path(file).write_text('{"hlprof_session": 1, ' + values + '}')
    with pytest.raises(UsageError, match=r"run\.json\.hlprof: "):
        restore_session(state)
    assert state.window == state.bounds
    assert not state.marks


def test_the_session_of_a_trace_that_is_gone_is_refused_and_the_former_one_stays(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    file.write_text(EVENTS)
    trace = open_trace(file, use_cache=False)
    state = ViewState()
    state.open(trace, build_levels(trace))
    save_session(state)
    before = session_path(file).read_text()
    state.add_mark(3000)
    file.unlink()
    with pytest.raises(UsageError, match=r"run\.json: .*any more"):
        save_session(state)
    assert session_path(file).read_text() == before
    assert json.loads(before)["notes"] == []
