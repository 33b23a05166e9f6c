"""Arrows of a view against an obvious reading: one after the other, put into a dictionary by where they begin and end."""

from __future__ import annotations

from collections import Counter
from unittest.mock import patch

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hlprof_core.levels import flow_levels
from hlprof_core.levels.flow_levels import FlowLevels, arrows_of, build_flow_levels
from hlprof_core.trace.model import Trace
from hlprof_core.trace.ranges import TimeRange
from hlprof_gui.state.arrangement import Arrangement
from hlprof_gui.timeline import bundles as module
from hlprof_gui.timeline.bundles import ABOVE, BELOW, Bundles, Cells, Stretch, bundle_flows, bundle_view, flows_of, members, place_rows
from hlprof_gui.timeline.layout import Layout, RowKind, build_layout
from tests.flow_traces import rows_trace

Key = tuple[int, int, int, int]
ROWS = st.lists(st.lists(st.tuples(st.integers(0, 900), st.integers(0, 400), st.integers(0, 3)), max_size=12), min_size=1, max_size=7)
FLOWS = st.lists(st.tuples(st.integers(0, 999), st.integers(0, 999)), max_size=60)
WINDOWS = st.tuples(st.integers(-300, 6000), st.integers(10, 9000))


def ends(trace: Trace, flow: int) -> tuple[int, int, int, int]:
    """Lane and time where an arrow leaves, lane and time where it arrives."""
    source, target = int(trace.flows.from_slice[flow]), int(trace.flows.to_slice[flow])
    start, arrive = int(trace.slices.start_ns[source]), int(trace.slices.start_ns[target])
    leave = min(max(arrive, start), start + int(trace.slices.dur_ns[source]))
    lanes = [int(np.searchsorted(trace.lanes.offsets, i, side="right")) - 1 for i in (source, target)]
    return lanes[0], leave, lanes[1], arrive


def row_of(trace: Trace, layout: Layout, lane: int) -> int:
    for row in range(len(layout)):
        if layout.kind[row] == RowKind.LANE and layout.source[row] == lane:
            return row
    process = trace.tracks[int(trace.lanes.track[lane])].process
    return int(layout.group_row[process]) if layout.collapsed[process] else -1


def by_hand(trace: Trace, layout: Layout, top: int, height: int, window: TimeRange, cells: Cells) -> tuple[Counter[Key], int]:
    """How many arrows each bundle has, and how many lead to hidden rows."""
    seen = set(layout.visible(top, height).tolist())
    low, high = window.start_ns >> cells.fine, window.end_ns >> cells.fine
    found: Counter[Key] = Counter()
    hidden = 0
    for flow in range(len(trace.flows)):
        a, leave, b, arrive = ends(trace, flow)
        rows = [row_of(trace, layout, lane) for lane in (a, b)]
        at = [time >> cells.fine for time in (leave, arrive)]
        if not any(row in seen and low <= cell <= high for row, cell in zip(rows, at, strict=True)):
            continue
        if -1 in rows:
            hidden += 1
            continue
        if cells.is_rough:
            middle = [float(layout.y[r] + layout.height[r] / 2) - (top if r >= layout.pinned_rows else 0) for r in rows]
            rows = [r if r in seen else ABOVE if m < height / 2 else BELOW for r, m in zip(rows, middle, strict=True)]
        at = [min(max(cell, low - 1), high + 1) >> cells.shift - cells.fine for cell in at]
        found[rows[0], at[0], rows[1], at[1]] += 1
    return found, hidden


def told(bundles: Bundles) -> Counter[Key]:
    return Counter({tuple(key): count for key, count in zip(bundles.keys.tolist(), bundles.count.tolist(), strict=True)})


def levels_of(trace: Trace) -> FlowLevels:
    """Levels for however few arrows."""
    with patch.object(flow_levels, "FEW", 2):
        return build_flow_levels(trace)


