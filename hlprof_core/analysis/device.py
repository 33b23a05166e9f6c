"""How the device spent its time: working, idle, computing, copying, communicating, and what was not hidden."""

from __future__ import annotations

from hlprof_core.analysis.activity import Activity, device_activity
from hlprof_core.analysis.base import Need, register
from hlprof_core.analysis.intervals import Intervals, difference, gaps, intersection, union
from hlprof_core.analysis.result import Result
from hlprof_core.analysis.role import device_slices
from hlprof_core.analysis.steps import recorded_time
from hlprof_core.trace.model import Trace
from hlprof_core.trace.ranges import TimeRange

DEVICE = Need(
    lambda trace: bool(device_slices(trace).any()),
    "no work of a device",
    "Record with the hardware trace switched on, or open a trace with engine rows or kernel slices.",
)


def device_idle(trace: Trace, activity: Activity) -> Intervals:
    """Recorded time between the first and the last work of the device in which it does nothing."""
    busy = activity.busy
    return intersection(gaps(busy, busy.span), recorded_time(trace))


def device_figures(trace: Trace, activity: Activity) -> dict[str, int] | None:
    """The ``device`` object of the report, in ns; None when no device worked.

    ``total_ns``: first start to last end, without the time between recording sessions.
    """
    if not activity.has_device:
        return None
    busy_ns, idle_ns = activity.busy.length_ns, device_idle(trace, activity).length_ns
    return {
        "busy_ns": busy_ns,
        "total_ns": busy_ns + idle_ns,
        "idle_ns": idle_ns,
        "compute_ns": activity.compute.length_ns,
        "copy_ns": activity.copy.length_ns,
        "comm_ns": activity.comm.length_ns,
        "exposed_copy_ns": difference(activity.copy, union(activity.compute, activity.comm)).length_ns,
        "exposed_comm_ns": difference(activity.comm, union(activity.compute, activity.copy)).length_ns,
    }


@register("device", "Device time", needs=(DEVICE,))
def device(trace: Trace, within: TimeRange | None = None) -> Result:
    """How long the device worked, idled, computed, copied and communicated, first start to last end."""
    figures = device_figures(trace, device_activity(trace, within)) or {}
    total = figures.get("total_ns", 0)
    rows = [
        {"part": key.removesuffix("_ns"), "time_ns": value, "total_share": value / total if total else 0.0}
        for key, value in figures.items()
    ]
    return Result("device", "Device time", ("part", "time_ns", "total_share"), rows, figures)
