"""The statistics panel without its widgets: what is counted, what is looked at closer, what stands out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hlprof_core.analysis.filter import FilterEngine, filter_mask, read_filter
from hlprof_core.analysis.name_statistics import NameStatistics
from hlprof_core.analysis.statistics import GROUPINGS, group_keys, group_rows, statistics
from hlprof_core.levels.name_index import build_name_index
from hlprof_core.levels.pyramid import build_levels
from hlprof_core.progress import Progress
from hlprof_core.trace.builder import TraceBuilder
from hlprof_core.trace.model import Origin
from hlprof_core.trace.ranges import TimeRange
from hlprof_gui.state.view_state import ColourGroups, ViewState
from hlprof_gui.theme.palette import load_palette
from hlprof_gui.timeline.colour_legend import meanings
from hlprof_gui.viewmodels import statistics as module
from hlprof_gui.viewmodels.search import SearchViewModel
from hlprof_gui.viewmodels.statistics import StatisticsViewModel, filter_of
from tests.small_trace import START_NS, slice_named, small_trace
from tests.synthetic import busy_trace


@pytest.fixture
def models() -> tuple[ViewState, SearchViewModel, StatisticsViewModel]:
    state = ViewState()
    search = SearchViewModel(state)
    found = StatisticsViewModel(state, search)
    trace = small_trace()
    state.open(trace, build_levels(trace))
    search.set_index(build_name_index(trace))
    found.refresh()
    return state, search, found


def table(found: StatisticsViewModel) -> dict[str, tuple[int, int]]:
    assert found.result is not None
    return {label: (int(found.result.count[i]), int(found.result.clipped_ns[i])) for i, label in enumerate(found.result.labels)}


def test_the_chosen_time_counts_else_the_window(models: Any) -> None:
    state, _, found = models
    assert found.scope == "Whole trace"
    assert table(found)["relu"] == (2, 200)
    state.set_window(TimeRange(START_NS + 50, START_NS + 200))
    found.refresh()
    assert found.scope == "Visible time, 150 ns"
    assert table(found)["relu"] == (1, 100)
    state.set_range(TimeRange(START_NS + 300, START_NS + 320))
    found.refresh()
    assert found.scope == "Chosen time, 20 ns"
    assert table(found)["relu"] == (1, 20)


def test_only_what_the_filter_found_counts(models: Any) -> None:
    _, search, found = models
    search.set_words("engine:MME")
    found.refresh()
    assert set(table(found)) == {"fc1/forward", "fc1/inner", "fc2/forward"}
    assert "engine:MME" in found.scope
    found.set_follows_filter(False)
    assert len(table(found)) == 7


def test_groups_and_what_is_none(models: Any) -> None:
    _, _, found = models
    assert "args.dtype" in found.groupings
    found.set_by("args.dtype")
    assert table(found) == {"bf16": (2, 700), "(none)": (7, 1690)}
    found.set_by("colour")
    assert found.result is None
    assert "No grouping 'colour'" in found.problem
    found.set_by("engine")
    assert found.problem == ""
    assert table(found)["MME"] == (3, 800)


def test_a_brush_makes_slices_stand_out(models: Any) -> None:
    state, _, found = models
    found.look_at("relu")
    assert found.spread is not None
    assert int(found.spread.counts.sum()) == 2
    found.brush((100, 200))
    assert state.highlight.tolist() == [slice_named(state.trace, "relu", 0)]
    found.brush(None)
    assert state.highlight is None
    found.brush((0, 500))
    found.look_at(None)
    assert state.highlight is None
    found.brush((0, 500))
    assert (state.highlight, found.brushed) == (None, None), "there is no group"


@pytest.fixture
def brushed(models: Any) -> Any:
    """Both slices of a name stand out."""
    state, search, found = models
    found.look_at("relu")
    found.brush((1, 500))
    assert state.highlight.tolist() == [slice_named(state.trace, "relu", 0), slice_named(state.trace, "relu", 1)]
    return state, search, found


def test_a_brush_stays_while_another_time_is_looked_at(brushed: Any) -> None:
    state, _, found = brushed
    state.set_window(TimeRange(START_NS + 50, START_NS + 200))
    found.refresh()
    assert state.highlight.tolist() == group_rows(state.trace, "relu", state.window).tolist()
    assert len(state.highlight) == 1
    state.set_range(TimeRange(START_NS + 900, START_NS + 910))
    found.refresh()
    assert (found.spread, state.highlight.tolist()) == (None, [])
    assert found.brushed == (1, 500)
    state.set_range(None)
    state.set_window(state.bounds)
    found.refresh()
    assert len(state.highlight) == 2


WHAT_ENDS_A_BRUSH: dict[str, Callable[[ViewState, SearchViewModel, StatisticsViewModel], object]] = {
    "another group": lambda state, search, found: found.look_at("main"),
    "another grouping": lambda state, search, found: found.set_by("cat"),
    "a grouping that is none": lambda state, search, found: found.set_by("colour"),
    "a filter": lambda state, search, found: search.set_words("engine:MME"),
    "a filter that is none": lambda state, search, found: search.set_words("dur>fast"),
    "hiding": lambda state, search, found: search.set_mode("hide"),
    "matches from elsewhere": lambda state, search, found: search.show_found(np.array([0, 1])),
    "clearing": lambda state, search, found: search.clear(),
    "another trace": lambda state, search, found: state.open(state.trace, state.levels),
    "no trace": lambda state, search, found: state.close(),
    "letting go": lambda state, search, found: found.brush(None),
    "nothing that stands out": lambda state, search, found: state.set_highlight(None),
}


@pytest.mark.parametrize("what", WHAT_ENDS_A_BRUSH)
def test_brush_and_highlight_end_together(brushed: Any, what: str) -> None:
    state, _, found = brushed
    told: list[object] = []
    found.brush_changed.connect(lambda: told.append(found.brushed))
    WHAT_ENDS_A_BRUSH[what](*brushed)
    assert (state.highlight, found.brushed, told) == (None, None, [None])
    found.refresh()
    assert (state.highlight, found.brushed) == (None, None)


@pytest.mark.parametrize("by", [*GROUPINGS, "args.dtype", "args.Recipe name"])
def test_each_group_is_a_filter(models: Any, by: str) -> None:
    state, _, found = models
    found.set_by(by)
    for label in found.result.labels if by != "name" else ("relu",):
        rows = group_rows(state.trace, label, by=by)
        assert filter_mask(state.trace, filter_of(by, label)).nonzero()[0].tolist() == rows.tolist(), label


def test_large_traces_are_answered_from_an_index(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "QUICK", 10)
    monkeypatch.setattr(module, "LARGE", 1000)
    state = ViewState()
    search = SearchViewModel(state)
    found = StatisticsViewModel(state, search)
    trace = busy_trace(5000, rows=6, names=40)
    state.open(trace, build_levels(trace))
    search.set_index(build_name_index(trace))
    found.refresh()
    slow = found.result
    assert found._fast is not None
    state.set_window(TimeRange(trace.span.start_ns, trace.span.end_ns))
    found.refresh()
    assert slow is not None
    assert found.result is not slow
    search.set_words("relu")
    found.refresh()
    assert found.result is not None
    assert all("relu" in label for label in found.result.labels)
    state.set_matches(np.array([0, 1]))
    found.refresh()
    assert int(found.result.count.sum()) == 2, "matches from elsewhere are not those of the names"


def test_the_chosen_rows_count(models: Any) -> None:
    state, _, found = models
    tpc = tuple(t.id for t in state.trace.tracks if t.engine == "TPC")
    span = state.bounds
    state.set_range(TimeRange(span.start_ns, span.end_ns), tpc)
    found.refresh()
    assert "on 1 row" in found.scope
    assert set(table(found)) == {"relu"}
    state.set_range(TimeRange(span.start_ns, span.end_ns))
    found.refresh()
    assert len(table(found)) == 7


def test_of_very_many_groups_the_weightiest_are_shown(models: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    _, _, found = models
    every = found.result
    monkeypatch.setattr(module, "MOST_GROUPS", 3)
    found._asked = None
    found.refresh()
    assert found.result.labels == every.labels[:3]
    assert found.groups_left == len(every) - 3
    assert f"the 3 weightiest of {len(every)} groups" in found.scope


def test_an_argument_is_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from hlprof_core.analysis import argument_values as values
    from hlprof_core.analysis.statistics import group_rows, statistics

    trace = small_trace()
    looked: list[int] = []
    look_up = values._look_up
    monkeypatch.setattr(values, "_look_up", lambda t, rows, *rest: looked.append(len(rows)) or look_up(t, rows, *rest))
    whole = statistics(trace, by="args.dtype")
    part = statistics(trace, TimeRange(START_NS + 100, START_NS + 300), by="args.dtype")
    assert group_rows(trace, "bf16", by="args.dtype").tolist()
    assert looked == [len(trace.slices)]
    assert set(part.labels) <= set(whole.labels)
    statistics(trace, by="args.Recipe name")
    assert len(looked) == 2


NONES = ["", "(none)", '"(none)"', '""(none)""', '"(none)', "none", "(none) "]


@pytest.mark.parametrize("by", ["name", "cat", "parent", "process", "args.kind"])
def test_a_text_that_reads_like_no_value_is_a_group_of_its_own(by: str) -> None:
    build = TraceBuilder()
    for place, text in enumerate(NONES):
        build.process(place, text if by == "process" else "p")
        args = {"kind": text} if by == "args.kind" else None
        name, cat = (text if by in ("name", "parent") else "n"), text if by == "cat" else "c"
        build.slice(place, 1, 0, 100 + place, name, cat=cat, args=args)
        build.slice(place, 1, 10, 5, "n" if by == "parent" else name, cat=cat, args=args)
    trace = build.finish(Origin("drawing"))
    found = statistics(trace, by=by)
    assert len(set(found.labels)) == len(found.labels) == len(NONES)
    if by == "name":
        assert NameStatistics(build_name_index(trace)).statistics().labels == found.labels
    engine = FilterEngine(trace)
    for label in found.labels:
        rows = group_rows(trace, label, by=by)
        assert len(rows) >= 1
        assert np.flatnonzero(engine.mask(read_filter(filter_of(by, label)))).tolist() == rows.tolist()
    if by != "process":  # one without a name is called by its number
        assert {"(none)", '"(none)"'} <= set(found.labels)
    kinds = {"cat": "category", "args.kind": "argument"}
    if by in kinds:
        groups = ColourGroups("kind", *group_keys(trace, np.arange(len(trace.slices)), "args.kind", Progress()))
        told = meanings(trace, load_palette("dark"), kinds[by], groups)
        assert len({entry.label for entry in told}) == len(NONES)
        sizes = [int(engine.mask(read_filter(filter_of(entry.field, entry.value))).sum()) for entry in told]
        assert sizes == [2] * len(NONES)


def test_rows_without_an_engine_are_found_by_their_colour() -> None:
    trace = small_trace()
    engine = FilterEngine(trace)
    for entry in meanings(trace, load_palette("dark"), "engine"):
        assert engine.mask(read_filter(filter_of(entry.field, entry.value))).any(), entry
