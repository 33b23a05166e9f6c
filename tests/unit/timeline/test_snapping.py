"""Where measures snap to: borders, moments, flags, and only what is near and drawn."""

from __future__ import annotations

import numpy as np

from hlprof_gui.state.view_state import Edge, Item, Mark
from hlprof_gui.timeline.layout import RowKind, build_layout
from hlprof_gui.timeline.snapping import nearest_edge
from tests.small_trace import START_NS, slice_named, small_trace
from tests.synthetic import busy_trace

TRACE = small_trace()
LAYOUT = build_layout(TRACE)
SYNC = slice_named(TRACE, "sync")


def row_of(slice_id: int) -> int:
    row = LAYOUT.lane_row(TRACE, int(TRACE.slices.track[slice_id]), int(TRACE.slices.depth[slice_id]))
    assert row is not None
    return row


def snap(row: int, after_ns: int, reach: float = 20, hidden: frozenset[int] = frozenset(), marks: tuple[Mark, ...] = ()) -> Edge | None:
    drawn = np.array([i for i in range(len(TRACE.slices)) if i not in hidden]) if hidden else None
    return nearest_edge(TRACE, LAYOUT, row, START_NS + after_ns, reach, drawn, marks)


def test_the_nearer_border_of_a_slice() -> None:
    row = row_of(SYNC)
    assert snap(row, 610) == Edge(START_NS + 600, Item("slice", SYNC))
    assert snap(row, 885) == Edge(START_NS + 900, Item("slice", SYNC))
    assert snap(row, 750) is None, "too far"
    assert snap(row, 610, hidden=frozenset({SYNC})) is None, "what is not drawn does not attract"


def test_a_moment_on_its_row() -> None:
    row = LAYOUT.kind.tolist().index(RowKind.INSTANTS)
    assert snap(row, 940) == Edge(START_NS + 950, Item("instant", 0))
    assert snap(row, 500) is None


def test_flags_and_both_ends_of_notes_on_any_row() -> None:
    marks = (Mark(START_NS + 700), Mark(START_NS + 300, "slow", 120))
    row = row_of(SYNC)
    assert snap(row, 705, marks=marks) == Edge(START_NS + 700)
    assert snap(row, 415, marks=marks) == Edge(START_NS + 420)
    assert snap(row, 601, marks=(Mark(START_NS + 602),)) == Edge(START_NS + 600, Item("slice", SYNC)), "what is on the row comes first"
    group = int(LAYOUT.heads[0])
    assert snap(group, 705, marks=marks) == Edge(START_NS + 700)


def test_among_many_hidden_slices_the_nearest_that_is_drawn_attracts() -> None:
    trace = busy_trace(400, rows=1, names=5, depth=1)
    layout = build_layout(trace)
    (lane_row,) = np.flatnonzero(layout.kind == RowKind.LANE)
    start = int(trace.slices.start_ns[200])
    drawn = np.array([100, 200, 300])
    found = nearest_edge(trace, layout, int(lane_row), int(trace.slices.start_ns[190]), 1e9, drawn)
    assert found is not None
    assert found.item == Item("slice", 200)
    assert found.time_ns == start
