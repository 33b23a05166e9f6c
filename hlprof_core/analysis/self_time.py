"""How long a slice ran itself: its duration without what ran inside it."""

from __future__ import annotations

import numpy as np

from hlprof_core.analysis.base import SLICES, register
from hlprof_core.analysis.extent import Extent, slice_extent, whole_extent
from hlprof_core.analysis.intervals import union_length_by_key
from hlprof_core.analysis.memo import per_trace
from hlprof_core.analysis.result import Result
from hlprof_core.trace.model import Trace
from hlprof_core.trace.ranges import TimeRange
from hlprof_core.trace.table import I8


@per_trace
def self_ns(trace: Trace) -> I8:
    """Self time of each slice: duration minus the time that its children cover."""
    return exclusive_ns(trace, whole_extent(trace))


def exclusive_ns(trace: Trace, extent: Extent) -> I8:
    """Self time of each slice within the extent."""
    slices = trace.slices
    own: I8 = extent.end_ns - extent.start_ns
    own = own.copy()
    child = np.flatnonzero(slices.parent >= 0)
    if not len(child):
        return own
    parent = slices.parent[child]
    start = np.maximum(extent.start_ns[child], extent.start_ns[parent])
    end = np.minimum(extent.end_ns[child], extent.end_ns[parent])
    length = np.maximum(end - start, 0)
    # Children one row below their parent share a lane and cannot overlap; a child further down was moved there because it
    # overlaps a sibling, and then the family's time is counted once.
    is_moved = slices.depth[child].astype(np.int64) != slices.depth[parent].astype(np.int64) + 1
    if is_moved.any():
        has_overlap = np.zeros(len(slices), np.bool_)
        has_overlap[parent[is_moved]] = True
        family = has_overlap[parent]
        heads, key = np.unique(parent[family], return_inverse=True)
        own[heads] -= union_length_by_key(key, start[family], np.maximum(end[family], start[family]), len(heads))
        parent, length = parent[~family], length[~family]
    np.subtract.at(own, parent, length)
    return own


@register("self_time", "Self time by name", needs=(SLICES,))
def self_time(trace: Trace, within: TimeRange | None = None) -> Result:
    """Names by the time they ran themselves, children left out."""
    extent = slice_extent(trace, within)
    own = self_ns(trace) if within is None else exclusive_ns(trace, extent)
    inside = extent.is_inside
    name = trace.slices.name[inside]
    size = len(trace.strings)
    count = np.bincount(name, minlength=size)
    total, alone = np.zeros(size, np.int64), np.zeros(size, np.int64)
    np.add.at(total, name, (extent.end_ns - extent.start_ns)[inside])
    np.add.at(alone, name, own[inside])
    used = np.flatnonzero(count)
    used = used[np.lexsort((-total[used], -alone[used]))]
    rows = [
        {"name": trace.strings[i], "count": int(count[i]), "total_ns": int(total[i]), "self_ns": int(alone[i])} for i in used.tolist()
    ]
    return Result("self_time", "Self time by name", ("name", "count", "total_ns", "self_ns"), rows)
