"""When the device does nothing: the gaps between its work, the longest first, and whether the host was busy meanwhile."""

from __future__ import annotations

import re

import numpy as np

from hlprof_core.analysis.activity import Activity, device_activity
from hlprof_core.analysis.base import register
from hlprof_core.analysis.device import DEVICE, device_idle
from hlprof_core.analysis.extent import slice_extent
from hlprof_core.analysis.intervals import Intervals, difference, intersection, merge
from hlprof_core.analysis.result import Result
from hlprof_core.analysis.role import Role, device_slices, refine, slice_roles
from hlprof_core.trace.model import Trace
from hlprof_core.trace.ranges import TimeRange

LONGEST = 100
_WAITING = re.compile(r"synchroni[sz]e|wait|query", re.IGNORECASE)


def host_busy(trace: Trace, within: TimeRange | None = None) -> Intervals:
    """Time in which the host runs a call or an operator that the trace shows; waiting for the device is no work."""
    extent = slice_extent(trace, within)
    roles = slice_roles(trace).copy()
    refine(trace, roles, roles == Role.RUNTIME, Role.NONE, lambda name: _WAITING.search(name) is not None)
    waits = np.flatnonzero((slice_roles(trace) == Role.RUNTIME) & (roles == Role.NONE) & extent.is_inside)
    works = np.flatnonzero((roles >= Role.RUNTIME) & extent.is_inside)
    working = merge(extent.start_ns[works], extent.end_ns[works])
    return difference(working, merge(extent.start_ns[waits], extent.end_ns[waits])) if len(waits) else working


def idle_figures(trace: Trace, activity: Activity, within: TimeRange | None = None) -> dict[str, int]:
    """Number and length of the gaps, and how much of them the host was busy (``host_busy_ns``) or not (``host_idle_ns``)."""
    holes = device_idle(trace, activity)
    covered = intersection(holes, host_busy(trace, within))
    return {
        "gaps": len(holes),
        "idle_ns": holes.length_ns,
        "host_busy_ns": covered.length_ns,
        "host_idle_ns": holes.length_ns - covered.length_ns,
    }


@register("idle", "Idle time of the device", needs=(DEVICE,))
def idle(trace: Trace, within: TimeRange | None = None) -> Result:
    """The longest gaps between device work, with what ran before and after, and the part in which the host was busy."""
    activity = device_activity(trace, within)
    holes = device_idle(trace, activity)
    length = holes.end_ns - holes.start_ns
    covered = intersection(holes, host_busy(trace, within))
    longest = np.argsort(-length, kind="stable")[:LONGEST]
    before, after = _neighbours(trace, holes, longest.tolist(), within)
    rows = []
    for place, gap in enumerate(longest.tolist()):
        one = Intervals(holes.start_ns[gap : gap + 1], holes.end_ns[gap : gap + 1])
        rows.append(
            {
                "start_ns": int(holes.start_ns[gap]),
                "dur_ns": int(length[gap]),
                "host_busy_ns": intersection(one, covered).length_ns,
                "before": before[place],
                "after": after[place],
            }
        )
    figures = idle_figures(trace, activity, within)
    return Result("idle", "Idle time of the device", ("start_ns", "dur_ns", "host_busy_ns", "before", "after"), rows, figures)


def _neighbours(trace: Trace, holes: Intervals, chosen: list[int], within: TimeRange | None) -> tuple[list[str], list[str]]:
    """Names of a slice that ends where each gap begins, and of one that begins where it ends."""
    extent = slice_extent(trace, within)
    work = np.flatnonzero(device_slices(trace) & extent.is_inside & (extent.end_ns > extent.start_ns))
    by_end = work[np.argsort(extent.end_ns[work], kind="stable")]
    by_start = work[np.argsort(extent.start_ns[work], kind="stable")]
    before = np.searchsorted(extent.end_ns[by_end], holes.start_ns[chosen], "right") - 1
    after = np.searchsorted(extent.start_ns[by_start], holes.end_ns[chosen], "left")
    return [trace.name(int(by_end[i])) for i in before], [trace.name(int(by_start[i])) for i in after]
