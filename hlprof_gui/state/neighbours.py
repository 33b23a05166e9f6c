"""From one slice to those around it: same row, enclosing, inner."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from hlprof_core.levels.window import Touched, first_not
from hlprof_core.trace.model import Trace
from hlprof_core.trace.ranges import TimeRange
from hlprof_core.trace.table import I8

AnyColumn = npt.NDArray[Any]
B1 = npt.NDArray[np.bool_]
Drawn = I8 | None
"""Ids of the slices that are drawn while a filter hides the others, ascending; None: every one."""
Ties = npt.NDArray[np.uint8]
HAS_INNER, LEADS_ON, LED_TO = 1, 2, 4
"""Slices lie inside; an arrow leads from it; an arrow leads to it."""


def find_ties(trace: Trace) -> Ties:
    """For each slice what can be reached from it, so that a menu can be told without a look at all arrows. Takes a tenth of a second for
    millions."""
    found = np.zeros(len(trace.slices), np.uint8)
    parents = trace.slices.parent
    # The same place several times does no harm: each time the same is written.
    for places, tie in ((parents[parents >= 0], HAS_INNER), (trace.flows.from_slice, LEADS_ON), (trace.flows.to_slice, LED_TO)):
        found[places] |= tie
    return found


def lane_of(trace: Trace, slice_id: int) -> int:
    """Row of ``trace.lanes`` that holds the slice."""
    return int(np.searchsorted(trace.lanes.offsets, slice_id, side="right")) - 1


def among(ids: I8, slice_ids: AnyColumn) -> B1:
    """For each of some slices whether its id is one of ``ids``, which ascend and may be millions."""
    if not len(ids):
        return np.zeros(len(slice_ids), np.bool_)
    places = np.searchsorted(ids, slice_ids).clip(0, len(ids) - 1)
    return np.asarray(ids[places] == slice_ids)


def those_drawn(slice_ids: I8, drawn: Drawn) -> I8:
    """Those of some slices that a filter leaves on the screen."""
    return slice_ids if drawn is None else slice_ids[among(drawn, slice_ids)]


def is_drawn(slice_id: int, drawn: Drawn) -> bool:
    """Whether a filter leaves the slice on the screen."""
    return len(those_drawn(np.array([slice_id]), drawn)) > 0


def neighbour(trace: Trace, slice_id: int, step: int, drawn: Drawn = None) -> int | None:
    """The slice behind (1) or before (-1) this one in the same lane, None at its ends."""
    first, last = lane_bounds(trace, slice_id)
    target = slice_id + step
    if drawn is not None:
        place = int(np.searchsorted(drawn, slice_id, side="right")) if step > 0 else int(np.searchsorted(drawn, slice_id)) - 1
        target = int(drawn[place]) if 0 <= place < len(drawn) else -1
    return target if first <= target < last else None


def lane_bounds(trace: Trace, slice_id: int) -> tuple[int, int]:
    """First slice of the same lane, and the one behind its last."""
    lane = lane_of(trace, slice_id)
    return int(trace.lanes.offsets[lane]), int(trace.lanes.offsets[lane + 1])


def alike(trace: Trace, slice_id: int, step: int, drawn: Drawn = None) -> int | None:
    """The nearest slice of the same name in the lane, behind (1) or before (-1) this one; None when there is none."""
    return _nearest(trace, slice_id, step, trace.slices.name, lambda names: names == trace.slices.name[slice_id], drawn)


def longer(trace: Trace, slice_id: int, step: int, drawn: Drawn = None) -> int | None:
    """The nearest slice of the lane that lasts longer than this one, behind (1) or before (-1) it."""
    return _nearest(trace, slice_id, step, trace.slices.dur_ns, lambda lengths: lengths > trace.slices.dur_ns[slice_id], drawn)


def _nearest(
    trace: Trace, slice_id: int, step: int, column: AnyColumn, is_wanted: Callable[[AnyColumn], B1], drawn: Drawn
) -> int | None:
    """Looks at ever longer stretches, as what is wanted is mostly near."""
    first, last = lane_bounds(trace, slice_id)
    done, length = 0, 256
    while True:
        a, b = (slice_id + 1 + done, slice_id + 1 + done + length) if step > 0 else (slice_id - done - length, slice_id - done)
        a, b = max(a, first), min(b, last)
        if a >= b:
            return None
        if drawn is None:
            found = a + np.flatnonzero(is_wanted(column[a:b]))
        else:
            part = drawn[slice(*np.searchsorted(drawn, (a, b)))]
            found = part[is_wanted(column[part])]
        if len(found):
            return int(found[0 if step > 0 else -1])
        done, length = done + length, length * 4


def gap(trace: Trace, slice_id: int, at_ns: int, step: int, least_ns: int) -> TimeRange | None:
    """The nearest time of at least that length in which the slice's lane is empty, behind (1) or before (-1) ``at_ns``."""
    first, last = lane_bounds(trace, slice_id)
    starts = trace.slices.start_ns[first:last]
    ends = starts + trace.slices.dur_ns[first:last]
    before, behind = ends[:-1], starts[1:]
    wanted = behind - before >= max(least_ns, 1)
    wanted &= before >= at_ns if step > 0 else behind <= at_ns
    found = np.flatnonzero(wanted)
    if not len(found):
        return None
    place = found[0 if step > 0 else -1]
    return TimeRange(int(before[place]), int(behind[place]))


