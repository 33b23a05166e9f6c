"""From a trace to a report: runs the analyses once, in the order of the page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from hlprof_core.analysis.activity import Activity, device_activity
from hlprof_core.analysis.advice import Evidence, advise
from hlprof_core.analysis.device import device_figures
from hlprof_core.analysis.idle import idle_figures
from hlprof_core.analysis.operations import operations
from hlprof_core.analysis.overlap import overlap_rows
from hlprof_core.analysis.self_time import self_time
from hlprof_core.analysis.steps import find_steps, recorded_ns, steps
from hlprof_core.diagnostics import DiagnosticLog
from hlprof_core.progress import Progress
from hlprof_core.report.model import Report
from hlprof_core.trace.model import Trace

MOST_OPERATIONS = 5000


def build_report(trace: Trace, progress: Progress | None = None, part: Callable[[Report], object] | None = None) -> Report:
    """Everything the report says about a trace. ``part`` gets what is known while the rest is worked out, in an order of its own."""
    progress, part = progress or Progress(), part or (lambda _: None)
    log = DiagnosticLog()
    log.extend(trace.diagnostics)
    progress.report("engines", 0, 4)
    activity = device_activity(trace)
    device = device_figures(trace, activity)
    idle = idle_figures(trace, activity) if device else {}
    recorded = recorded_ns(trace)
    report = Report(
        title=trace.origin.path.name if trace.origin.path else "trace",
        format=trace.origin.format,
        span_ns=trace.span.length_ns,
        recorded_ns=recorded,
        device=device,
        engines=_engines(activity, recorded),
        overlap=overlap_rows(activity),
        steps=(),
        step_source="",
        idle=idle,
        operations=(),
        advice=(),
        diagnostics=log.freeze(),
    )
    progress.report("steps", 1, 4)
    part(report)
    found = find_steps(trace)
    report = replace(report, steps=steps(trace).rows, step_source=found.source)
    progress.report("operations", 2, 4)
    part(report)
    rows = operations(trace).rows
    progress.report("advice", 3, 4)
    self_times = [] if activity.has_device or not len(trace.slices) else self_time(trace).rows
    advice = advise(Evidence(trace.span.length_ns, activity, device or {}, idle, found, rows, self_times))
    if len(rows) > MOST_OPERATIONS:
        log.add(
            "report.operations_cut",
            "notice",
            f"The report lists the {MOST_OPERATIONS} costliest of {len(rows)} operations.",
            hint="`hlprof query` reaches all of them.",
        )
    progress.report("advice", 4, 4)
    return replace(report, operations=rows[:MOST_OPERATIONS], advice=advice, diagnostics=log.freeze())


def _engines(activity: Activity, recorded_ns: int) -> dict[str, dict[str, Any]]:
    return {
        name: {
            "lanes": activity.lanes[name],
            "busy_ns": busy.length_ns,
            "busy_share": busy.length_ns / recorded_ns if recorded_ns else 0.0,
            "exposed_ns": activity.exposed(name).length_ns,
        }
        for name, busy in activity.engines.items()
    }
