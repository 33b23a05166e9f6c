"""How long two engine classes work at the same time."""

from __future__ import annotations

from itertools import combinations

from hlprof_core.analysis.activity import Activity, device_activity
from hlprof_core.analysis.base import Need, register
from hlprof_core.analysis.intervals import intersection
from hlprof_core.analysis.result import Result
from hlprof_core.trace.model import Trace
from hlprof_core.trace.ranges import TimeRange

ORDER = ("MME", "TPC", "DMA", "NIC")
ENGINES = Need(
    lambda trace: any(t.engine in ORDER for t in trace.tracks),
    "no rows of device engines",
    "Record with the hardware trace switched on.",
)


def overlap_rows(activity: Activity) -> list[dict[str, str | int | float]]:
    """Each pair of engine classes with the time both worked, and that time as a share of the less busy one."""
    rows: list[dict[str, str | int | float]] = []
    present = [name for name in ORDER if name in activity.engines]
    for a, b in combinations(present, 2):
        both = intersection(activity.engines[a], activity.engines[b]).length_ns
        lesser = min(activity.engines[a].length_ns, activity.engines[b].length_ns)
        rows.append({"a": a, "b": b, "overlap_ns": both, "lesser_share": both / lesser if lesser else 0.0})
    return rows


@register("overlap", "Overlap of engines", needs=(ENGINES,))
def overlap(trace: Trace, within: TimeRange | None = None) -> Result:
    """Time in which two of MME, TPC, DMA and NIC work at once."""
    return Result("overlap", "Overlap of engines", ("a", "b", "overlap_ns", "lesser_share"), overlap_rows(device_activity(trace, within)))
