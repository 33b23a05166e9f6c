"""Start and end of every slice, cut to the stretch of time that is asked about."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from hlprof_core.analysis.memo import per_trace
from hlprof_core.trace.model import Trace
from hlprof_core.trace.ranges import TimeRange
from hlprof_core.trace.table import I8

Mask = npt.NDArray[np.bool_]


class Extent(Struct, frozen=True, eq=False):
    """One row a slice of the trace. ``is_inside``: the slice has a part in the stretch (start and end are cut to it)."""

    start_ns: I8
    end_ns: I8
    is_inside: Mask


@per_trace
def whole_extent(trace: Trace) -> Extent:
    """All slices as recorded."""
    slices = trace.slices
    return Extent(slices.start_ns, slices.start_ns + slices.dur_ns, np.ones(len(slices), np.bool_))


def slice_extent(trace: Trace, within: TimeRange | None = None) -> Extent:
    """Slices cut to ``within``. A slice without duration counts when it lies inside, the end excluded."""
    whole = whole_extent(trace)
    if within is None:
        return whole
    start, end = whole.start_ns, whole.end_ns
    is_inside = (start < within.end_ns) & ((end > within.start_ns) | ((end == start) & (start >= within.start_ns)))
    return Extent(np.clip(start, within.start_ns, within.end_ns), np.clip(end, within.start_ns, within.end_ns), is_inside)


@per_trace
def root_slices(trace: Trace) -> Mask:
    """Slices that cover time of their track which no enclosing slice covers already: tops of stacks, and what sticks out of its parent."""
    parent = trace.slices.parent
    is_root = parent < 0
    inner = np.flatnonzero(~is_root)
    end = whole_extent(trace).end_ns
    is_root[inner] = end[inner] > end[parent[inner]]
    return is_root

