"""How busy each engine class and each of its lanes is: the union of what ran, never the sum."""

from __future__ import annotations

import numpy as np

from hlprof_core.analysis.activity import device_activity, engine_lanes
from hlprof_core.analysis.base import SLICES, register
from hlprof_core.analysis.extent import root_slices, slice_extent
from hlprof_core.analysis.intervals import union_length_by_key
from hlprof_core.analysis.result import Result
from hlprof_core.analysis.steps import recorded_ns
from hlprof_core.trace.model import Trace
from hlprof_core.trace.ranges import TimeRange
from hlprof_core.trace.table import I8


def track_busy_ns(trace: Trace, within: TimeRange | None = None) -> I8:
    """Busy time of each track: the union of its slices."""
    extent = slice_extent(trace, within)
    rows = np.flatnonzero(root_slices(trace) & extent.is_inside)
    return union_length_by_key(trace.slices.track[rows], extent.start_ns[rows], extent.end_ns[rows], len(trace.tracks))


@register("utilization", "Engine utilisation", needs=(SLICES,))
def utilization(trace: Trace, within: TimeRange | None = None) -> Result:
    """Busy time and share of each engine class (``lane`` empty) and of each of its lanes."""
    recorded = recorded_ns(trace, within)
    activity = device_activity(trace, within)
    by_track = track_busy_ns(trace, within)

    def row(engine: str, lane: str, track_id: int | None, lanes: int, busy_ns: int) -> dict[str, object]:
        share = busy_ns / recorded if recorded else 0.0
        return {"engine": engine, "lane": lane, "track_id": track_id, "lanes": lanes, "busy_ns": busy_ns, "busy_share": share}

    rows = []
    for engine, busy in activity.engines.items():
        rows.append(row(engine, "", None, activity.lanes[engine], busy.length_ns))
        lanes = engine_lanes(trace, engine)
        rows.extend(row(engine, track.name or track.tid, track.id, 1, int(by_track[track.id])) for track in lanes)
    columns = ("engine", "lane", "track_id", "lanes", "busy_ns", "busy_share")
    return Result("utilization", "Engine utilisation", columns, rows, {"recorded_ns": recorded})
