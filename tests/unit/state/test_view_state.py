"""The view state clamps, and tells each change once."""

from __future__ import annotations

import numpy as np
import pytest

from hlprof_core.levels.pyramid import build_levels
from hlprof_core.trace.ranges import TimeRange
from hlprof_gui.state.view_state import MIN_WINDOW_NS, Edge, Item, Mark, Measure, ViewState
from tests.small_trace import START_NS, slice_named, small_trace


@pytest.fixture
def state() -> ViewState:
    state = ViewState()
    trace = small_trace()
    state.open(trace, build_levels(trace))
    return state


def test_the_window_stays_inside_the_trace(state: ViewState) -> None:
    state.set_window(TimeRange(START_NS - 10**9, START_NS + 10**9))
    assert state.window == state.bounds
    state.set_window(TimeRange(START_NS + 50, START_NS + 51))
    assert state.window.length_ns == MIN_WINDOW_NS
    state.set_window(TimeRange(state.bounds.end_ns + 100, state.bounds.end_ns + 200))
    assert state.window.end_ns == state.bounds.end_ns


def test_zoom_keeps_the_point_under_the_pointer(state: ViewState) -> None:
    at = START_NS + 300
    share = (at - state.window.start_ns) / state.window.length_ns
    state.zoom(0.5, at)
    assert (at - state.window.start_ns) / state.window.length_ns == pytest.approx(share, abs=0.01)


def test_signals_tell_once_and_only_changes(state: ViewState) -> None:
    calls: list[str] = []
    state.window_changed.connect(lambda: calls.append("window"))
    state.selection_changed.connect(lambda: calls.append("selection"))
    state.set_window(TimeRange(START_NS + 100, START_NS + 300))
    state.set_window(TimeRange(START_NS + 100, START_NS + 300))
    state.select(Item("slice", 1))
    state.select(Item("slice", 1))
    assert calls == ["window", "selection"]


def test_reveal_brings_the_item_into_the_window(state: ViewState) -> None:
    wanted: list[Item] = []
    state.reveal_wanted.connect(wanted.append)
    sync = slice_named(state.trace, "sync")  # type: ignore[arg-type]
    state.set_window(TimeRange(START_NS, START_NS + 50))
    state.select(Item("slice", sync), reveal=True)
    assert state.window.start_ns <= START_NS + 750 < state.window.end_ns
    assert wanted == [Item("slice", sync)]


def test_opening_and_closing_forget_the_former_choices(state: ViewState) -> None:
    state.select(Item("slice", 0))
    state.add_mark(START_NS)
    state.set_measures([Measure(Edge(START_NS), Edge(START_NS + 7))])
    state.set_matches(np.array([1, 2]))
    told: list[int] = []
    state.trace_changed.connect(lambda: told.append(1))
    state.close()
    assert (state.trace, state.selection, state.marks, state.measures, len(state.matches)) == (None, None, (), (), 0)
    state.close()
    assert told == [1]


def test_marks_are_in_order(state: ViewState) -> None:
    state.set_marks([Mark(5), Mark(1), Mark(3)])
    assert [m.time_ns for m in state.marks] == [1, 3, 5]


def test_a_measure_is_exact_in_either_direction() -> None:
    measure = Measure(Edge(2**60 + 1), Edge(2**60 - 6))
    assert measure.length_ns == 7
    assert measure.range == TimeRange(2**60 - 6, 2**60 + 1)
