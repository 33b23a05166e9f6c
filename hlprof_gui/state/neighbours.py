"""From one slice to those around it: same row, enclosing, inner."""

from __future__ import annotations

import numpy as np

from hlprof_core.trace.model import Trace
from hlprof_core.trace.table import I8


def lane_of(trace: Trace, slice_id: int) -> int:
    """Row of ``trace.lanes`` that holds the slice."""
    return int(np.searchsorted(trace.lanes.offsets, slice_id, side="right")) - 1


def neighbour(trace: Trace, slice_id: int, step: int) -> int | None:
    """The slice ``step`` places further in the same lane, None beyond its ends."""
    lane = lane_of(trace, slice_id)
    target = slice_id + step
    return target if trace.lanes.offsets[lane] <= target < trace.lanes.offsets[lane + 1] else None


def parent(trace: Trace, slice_id: int) -> int | None:
    """The enclosing slice, None at the top."""
    found = int(trace.slices.parent[slice_id])
    return found if found >= 0 else None


def children(trace: Trace, slice_id: int) -> I8:
    """Slices directly inside, by row and start; costs what lies under the slice."""
    slices, lanes = trace.slices, trace.lanes
    start, end = int(slices.start_ns[slice_id]), int(slices.start_ns[slice_id] + slices.dur_ns[slice_id])
    first = lane_of(trace, slice_id)
    found = []
    for lane in range(first + 1, int(trace.track_lanes[int(slices.track[slice_id]) + 1])):
        low, high = int(lanes.offsets[lane]), int(lanes.offsets[lane + 1])
        starts = slices.start_ns[low:high]
        a, b = low + int(np.searchsorted(starts, start)), low + int(np.searchsorted(starts, end, side="right"))
        found.append(a + np.flatnonzero(slices.parent[a:b] == slice_id))
    return np.concatenate(found).astype(np.int64) if found else np.empty(0, np.int64)


def first_child(trace: Trace, slice_id: int) -> int | None:
    """The earliest slice directly inside, None when there is none."""
    inner = children(trace, slice_id)
    return int(inner[np.argmin(trace.slices.start_ns[inner])]) if len(inner) else None


def self_ns(trace: Trace, slice_id: int) -> int:
    """Time of the slice that no slice directly inside covers."""
    inner = children(trace, slice_id)
    total = int(trace.slices.dur_ns[slice_id])
    if not len(inner):
        return total
    order = inner[np.argsort(trace.slices.start_ns[inner], kind="stable")]
    starts = trace.slices.start_ns[order]
    ends = np.maximum.accumulate(starts + trace.slices.dur_ns[order])
    # Each child adds what lies after the latest end before it.
    covered = ends - np.maximum(starts, np.concatenate([starts[:1], ends[:-1]]))
    return max(0, total - int(covered[covered > 0].sum()))
