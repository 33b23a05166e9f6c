"""Statistics as the window asks for them (time, rows, filter, grouping, brush), against plain Python over single slices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hlprof_core.analysis.filter import fields, language
from hlprof_core.analysis.statistics import GROUPINGS
from hlprof_core.levels.name_index import build_name_index
from hlprof_core.levels.pyramid import build_levels
from hlprof_core.trace.model import Trace
from hlprof_core.trace.ranges import TimeRange
from hlprof_gui.state.view_state import ViewState
from hlprof_gui.viewmodels import statistics as module
from hlprof_gui.viewmodels.search import SearchViewModel
from hlprof_gui.viewmodels.statistics import StatisticsViewModel
from tests.property.filter_twin import passes
from tests.property.test_filter import traces
from tests.property.test_statistics import label, plain, table

WAYS = {"at once": {}, "by a job": {"QUICK": -1}, "from the index": {"QUICK": -1, "LARGE": 0}}


@pytest.mark.parametrize("way", WAYS)
@given(trace=traces(), data=st.data())
@settings(max_examples=40, deadline=None)
def test_what_the_window_counts(way: str, trace: Trace, data: st.DataObject) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in WAYS[way].items():
            patch.setattr(module, name, value)
        check(trace, data)


def check(trace: Trace, data: st.DataObject) -> None:
    state = ViewState()
    search = SearchViewModel(state)
    found = StatisticsViewModel(state, search)
    state.open(trace, build_levels(trace))
    search.set_index(build_name_index(trace))
    s, window, tracks = trace.slices, None, None
    if data.draw(st.booleans(), "time is chosen"):
        begin = data.draw(st.integers(990, 1120), "begin")
        window = TimeRange(begin, begin + data.draw(st.integers(1, 80), "length"))
        if data.draw(st.booleans(), "rows are chosen"):
            tracks = tuple(sorted(data.draw(st.sets(st.sampled_from(range(len(trace.tracks)))), "rows")))
        state.set_range(window, tracks)
    words = data.draw(st.sampled_from(("", "mm", "name=relu", "dur>5 -gemm", "args:bf16", "nothing at all")), "filter")
    search.set_words(words)
    found.set_follows_filter(data.draw(st.booleans(), "follows"))
    by = data.draw(st.sampled_from((*GROUPINGS, "args.dtype")), "by")
    found.set_by(by)
    for _ in range(2):  # the second time an index may be there
        found._asked = None
        found.refresh()
        chosen = list(range(len(s)))
        if found.follows_filter and words:
            tree = language.parse(words, fields.names())
            chosen = [i for i in chosen if passes(trace, tree, i)]
        if tracks is not None:
            chosen = [i for i in chosen if int(s.track[i]) in tracks]
        expected: dict[str, Any] = plain(trace, window, chosen, by)
        if by == "args.dtype" and any("Dtype" in trace.args(i) for i in chosen):
            return
        assert found.problem == ""
        assert found.result is not None
        assert table(found.result) == expected
        for place, name in enumerate(found.result.labels):
            assert found.result.mean_ns[place] == pytest.approx(expected[name][1] / expected[name][0])
    if expected:
        look_closer(trace, data, state, found, expected, chosen, by, window)


def look_closer(
    trace: Trace, data: st.DataObject, state: ViewState, found: StatisticsViewModel, expected: Any, chosen: list[int], by: str, window: Any
) -> None:
    name = data.draw(st.sampled_from(sorted(expected)), "group")
    found.look_at(name)
    assert found.spread is not None
    assert int(found.spread.counts.sum()) == expected[name][0]
    low = data.draw(st.integers(0, 40), "low")
    high = data.draw(st.integers(low, 45), "high")
    found.brush((low, high))
    s = trace.slices
    ends = s.start_ns + s.dur_ns
    inside = [
        i for i in chosen
        if window is None or (s.start_ns[i] < window.end_ns and (ends[i] > window.start_ns or s.start_ns[i] >= window.start_ns))
    ]  # fmt: skip
    slow = [i for i in inside if label(trace, i, by) == name and low <= int(s.dur_ns[i]) <= high]
    assert state.highlight is not None
    assert np.sort(state.highlight).tolist() == slow
