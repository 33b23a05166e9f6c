"""Use cases that the command line and the window share: open a trace, report on it, ask it in SQL."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hlprof_core.progress import Progress

if TYPE_CHECKING:
    from hlprof_core.config.document import ProfConfig
    from hlprof_core.profiling.estimate import Estimate
    from hlprof_core.report.machine import Finding
    from hlprof_core.report.model import Report
    from hlprof_core.trace.model import Trace


def open_trace(path: Path | str, progress: Progress | None = None) -> Trace:
    """Read a trace of any known format, from the cache where it is fresh."""
    from hlprof_core.io.open import open_trace as read

    return read(Path(path), progress)


def build_report(trace: Trace, progress: Progress | None = None) -> Report:
    """Everything the report says about a trace."""
    from hlprof_core.report.build import build_report as build

    return build(trace, progress)


def report_text(report: Report, *, width: int | None = None, color: bool = False) -> str:
    """The report for a terminal; ``width`` in columns, None: the terminal's."""
    from hlprof_core.report.document import compose
    from hlprof_core.report.text import render_text

    return render_text(compose(report), width=width, color=color)


def report_markdown(reports: Sequence[Report]) -> str:
    """The reports as one Markdown page."""
    from hlprof_core.report.document import compose
    from hlprof_core.report.markdown import render_markdown

    return render_markdown([compose(report) for report in reports])


def report_html(reports: Sequence[Report]) -> str:
    """The reports as one HTML page that needs no other file."""
    from hlprof_core.report.document import compose
    from hlprof_core.report.html import render_html

    return render_html([compose(report) for report in reports])


def examine_machine() -> list[Finding]:
    """What this machine has for recording and looking, with a verdict each; takes up to a few seconds."""
    from hlprof_core.report.machine import examine_machine as examine

    return examine()


def estimate(
    config: ProfConfig,
    workload: str = "dlrm",
    *,
    like: Path | str | None = None,
    iterations: int | None = None,
    device: str | None = None,
    settings: Mapping[str, str] | None = None,
    profile_iterations: Collection[int] | None = None,
    progress: Progress | None = None,
) -> Estimate:
    """What a recording with this configuration will be like: of a workload on the device model, or of the program whose earlier
    trace ``like`` names. ``iterations``, ``device``, ``settings`` and ``profile_iterations`` are for workloads."""
    if like is not None:
        from hlprof_core.profiling.estimate import estimate_like

        return estimate_like(config, open_trace(like, progress), iterations=iterations)
    from hlprof_core.workloads.estimate import estimate_for_workload

    return estimate_for_workload(
        config, workload, iterations=iterations, device=device, settings=settings, profile_iterations=profile_iterations
    )
