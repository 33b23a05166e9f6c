"""From one row to the next by keyboard: the slice in sight on the row above or below that is nearest in time. Knows no Qt."""

from __future__ import annotations

import numpy as np

from hlprof_core.levels.pyramid import Level
from hlprof_core.levels.window import first_not
from hlprof_core.trace.model import Trace
from hlprof_core.trace.ranges import TimeRange
from hlprof_core.trace.table import I8
from hlprof_gui.timeline.found import Found
from hlprof_gui.timeline.layout import Layout, RowKind

FEW = 64
"""So many rows are looked at first, then always more."""


def nearest_in_lane(trace: Trace, lane: int, at_ns: int, window: TimeRange, found: Found | None = None) -> int | None:
    """The slice of a lane nearest to a time, None when no slice of it is in the window."""
    table = _rows(trace, found)
    first, last = (int(v) for v in table.offsets[lane : lane + 2])
    starts = table.start_ns[first:last]
    place = int(np.searchsorted(starts, at_ns, side="right"))
    best: tuple[int, int] | None = None
    for i in range(max(first + place - 1, first), min(first + place + 1, last)):
        start = int(table.start_ns[i])
        end = start + int(table.length_ns[i])
        if start < window.end_ns and max(end, start + 1) > window.start_ns:
            distance = max(start - at_ns, at_ns - end, 0)
            best = min(best or (distance, i), (distance, i))
    if best is None:
        return None
    return best[1] if found is None else int(found.ids[best[1]])


def _rows(trace: Trace, found: Found | None) -> Level:
    """All slices, or those that are found."""
    slices = trace.slices
    return found.pyramid.levels[0] if found is not None else Level(-1, trace.lanes.offsets, slices.start_ns, slices.dur_ns)


def slice_beside(
    trace: Trace, layout: Layout, row: int, step: int, at_ns: int, window: TimeRange, found: Found | None = None
) -> int | None:
    """The slice nearest to a time on the next row below (1) or above (-1) a row that has one in the window.

    ``step`` 0: on that row or the first one below it. ``found``: only those slices are there.
    """
    rows = np.arange(row + step, len(layout)) if step >= 0 else np.arange(row + step, -1, -1)
    lanes = layout.source[rows[layout.kind[rows] == RowKind.LANE]].astype(np.int64)
    first, many = 0, FEW
    while first < len(lanes):
        part = lanes[first : first + many]
        seen = np.flatnonzero(_has_nearest(_rows(trace, found), part, at_ns, window))
        if len(seen):
            return nearest_in_lane(trace, int(part[seen[0]]), at_ns, window, found)
        first, many = first + many, 4 * many
    return None


def _has_nearest(table: Level, lanes: I8, at_ns: int, window: TimeRange) -> np.ndarray:
    """For each lane whether ``nearest_in_lane`` finds something: a hundred thousand rows may have to be passed over."""
    low, high = table.offsets[lanes], table.offsets[lanes + 1]
    place = first_not(low, high, lambda rows: table.start_ns[rows] <= at_ns)
    found = np.zeros(len(lanes), np.bool_)
    for candidate in (place - 1, place):
        inside = np.flatnonzero((candidate >= low) & (candidate < high))
        start = table.start_ns[candidate[inside]]
        end = np.maximum(start + table.length_ns[candidate[inside]], start + 1)
        found[inside] |= (start < window.end_ns) & (end > window.start_ns)
    return found
