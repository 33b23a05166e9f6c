"""Where a measure snaps to: borders of slices and moments on the row under the pointer, flags and notes on any row. Knows no Qt."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator

import numpy as np

from hlprof_core.trace.model import Trace
from hlprof_gui.state.neighbours import Drawn
from hlprof_gui.state.view_state import Edge, Item, Mark
from hlprof_gui.timeline.layout import Layout, RowKind


def nearest_edge(
    trace: Trace, layout: Layout, row: int, time_ns: int, reach_ns: float, drawn: Drawn = None, marks: Iterable[Mark] = ()
) -> Edge | None:
    """The nearest point within ``reach_ns`` of a time; what is on the row comes before flags at the same distance."""
    source = int(layout.source[row])
    points: list[Edge] = []
    if layout.kind[row] == RowKind.LANE:
        points += _borders(trace, source, time_ns, drawn)
    elif layout.kind[row] == RowKind.INSTANTS:
        points += _moments(trace, source, time_ns)
    for mark in marks:
        points += [Edge(end) for end in {mark.range.start_ns, mark.range.end_ns}]
    best = min(points, key=lambda point: abs(point.time_ns - time_ns), default=None)
    return best if best is not None and abs(best.time_ns - time_ns) <= reach_ns else None


def _borders(trace: Trace, lane: int, time_ns: int, drawn: Drawn) -> Iterator[Edge]:
    """Borders of the slices around a time: those of a lane do not overlap."""
    lane_ends = trace.lanes.offsets[lane : lane + 2]
    first, last = (lane_ends if drawn is None else np.searchsorted(drawn, lane_ends)).tolist()

    def id_of(place: int) -> int:
        return place if drawn is None else int(drawn[place])

    near = bisect_left(range(first, last), time_ns, key=lambda place: int(trace.slices.start_ns[id_of(place)])) + first
    for i in map(id_of, range(max(first, near - 2), min(last, near + 2))):
        start = int(trace.slices.start_ns[i])
        yield from (Edge(edge, Item("slice", i)) for edge in (start, start + int(trace.slices.dur_ns[i])))


def _moments(trace: Trace, track: int, time_ns: int) -> Iterator[Edge]:
    """The instants of a track before and after a time."""
    column = trace.instants.track
    first, last = (int(v) for v in np.searchsorted(column, np.array([track, track + 1], column.dtype)))
    times = trace.instants.time_ns[first:last]
    near = first + int(np.searchsorted(times, time_ns))
    for i in range(max(first, near - 1), min(last, near + 1)):
        yield Edge(int(trace.instants.time_ns[i]), Item("instant", i))
