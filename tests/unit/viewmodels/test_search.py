"""Search: hits as typed, position, wrap around, arguments streamed in."""

from __future__ import annotations

import numpy as np
import pytest

from hlprof_core.levels.pyramid import build_levels
from hlprof_core.levels.text_index import build_text_index
from hlprof_core.trace.ranges import TimeRange
from hlprof_gui.state.view_state import Item, ViewState
from hlprof_gui.viewmodels.search import SearchViewModel
from tests.small_trace import START_NS, slice_named, small_trace


@pytest.fixture
def found() -> tuple[ViewState, SearchViewModel]:
    state = ViewState()
    search = SearchViewModel(state)
    trace = small_trace()
    state.open(trace, build_levels(trace))
    search.set_index(build_text_index(trace))
    return state, search


def test_typing_counts_and_stepping_wraps(found: tuple[ViewState, SearchViewModel]) -> None:
    state, search = found
    search.set_words("LAUN")
    assert search.count_text == "2"
    search.step(1)
    assert (search.count_text, state.selection) == ("1 / 2", Item("slice", slice_named(state.trace, "launch", 0)))  # type: ignore[arg-type]
    search.step(1)
    search.step(1)
    assert search.count_text == "1 / 2"
    search.step(-1)
    assert search.count_text == "2 / 2"


def test_the_first_step_begins_at_the_window(found: tuple[ViewState, SearchViewModel]) -> None:
    state, search = found
    state.set_window(TimeRange(START_NS + 400, START_NS + 800))
    search.set_words("launch")
    search.step(1)
    assert state.match_index == 1


def test_nothing_found_and_cleared(found: tuple[ViewState, SearchViewModel]) -> None:
    state, search = found
    search.set_words("nowhere")
    assert search.count_text == "none"
    search.step(1)
    assert state.selection is None
    search.clear()
    assert search.count_text == ""


def test_words_typed_before_the_index_are_searched_when_it_comes() -> None:
    state = ViewState()
    search = SearchViewModel(state)
    trace = small_trace()
    state.open(trace, build_levels(trace))
    search.set_words("relu")
    assert search.count_text == "…"
    search.set_index(build_text_index(trace))
    assert search.count_text == "2"


def test_an_index_of_a_former_trace_is_ignored(found: tuple[ViewState, SearchViewModel]) -> None:
    state, search = found
    old = build_text_index(state.trace)  # type: ignore[arg-type]
    trace = small_trace()
    state.open(trace, build_levels(trace))
    search.set_index(old)
    assert not search.is_ready


def test_argument_hits_join_and_the_place_is_kept(found: tuple[ViewState, SearchViewModel]) -> None:
    state, search = found
    wanted: list[str] = []
    search.want_args = wanted.append
    search.set_words("fc2")
    search.set_in_args(True)
    assert wanted[-1] == "fc2"
    search.step(1)
    looked_at = search.current
    search.add_args_hits(np.array([slice_named(state.trace, "relu", 0), slice_named(state.trace, "relu", 1)]))  # type: ignore[arg-type]
    assert search.count_text == "3 / 3 …"
    assert search.current == looked_at
    search.end_args()
    assert search.count_text == "3 / 3"
    search.clear()
    assert wanted[-1] == ""
