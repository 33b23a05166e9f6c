"""Rows of the timeline: order, heights, folding, and a hundred thousand tracks."""

from __future__ import annotations

import time

import numpy as np

from hlprof_core.levels.pyramid import build_levels
from hlprof_core.trace.model import Trace
from hlprof_core.trace.ranges import TimeRange
from hlprof_core.trace.tracks import Process, Series, Track
from hlprof_gui.theme.palette import load_palette
from hlprof_gui.timeline.frame import FrameMaker, View
from hlprof_gui.timeline.layout import HEIGHTS, LEGEND, TRACK_GAP, RowKind, build_layout
from tests.small_trace import small_trace
from tests.synthetic import lanes_trace


def described(trace: Trace, collapsed: frozenset[int] = frozenset()) -> list[str]:
    layout = build_layout(trace, collapsed)
    words = []
    for row in range(len(layout)):
        kind, source = RowKind(int(layout.kind[row])), int(layout.source[row])
        if kind == RowKind.GROUP:
            words.append(trace.processes[source].name)
        elif kind == RowKind.LANE:
            words.append(f"  {trace.tracks[int(trace.lanes.track[source])].name}/{int(trace.lanes.depth[source])}")
        elif kind == RowKind.INSTANTS:
            words.append(f"  {trace.tracks[source].name} instants")
        else:
            words.append(f"  {'+'.join(s.series for s in trace.series if s.track == source)}")
    return words


def test_rows_follow_the_trace() -> None:
    assert described(small_trace()) == [
        "MME",
        "  MME 0/0",
        "  MME 0/1",
        "TPC",
        "  TPC 0/0",
        "Host",
        "  MainThread instants",
        "  MainThread/0",
        "  MainThread/1",
        "  used",
    ]


def test_a_folded_process_keeps_its_header() -> None:
    trace = small_trace()
    assert described(trace, frozenset({0, 2, 77})) == ["MME", "TPC", "  TPC 0/0", "Host"]
    layout = build_layout(trace, frozenset({0}))
    assert layout.collapsed[:3].tolist() == [True, False, False]
    assert layout.track_extent(0) is None
    assert layout.lane_row(trace, 0, 0) is None


def test_rows_do_not_overlap_and_are_found_by_height() -> None:
    layout = build_layout(small_trace())
    bottoms = layout.y + layout.height
    assert (layout.y[1:] >= bottoms[:-1]).all()
    assert layout.total_height == bottoms[-1] + TRACK_GAP
    for row in range(len(layout)):
        assert layout.row_at(float(layout.y[row])) == row
        assert layout.row_at(float(bottoms[row]) - 0.5) == row
    assert layout.row_at(layout.total_height + 5) is None
    assert list(layout.visible(0, 1)) == [0]
    assert list(layout.visible(float(layout.y[3]), float(layout.y[5] - layout.y[3]))) == [3, 4]


def test_a_lane_is_found_below_the_instants_of_its_track() -> None:
    trace = small_trace()
    layout = build_layout(trace)
    host = next(t.id for t in trace.tracks if t.name == "MainThread")
    row = layout.lane_row(trace, host, 1)
    assert row is not None
    assert described(trace)[row] == "  MainThread/1"


def test_tracks_without_events_take_no_room_and_instants_alone_a_whole_row() -> None:
    tracks = [Track(i, 0, "thread", f"t{i}", "1", str(i)) for i in range(3)]
    trace = lanes_trace([], tracks, [Process(0, "1", "p"), Process(1, "2", "empty")], ["x"], instants=[(1, 50, 1), (1, 60, 1)])
    layout = build_layout(trace)
    assert layout.kind.tolist() == [RowKind.GROUP, RowKind.INSTANTS]
    assert int(layout.height[1]) == HEIGHTS[RowKind.LANE]
    assert layout.group_row[:2].tolist() == [0, -1]


