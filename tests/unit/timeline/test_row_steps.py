"""From row to row: the nearest slice in sight, rows without one are passed over."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from hlprof_core.trace.ranges import TimeRange
from hlprof_gui.timeline.layout import RowKind, build_layout
from hlprof_gui.timeline.row_steps import nearest_in_lane, slice_beside
from tests.small_trace import START_NS, slice_named, small_trace
from tests.synthetic import busy_trace

TRACE = small_trace()
LAYOUT = build_layout(TRACE)
MANY_ROWS = busy_trace(2000, rows=300, names=20, depth=1)
MANY_ROWS_LAYOUT = build_layout(MANY_ROWS)
ALL = TimeRange(START_NS - 50, START_NS + 1050)


def row_of(name: str, nth: int = 0) -> int:
    s, i = TRACE.slices, slice_named(TRACE, name, nth)
    row = LAYOUT.lane_row(TRACE, int(s.track[i]), int(s.depth[i]))
    assert row is not None
    return row


def test_the_nearest_in_time_counts() -> None:
    tpc = int(LAYOUT.source[row_of("relu")])
    first, second = slice_named(TRACE, "relu", 0), slice_named(TRACE, "relu", 1)
    assert nearest_in_lane(TRACE, tpc, START_NS, ALL) == first
    assert nearest_in_lane(TRACE, tpc, START_NS + 290, ALL) == second
    assert nearest_in_lane(TRACE, tpc, START_NS + 260, ALL) == first
    assert nearest_in_lane(TRACE, tpc, START_NS + 900, ALL) == second
    assert nearest_in_lane(TRACE, tpc, START_NS + 200, TimeRange(START_NS + 255, START_NS + 295)) is None


def test_rows_without_a_slice_in_sight_are_passed_over() -> None:
    late = TimeRange(START_NS + 850, START_NS + 990)
    start = row_of("fc1/forward")
    assert slice_beside(TRACE, LAYOUT, start, 1, START_NS + 860, late) == slice_named(TRACE, "main")
    assert slice_beside(TRACE, LAYOUT, row_of("main"), -1, START_NS + 860, late) is None
    assert slice_beside(TRACE, LAYOUT, 0, 0, START_NS + 50, ALL) == slice_named(TRACE, "fc1/forward")
    assert LAYOUT.kind[0] == RowKind.GROUP


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_any_number_of_rows_is_passed_over_like_one_after_the_other(data: st.DataObject) -> None:
    trace, layout = MANY_ROWS, MANY_ROWS_LAYOUT
    row, step = data.draw(st.integers(0, len(layout) - 1)), data.draw(st.sampled_from([-1, 0, 1]))
    span = trace.span
    start = data.draw(st.integers(span.start_ns, span.end_ns))
    window = TimeRange(start, start + data.draw(st.integers(1, 40_000)))
    at = data.draw(st.integers(window.start_ns, window.end_ns))
    place, expected = row + step, None
    while 0 <= place < len(layout) and expected is None:
        if layout.kind[place] == RowKind.LANE:
            expected = nearest_in_lane(trace, int(layout.source[place]), at, window)
        place += step or 1
    assert slice_beside(trace, layout, row, step, at, window) == expected