def is_gap(trace: Trace, slice_id: int, span: TimeRange) -> bool:
    """Whether a time is just that between two neighbours in the slice's lane."""
    first, last = lane_bounds(trace, slice_id)
    place = first + int(np.searchsorted(trace.slices.start_ns[first:last], span.end_ns))
    if not first < place < last:
        return False
    before = int(trace.slices.start_ns[place - 1] + trace.slices.dur_ns[place - 1])
    return (before, int(trace.slices.start_ns[place])) == (span.start_ns, span.end_ns)


def flow_ends(trace: Trace, slice_id: int, step: int, drawn: Drawn = None) -> I8:
    """Slices to which arrows lead from here (1), or from which they come (-1), the earliest first."""
    flows = trace.flows
    here, there = (flows.from_slice, flows.to_slice) if step > 0 else (flows.to_slice, flows.from_slice)
    found = those_drawn(np.unique(there[here == slice_id]).astype(np.int64), drawn)
    return found[np.argsort(trace.slices.start_ns[found], kind="stable")]


def parent(trace: Trace, slice_id: int, drawn: Drawn = None) -> int | None:
    """The enclosing slice, None at the top."""
    found = int(trace.slices.parent[slice_id])
    while found >= 0 and not is_drawn(found, drawn):
        found = int(trace.slices.parent[found])
    return found if found >= 0 else None


def children(trace: Trace, slice_id: int) -> I8:
    """Slices directly inside, by row and start; costs what lies under the slice."""
    slices, lanes = trace.slices, trace.lanes
    start, end = int(slices.start_ns[slice_id]), int(slices.start_ns[slice_id] + slices.dur_ns[slice_id])
    below = np.arange(lane_of(trace, slice_id) + 1, int(trace.track_lanes[int(slices.track[slice_id]) + 1]))
    low, high = lanes.offsets[below], lanes.offsets[below + 1]
    # All lanes at once: there may be thousands.
    first = first_not(low, high, lambda rows: slices.start_ns[rows] < start)
    rows = Touched(first, first_not(first, high, lambda rows: slices.start_ns[rows] <= end)).rows()
    return np.asarray(rows[slices.parent[rows] == slice_id], np.int64)


def first_child(trace: Trace, slice_id: int, drawn: Drawn = None) -> int | None:
    """The earliest slice directly inside, None when there is none."""
    inner = those_drawn(children(trace, slice_id), drawn)
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
