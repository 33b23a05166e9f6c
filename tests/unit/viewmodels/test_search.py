"""Search: hits as typed, position, wrap around, arguments streamed in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hlprof_core.levels.name_index import build_name_index
from hlprof_core.levels.pyramid import build_levels
from hlprof_core.progress import Progress
from hlprof_core.trace.ranges import TimeRange
from hlprof_gui.state.history import History
from hlprof_gui.state.view_state import Item, ViewState
from hlprof_gui.viewmodels import search as module
from hlprof_gui.viewmodels.match_list import SortKey, sort_matches
from hlprof_gui.viewmodels.search import SearchViewModel
from tests.small_trace import START_NS, slice_named, small_trace


@pytest.fixture
def found() -> tuple[ViewState, SearchViewModel]:
    state = ViewState()
    search = SearchViewModel(state)
    trace = small_trace()
    state.open(trace, build_levels(trace))
    search.set_index(build_name_index(trace))
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
    search.set_index(build_name_index(trace))
    assert search.count_text == "2"


def test_an_index_of_a_former_trace_is_ignored(found: tuple[ViewState, SearchViewModel]) -> None:
    state, search = found
    old = build_name_index(state.trace)  # type: ignore[arg-type]
    trace = small_trace()
    state.open(trace, build_levels(trace))
    search.set_index(old)
    assert not search.is_ready


class Later:
    """Work that runs when the test says so."""

    def __init__(self) -> None:
        self.waiting: dict[str, Callable[[], None]] = {}

    def start(self, key: str, title: str, work: Callable[[Progress], Any], done: Callable[[Any], None]) -> None:
        self.waiting[key] = lambda: done(work(Progress()))

    def start_streaming(self, key: str, title: str, work: Any, part: Callable[[Any], None], done: Callable[[Any], None]) -> None:
        self.waiting[key] = lambda: done(work(Progress(), part))

    def cancel(self, key: str) -> None:
        self.waiting.pop(key, None)

    def run(self, key: str) -> None:
        self.waiting.pop(key)()


def test_argument_hits_join_and_the_place_is_kept(found: tuple[ViewState, SearchViewModel]) -> None:
    state, search = found
    search.work = later = Later()
    search.set_in_args(True)
    search.set_words("fc2 or args.op=relu_fwd_bf16")
    assert search.count_text == "1 …"
    search.step(1)
    looked_at = search.current
    later.run("args")
    assert search.count_text == "3 / 3"
    assert search.current == looked_at
    assert sorted(state.matches.tolist()) == sorted([looked_at, *(slice_named(state.trace, "relu", n) for n in (0, 1))])  # type: ignore[arg-type]
    search.set_words("relu_fwd")
    assert search.is_streaming
    search.clear()
    assert not later.waiting
    assert not search.is_streaming


def test_a_mistake_is_told_and_what_was_found_stays(found: tuple[ViewState, SearchViewModel]) -> None:
    state, search = found
    search.set_words("relu")
    search.set_words("relu durr>1")
    assert search.error is not None
    assert (search.error.position, search.count_text) == (5, "")
    assert "Did you mean dur?" in search.summary
    assert len(state.matches) == 2
    search.set_words("relu dur>100")
    assert (search.error, search.count_text) == (None, "1")


def test_columns_of_many_slices_are_looked_through_elsewhere(
    found: tuple[ViewState, SearchViewModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    state, search = found
    monkeypatch.setattr("hlprof_gui.viewmodels.search.SMALL", 3)
    monkeypatch.setattr("hlprof_gui.viewmodels.search.FEW", 1)
    search.work = later = Later()
    search.set_words("relu")
    assert search.count_text == "2", "the number is known before the list"
    assert len(state.matches) == 0
    later.run("filter")
    assert (search.count_text, len(state.matches)) == ("2", 2)
    search.set_words("dur>100ns")
    assert search.count_text == "…"
    search.set_words("dur>400ns")
    later.run("filter")
    assert search.count_text == "1"


def test_the_mode_and_undo_go_through_the_state(found: tuple[ViewState, SearchViewModel]) -> None:
    state, search = found
    history = History(state)
    search.set_words("relu")
    search.set_mode("hide")
    assert history.undo_title == "Filter"
    history.undo()
    assert (search.words, state.is_matched) == ("", False)
    history.redo()
    assert (search.words, search.mode, search.count_text) == ("relu", "hide", "2")


def test_results_from_elsewhere_are_counted_and_cleared(found: tuple[ViewState, SearchViewModel]) -> None:
    state, search = found
    state.set_matches(np.array([1, 2]))
    assert search.count_text == "2"
    assert search.summary == "2 slices"
    search.clear()
    assert (search.count_text, state.is_matched) == ("", False)


def test_completion_knows_the_trace_once_there_is_an_index(found: tuple[ViewState, SearchViewModel]) -> None:
    _, search = found
    assert [c.text for c in search.complete("name:lau", 8)] == ["launch"]


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("key", ["name", "track", "start", "dur"])
def test_lists_are_sorted_and_equal_ones_stay_by_start(key: SortKey, descending: bool) -> None:
    trace = small_trace()
    matches = build_name_index(trace).by_time
    slices = trace.slices
    values = {"name": [trace.name(int(i)).casefold() for i in matches], "track": slices.track[matches].tolist()}
    values |= {"start": slices.start_ns[matches].tolist(), "dur": slices.dur_ns[matches].tolist()}
    found = sort_matches(trace, matches, key, descending=descending).tolist()
    if key == "start":
        assert found == list(range(len(matches)))[:: -1 if descending else 1]
    else:
        assert found == sorted(range(len(matches)), key=values[key].__getitem__, reverse=descending)


def test_matches_that_are_still_coming_are_called_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SMALL", -1)
    state = ViewState()
    search = SearchViewModel(state)
    trace = small_trace()
    state.open(trace, build_levels(trace))
    told: list[tuple[int, bool]] = []
    state.matches_changed.connect(lambda: told.append((len(state.matches), state.is_part)))

    def search_args(engine: Any, wanted: Any, matched: Any, progress: Any, part: Any) -> None:
        part(np.array([1]))
        part(np.array([1, 2]))
        search.jump(0)

    monkeypatch.setattr(module, "_search_args", search_args)
    search.set_index(build_name_index(trace))
    search.set_words("args.dtype=bf16")
    assert told == [(0, False), (1, True), (2, True), (2, True), (2, False)]
    assert state.match_index == 0, "the one being looked at stays"
