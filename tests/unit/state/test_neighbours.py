"""Around a slice: row neighbours, parent, children, self time."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pytest

from hlprof_core.trace.builder import TraceBuilder
from hlprof_core.trace.model import Origin, Trace
from hlprof_core.trace.ranges import TimeRange
from hlprof_core.trace.table import I8
from hlprof_core.trace.tracks import Process, Track
from hlprof_gui.state.neighbours import (
    HAS_INNER,
    LEADS_ON,
    LED_TO,
    alike,
    children,
    find_ties,
    first_child,
    flow_ends,
    gap,
    is_gap,
    lane_of,
    longer,
    neighbour,
    parent,
    self_ns,
    those_drawn,
)
from tests.small_trace import slice_named, small_trace
from tests.synthetic import lanes_trace


def one_lane(rows: list[tuple[str, int, int]], flows: list[tuple[int, int]] = ()) -> Trace:  # type: ignore[assignment]
    """Name, start and duration of each slice of the only row."""
    names = list(dict.fromkeys(name for name, _, _ in rows))
    columns = (np.array([r[1] for r in rows]), np.array([r[2] for r in rows]), np.array([names.index(r[0]) for r in rows]))
    return lanes_trace([(0, 0, *columns)], [Track(0, 0, "thread", "row", "1", "1")], [Process(0, "1", "p")], names, flows=flows)


def test_rows_and_nesting() -> None:
    trace = small_trace()
    main, first, second, sync = (slice_named(trace, *n) for n in (("main", 0), ("launch", 0), ("launch", 1), ("sync", 0)))
    assert neighbour(trace, first, 1) == second
    assert neighbour(trace, second, -1) == first
    assert neighbour(trace, sync, 1) is None
    assert neighbour(trace, main, 1) is None, "the next row is not the same row"
    assert parent(trace, first) == main
    assert parent(trace, main) is None
    assert sorted(children(trace, main)) == [first, second, sync]
    assert first_child(trace, main) == first
    assert first_child(trace, first) is None


def test_self_time_is_what_no_child_covers() -> None:
    trace = small_trace()
    assert self_ns(trace, slice_named(trace, "main")) == 1000 - 50 - 40 - 300
    assert self_ns(trace, slice_named(trace, "fc1/forward")) == 300
    assert self_ns(trace, slice_named(trace, "sync")) == 300


def slow_nearest(trace: Trace, slice_id: int, step: int, wanted: Callable[[int], bool]) -> int | None:
    lane = lane_of(trace, slice_id)
    low, high = (int(x) for x in trace.lanes.offsets[lane : lane + 2])
    places = range(slice_id + 1, high) if step > 0 else range(slice_id - 1, low - 1, -1)
    return next((i for i in places if wanted(i)), None)


@pytest.mark.parametrize("step", [1, -1])
def test_alike_and_longer_agree_with_a_slow_search(step: int) -> None:
    rng = np.random.default_rng(5)
    rows = [(f"op{rng.integers(40)}", 100 * i, int(rng.integers(1, 90))) for i in range(1500)]
    trace = one_lane(rows)
    for slice_id in range(0, 1500, 53):
        name, length = trace.name(slice_id), int(trace.slices.dur_ns[slice_id])
        same = slow_nearest(trace, slice_id, step, lambda i, name=name: trace.name(i) == name)
        assert alike(trace, slice_id, step) == same
        more = slow_nearest(trace, slice_id, step, lambda i, length=length: int(trace.slices.dur_ns[i]) > length)
        assert longer(trace, slice_id, step) == more


def test_gaps_wide_enough_to_be_seen() -> None:
    trace = one_lane([("a", 0, 10), ("b", 10, 10), ("c", 25, 5), ("d", 100, 5)])
    assert gap(trace, 0, 10, 1, 1) == TimeRange(20, 25)
    assert gap(trace, 0, 10, 1, 6) == TimeRange(30, 100)
    assert gap(trace, 3, 100, -1, 1) == TimeRange(30, 100)
    assert gap(trace, 3, 30, -1, 1) == TimeRange(20, 25)
    assert gap(trace, 3, 105, 1, 1) is None


def test_along_arrows_the_earliest_end_comes_first() -> None:
    trace = one_lane([("a", 0, 5), ("b", 10, 5), ("c", 20, 5), ("d", 30, 5)], flows=[(0, 3), (0, 1), (1, 3), (0, 1)])
    assert flow_ends(trace, 0, 1).tolist() == [1, 3]
    assert flow_ends(trace, 3, -1).tolist() == [0, 1]
    assert flow_ends(trace, 2, 1).tolist() == []


def test_what_a_slice_leads_to_is_known_for_all_at_once() -> None:
    trace = small_trace()
    assert [bool(tie & HAS_INNER) for tie in find_ties(trace).tolist()] == [
        first_child(trace, i) is not None for i in range(len(trace.slices))
    ]
    trace = one_lane([("a", 0, 5), ("b", 10, 5), ("c", 20, 5), ("d", 30, 5)], flows=[(0, 2), (0, 1), (2, 2)])
    assert find_ties(trace).tolist() == [LEADS_ON, LED_TO, LEADS_ON | LED_TO, 0]
    for step, tie in ((1, LEADS_ON), (-1, LED_TO)):
        assert [bool(known & tie) for known in find_ties(trace).tolist()] == [len(flow_ends(trace, i, step)) > 0 for i in range(4)]


def test_a_time_that_was_chosen_elsewhere_is_no_gap_of_the_row() -> None:
    trace = one_lane([("a", 0, 10), ("b", 10, 10), ("c", 25, 5), ("d", 100, 5)])
    assert is_gap(trace, 0, TimeRange(20, 25))
    assert is_gap(trace, 3, TimeRange(30, 100))
    for start, end in ((0, 10), (20, 30), (21, 25), (25, 100), (105, 200), (-5, 0)):
        assert not is_gap(trace, 0, TimeRange(start, end))


def test_what_lies_inside_is_found_at_once_in_thousands_of_levels() -> None:
    levels, build = 5000, TraceBuilder()
    build.thread("1", "1", "deep")
    for depth in range(levels):
        build.slice("1", "1", depth, 2 * (levels - depth), "n")
    trace = build.finish(Origin("drawing"))
    start = time.perf_counter()
    for _ in range(10):
        assert children(trace, 7).tolist() == [8]
        assert self_ns(trace, 7) == 2
    assert time.perf_counter() - start < 0.5, "it took five times as long lane by lane"
    assert children(trace, levels - 1).tolist() == []


@pytest.mark.parametrize("step", [1, -1])
def test_what_a_filter_hides_is_passed_over(step: int) -> None:
    rng = np.random.default_rng(7)
    rows = [(f"op{rng.integers(9)}", 100 * i, int(rng.integers(1, 90))) for i in range(1500)]
    trace = one_lane(rows)
    seen = set(np.flatnonzero(rng.random(1500) < 0.02).tolist()) | {3, 700, 1400}
    drawn = np.array(sorted(seen), np.int64)
    for slice_id in (0, 3, 500, 700, 1400, 1499):
        name, length = trace.name(slice_id), int(trace.slices.dur_ns[slice_id])
        assert neighbour(trace, slice_id, step, drawn) == slow_nearest(trace, slice_id, step, lambda i: i in seen)
        same = slow_nearest(trace, slice_id, step, lambda i, name=name: i in seen and trace.name(i) == name)
        assert alike(trace, slice_id, step, drawn) == same
        more = slow_nearest(trace, slice_id, step, lambda i, length=length: i in seen and int(trace.slices.dur_ns[i]) > length)
        assert longer(trace, slice_id, step, drawn) == more


def test_hidden_slices_are_no_ends_of_arrows_and_neither_around_nor_inside() -> None:
    trace = small_trace()
    main, inner, sync = slice_named(trace, "main"), slice_named(trace, "launch"), slice_named(trace, "sync")
    assert first_child(trace, main, np.array([main, sync])) == sync
    assert first_child(trace, main, np.array([main])) is None
    assert parent(trace, inner, np.array([inner])) is None
    assert parent(trace, inner, np.array(sorted([main, inner]))) == main
    arrows = one_lane([("a", 0, 10), ("b", 20, 10), ("c", 40, 10)], [(0, 1), (0, 2)])
    assert flow_ends(arrows, 0, 1, np.array([0, 2])).tolist() == [2]


def test_what_a_filter_leaves_costs_nothing_by_how_much_it_leaves() -> None:
    few, many = (np.arange(0, count, 2, dtype=np.int64) for count in (2_000, 4_000_000))
    ids = np.array([0, 3, 1998, 1999], np.int64)
    assert those_drawn(ids, None).tolist() == ids.tolist()
    assert those_drawn(ids, few).tolist() == those_drawn(ids, many).tolist() == [0, 1998]
    assert those_drawn(ids, few[:0]).tolist() == []

    def cost(drawn: I8) -> float:
        begun = time.thread_time()
        for _ in range(20):
            those_drawn(ids, drawn)
        return time.thread_time() - begun

    assert min(cost(many) for _ in range(3)) < 20 * min(cost(few) for _ in range(3))