@settings(max_examples=100, deadline=None)
@given(
    ROWS, FLOWS, WINDOWS, st.integers(5, 500), st.integers(0, 120), st.integers(20, 300), st.sets(st.integers(0, 3)),
    st.sets(st.integers(0, 6)), st.sampled_from([3, 20, 4096]), st.sampled_from([2, 10, 96]),
)  # fmt: skip
def test_a_view_shows_each_arrow_in_one_bundle(
    rows: list[list[tuple[int, int, int]]],
    flows: list[tuple[int, int]],
    window: tuple[int, int],
    width: int,
    top: int,
    height: int,
    folded: set[int],
    hidden: set[int],
    candidates: int,
    most: int,
) -> None:
    trace = rows_trace(rows, flows)
    layout = build_layout(trace, frozenset(folded), Arrangement(hidden=frozenset(hidden)))
    span = TimeRange(window[0], sum(window))
    levels = levels_of(trace)
    placed, stretch = place_rows(trace, layout, top, height), Stretch(span, width)
    with patch.object(module, "CANDIDATES", candidates), patch.object(module, "MOST", most):
        bundles = bundle_view(levels, placed, stretch)
    wanted, to_hidden = by_hand(trace, layout, top, height, span, bundles.cells)
    assert bundles.hidden == to_hidden
    assert bundles.arrows + bundles.undrawn == sum(wanted.values())
    if not bundles.undrawn:
        assert told(bundles) == wanted
    else:
        assert told(bundles) <= wanted
        assert len(bundles) == most
    assert bundles.elsewhere >= 0
    for place in range(len(bundles)):
        chosen = flows_of(bundles, place, levels, placed, stretch)
        keys = Counter(tuple(key) for key in np.stack(bundles.cells.of_arrows(arrows_of(trace, chosen), placed, span), axis=1).tolist())
        assert keys == {tuple(bundles.keys[place].tolist()): int(bundles.count[place])}


@settings(max_examples=60, deadline=None)
@given(ROWS, FLOWS, WINDOWS, st.integers(5, 500), st.sets(st.integers(0, 59), max_size=40), st.sampled_from([2, 96]))
def test_chosen_arrows_are_all_there(
    rows: list[list[tuple[int, int, int]]], flows: list[tuple[int, int]], window: tuple[int, int], width: int, chosen: set[int], most: int
) -> None:
    trace = rows_trace(rows, flows)
    ids = np.array(sorted(i for i in chosen if i < len(trace.flows)), np.int64)
    placed = place_rows(trace, build_layout(trace), 0, 200)
    stretch = Stretch(TimeRange(window[0], sum(window)), width)
    with patch.object(module, "MOST", most):
        bundles = bundle_flows(trace, ids, placed, stretch)
    assert bundles.arrows + bundles.undrawn == len(ids)
    parts = [set(ids[members(bundles, place, arrows_of(trace, ids), placed, stretch)].tolist()) for place in range(len(bundles))]
    assert [len(part) for part in parts] == bundles.count.tolist()
    assert len(set().union(*parts)) == bundles.arrows


@settings(max_examples=60, deadline=None)
@given(ROWS, FLOWS)
def test_levels_hold_each_arrow_once(rows: list[list[tuple[int, int, int]]], flows: list[tuple[int, int]]) -> None:
    trace = rows_trace(rows, flows)
    levels = levels_of(trace)
    for level in levels.levels[1:]:
        assert level.bundles is not None
        assert int(level.bundles.count.sum()) == len(trace.flows)
        for times, ordered in ((level.bundles.from_ns, level.out_key), (level.bundles.to_ns, level.in_key)):
            assert (np.diff(ordered) >= 0).all()
            assert len(times) == len(ordered)
    for slice_id in range(len(trace.slices)):
        wanted = np.flatnonzero((trace.flows.from_slice == slice_id) | (trace.flows.to_slice == slice_id))
        assert sorted(levels.of_slice(slice_id).tolist()) == wanted.tolist()
    times = [sorted((leave, arrive)) for _, leave, _, arrive in (ends(trace, flow) for flow in range(len(trace.flows)))]
    for start, end in ((0, 500), (700, 700), (-50, 9000)):
        assert levels.count_during(start, end) == sum(a <= end and b >= start for a, b in times)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(*[st.integers(0, 3)] * 4), max_size=40), st.booleans())
def test_groups_are_neighbours(rows: list[tuple[int, int, int, int]], is_far: bool) -> None:
    scale = 1 << 40 if is_far else 1
    keys = tuple(np.array([row[k] * (scale if k else 1) for row in rows], np.int64) for k in range(4))
    order, first = flow_levels.group_rows(keys)
    sizes = Counter(np.diff(np.append(first, len(rows))).tolist())
    assert sizes == Counter(Counter(rows).values())
    groups = np.split(order, first[1:]) if len(rows) else []
    assert all(len({rows[i] for i in group.tolist()}) == 1 for group in groups)