def test_counters_with_several_series_in_any_order() -> None:
    tracks = [Track(0, 0, "counter", "a", "1", "a"), Track(1, 0, "counter", "b", "1", "b")]
    times = np.array([1, 2], np.int64)
    series = [Series(0, 1, "b", "x"), Series(1, 0, "a", "y"), Series(2, 1, "b", "z")]
    trace = lanes_trace([], tracks, [Process(0, "1", "p")], ["x"], counters=[(s, times, np.array([1.0, 2.0])) for s in series])
    assert described(trace) == ["p", "  y", "  x+z"]
    layout = build_layout(trace)
    assert layout.height.tolist() == [HEIGHTS[RowKind.GROUP], HEIGHTS[RowKind.COUNTER], HEIGHTS[RowKind.COUNTER] + LEGEND[2]]
    assert layout.rows_of(1, RowKind.COUNTER) == [2]
    assert layout.rows_of(1, RowKind.LANE) == []


def test_an_empty_trace_has_no_rows() -> None:
    layout = build_layout(lanes_trace([], [], [], []))
    assert len(layout) == 0
    assert layout.total_height == 0
    assert layout.row_at(0) is None


def test_a_hundred_thousand_tracks_are_laid_out_at_once() -> None:
    n = 100_000
    tracks = [Track(i, i // 1000, "thread", f"t{i}", str(i // 1000), str(i)) for i in range(n)]
    start, dur, name = np.array([i % 977 for i in range(n)], np.int64), np.full(n, 10, np.int64), np.ones(n, np.int64)
    lanes = [(i, 0, start[i : i + 1], dur[i : i + 1], name[i : i + 1]) for i in range(n)]
    trace = lanes_trace(lanes, tracks, [Process(i, str(i), f"p{i}") for i in range(100)], ["x"])
    begin = time.thread_time()
    layout = build_layout(trace)
    assert time.thread_time() - begin < 2.0
    assert len(layout) == n + 100
    assert len(layout.visible(1_000_000, 800)) < 60


def test_folding_everything_in_a_trace_of_very_many_rows_is_quick() -> None:
    """What a summary row averages is found for all groups in one pass."""
    n, processes = 100_000, 200
    tracks = [Track(i, i // (n // processes), "thread", f"t{i}", str(i), str(i)) for i in range(n)]
    one = np.ones(1, np.int64)
    lanes = [(i, 0, one * i, one * 5, one) for i in range(n)]
    trace = lanes_trace(lanes, tracks, [Process(i, str(i), f"p{i}") for i in range(processes)], ["x"])
    maker = FrameMaker(build_levels(trace), load_palette("dark"))
    layout = build_layout(trace, frozenset(range(processes)))
    view = View(TimeRange(0, n), 0.0, 1200, 800)
    maker.make(view, build_layout(trace))
    begin = time.thread_time()
    maker.make(view, layout)
    assert time.thread_time() - begin < 0.1, "not once for each process"
    assert build_layout(trace).groups.outermost_of(3).tolist() == list(range(3 * n // processes, 4 * n // processes))


def test_rows_of_a_track_with_thousands_of_levels_are_found_at_once() -> None:
    levels = 5000
    lanes = [(0, depth, np.array([depth]), np.array([2 * levels - depth]), np.array([0])) for depth in range(levels)]
    other = (1, 0, np.array([0]), np.array([5]), np.array([0]))
    tracks = [Track(0, 0, "thread", "deep", "1", "1"), Track(1, 0, "thread", "flat", "1", "2")]
    trace = lanes_trace([*lanes, other], tracks, [Process(0, "1", "p")], ["n"], instants=[(0, 3, 0), (1, 3, 0)])
    layout = build_layout(trace)
    deep, flat = layout.track_first[:2].tolist()
    assert layout.lane_row(trace, 0, levels - 1) == deep + levels
    assert layout.lane_row(trace, 1, 0) == flat + 1
    assert layout.lane_row(trace, 1, 1) is None
    assert layout.rows_of(0, RowKind.LANE) == list(range(deep + 1, deep + 1 + levels))
    assert layout.rows_of(1, RowKind.INSTANTS) == [flat]
    assert layout.track_extent(0) == (int(layout.y[deep]), int(layout.y[flat]) - TRACK_GAP)
    assert layout.track_extent(1) == (int(layout.y[flat]), layout.total_height - TRACK_GAP)
    start = time.perf_counter()
    for _ in range(1000):
        layout.lane_row(trace, 0, levels - 1)
        layout.track_extent(0)
    assert time.perf_counter() - start < 1.0, "it took ten times as long row by row"
