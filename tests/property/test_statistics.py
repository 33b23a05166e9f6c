"""Statistics of any window, mask and grouping are those of the plain lists of durations; both ways of names agree."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hlprof_core.analysis.name_statistics import NameStatistics
from hlprof_core.analysis.self_time import self_ns
from hlprof_core.analysis.statistics import GROUPINGS, Statistics, statistics
from hlprof_core.levels.name_index import build_name_index
from hlprof_core.levels.range_quantiles import build_range_quantiles
from hlprof_core.levels.window import touched
from hlprof_core.trace.model import Trace
from hlprof_core.trace.ranges import TimeRange
from tests.property.test_filter import traces

WINDOWS = st.one_of(st.none(), st.tuples(st.integers(990, 1120), st.integers(1, 80)).map(lambda w: TimeRange(w[0], w[0] + w[1])))


def plain(trace: Trace, window: TimeRange | None, chosen: list[int], by: str) -> dict[str, list[int]]:
    s, own = trace.slices, self_ns(trace)
    groups: dict[str, list[int]] = defaultdict(list)
    for i in chosen:
        start, end = int(s.start_ns[i]), int(s.start_ns[i] + s.dur_ns[i])
        is_inside = window is None or (start < window.end_ns and (end > window.start_ns or start >= window.start_ns))
        if is_inside:
            groups[label(trace, i, by)].append(i)
    rows = {}
    for name, ids in groups.items():
        durations = sorted(int(s.dur_ns[i]) for i in ids)
        clipped = 0
        for i in ids:
            start, end = int(s.start_ns[i]), int(s.start_ns[i] + s.dur_ns[i])
            clipped += end - start if window is None else max(0, min(end, window.end_ns) - max(start, window.start_ns))
        n = len(ids)
        rows[name] = [n, sum(durations), clipped, sum(int(own[i]) for i in ids), durations[(n - 1) // 2],
                      durations[(n - 1) * 95 // 100], durations[0], durations[-1]]  # fmt: skip
    return rows


def label(trace: Trace, i: int, by: str) -> str:
    s = trace.slices
    track = trace.tracks[int(s.track[i])]
    process, thread = trace.processes[track.process].name, track.name or f"Thread {track.tid}"
    parent = int(s.parent[i])
    if by == "args.dtype":
        value = trace.args(i).get("dtype")
        return text(value) or "(none)"
    return {
        "name": trace.name(i) or "(none)", "cat": trace.strings[int(s.cat[i])] or "(none)", "process": process, "thread": thread,
        "track": f"{process} · {thread}", "engine": track.engine or "none", "rank": str(track.rank), "depth": str(int(s.depth[i])),
        "parent": (trace.name(parent) if parent >= 0 else "") or "(none)",
    }[by]  # fmt: skip


def text(value: object) -> str:
    from hlprof_core.analysis.filter.condition import text_of

    return text_of(value)


def table(found: Statistics) -> dict[str, list[int]]:
    columns = found.count, found.total_ns, found.clipped_ns, found.self_ns, found.median_ns, found.p95_ns, found.min_ns, found.max_ns
    return dict(zip(found.labels, np.stack(columns, axis=1).tolist(), strict=True)) if len(found) else {}


@given(traces(), WINDOWS, st.sampled_from((*GROUPINGS, "args.dtype")), st.data())
@settings(max_examples=100, deadline=None)
def test_any_window_mask_and_grouping(trace: Trace, window: TimeRange | None, by: str, data: st.DataObject) -> None:
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(trace.slices), max_size=len(trace.slices))), np.bool_)
    chosen = np.flatnonzero(mask).tolist()
    if by == "args.dtype":
        chosen = [i for i in chosen if "Dtype" not in trace.args(i)]
        mask = np.isin(np.arange(len(trace.slices)), chosen)
    found = statistics(trace, window, mask=mask, by=by)
    assert table(found) == plain(trace, window, chosen, by)
    assert (np.diff(found.total_ns) <= 0).all()


@given(traces(), WINDOWS, st.data())
@settings(max_examples=100, deadline=None)
def test_names_at_once(trace: Trace, window: TimeRange | None, data: st.DataObject) -> None:
    index = build_name_index(trace)
    fast = NameStatistics(index)
    found = fast.statistics(window)
    assert table(found) == table(statistics(trace, window))
    assert found.labels == statistics(trace, window).labels
    wanted = np.array(data.draw(st.lists(st.booleans(), min_size=len(index.names), max_size=len(index.names))), np.bool_)
    mask = np.isin(trace.slices.name, index.names[wanted])
    assert table(fast.statistics(window, wanted)) == table(statistics(trace, window, mask=mask))


@given(st.lists(st.integers(0, 40), min_size=1, max_size=200), st.data())
@settings(max_examples=100, deadline=None)
def test_the_kth_of_any_stretch(values: list[int], data: st.DataObject) -> None:
    column = np.array(values, np.int64)
    quantiles = build_range_quantiles(column)
    first = data.draw(st.integers(0, len(values)))
    stop = data.draw(st.integers(first, len(values)))
    extra = data.draw(st.lists(st.sampled_from(values), max_size=3))
    both = sorted(values[first:stop] + extra)
    if both:
        k = np.arange(len(both))
        owner = np.repeat(k, len(extra))
        found = quantiles.kth(np.full(len(k), first), np.full(len(k), stop), k, owner, np.tile(np.array(extra, np.int64), len(k)))
        assert found.tolist() == both


@given(traces(), WINDOWS)
@settings(max_examples=60, deadline=None)
def test_touched_slices(trace: Trace, window: TimeRange | None) -> None:
    window = window or TimeRange(1000, 1001)
    s = trace.slices
    end = s.start_ns + s.dur_ns
    inside = (s.start_ns < window.end_ns) & ((end > window.start_ns) | (s.start_ns >= window.start_ns))
    near = touched(trace, window)
    assert near.rows().tolist() == np.flatnonzero(inside).tolist()
    assert near.count == int(inside.sum())
