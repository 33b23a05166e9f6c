"""How long an engine class works while no other one does: time that better overlap could hide."""

from __future__ import annotations

from hlprof_core.analysis.activity import device_activity
from hlprof_core.analysis.base import register
from hlprof_core.analysis.overlap import ENGINES
from hlprof_core.analysis.result import Result
from hlprof_core.analysis.steps import recorded_ns
from hlprof_core.trace.model import Trace
from hlprof_core.trace.ranges import TimeRange


@register("exposure", "Exposed time", needs=(ENGINES,))
def exposure(trace: Trace, within: TimeRange | None = None) -> Result:
    """Time in which only this engine class works (for HOST: a host call runs and no engine works)."""
    recorded = recorded_ns(trace, within)
    activity = device_activity(trace, within)
    rows = []
    for name, busy in activity.engines.items():
        exposed = activity.exposed(name).length_ns
        share = exposed / recorded if recorded else 0.0
        rows.append({"engine": name, "busy_ns": busy.length_ns, "exposed_ns": exposed, "exposed_share": share})
    return Result("exposure", "Exposed time", ("engine", "busy_ns", "exposed_ns", "exposed_share"), rows, {"recorded_ns": recorded})
