"""From one row to the next by keyboard: the slice in sight on the row above or below that is nearest in time. Knows no Qt."""

from __future__ import annotations

import numpy as np

from hlprof_core.trace.model import Trace
from hlprof_core.trace.ranges import TimeRange
from hlprof_gui.timeline.layout import Layout, RowKind


def nearest_in_lane(trace: Trace, lane: int, at_ns: int, window: TimeRange) -> int | None:
    """The slice of a lane nearest to a time, None when no slice of it is in the window."""
    first, last = (int(v) for v in trace.lanes.offsets[lane : lane + 2])
    starts = trace.slices.start_ns[first:last]
    place = int(np.searchsorted(starts, at_ns, side="right"))
    best: tuple[int, int] | None = None
    for i in range(max(first + place - 1, first), min(first + place + 1, last)):
        start = int(trace.slices.start_ns[i])
        end = start + int(trace.slices.dur_ns[i])
        if start < window.end_ns and max(end, start + 1) > window.start_ns:
            distance = max(start - at_ns, at_ns - end, 0)
            best = min(best or (distance, i), (distance, i))
    return None if best is None else best[1]


def slice_beside(trace: Trace, layout: Layout, row: int, step: int, at_ns: int, window: TimeRange) -> int | None:
    """The slice nearest to a time on the next row below (1) or above (-1) a row that has one in the window.

    ``step`` 0: on that row or the first one below it.
    """
    place = row + step
    while 0 <= place < len(layout):
        if layout.kind[place] == RowKind.LANE:
            found = nearest_in_lane(trace, int(layout.source[place]), at_ns, window)
            if found is not None:
                return found
        place += step or 1
    return None
