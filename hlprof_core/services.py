"""Use cases that the command line and the window share: open a trace, report on it, ask it in SQL."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hlprof_core.progress import Progress

if TYPE_CHECKING:
    from hlprof_core.analysis.filter import Filter
    from hlprof_core.config.document import ProfConfig
    from hlprof_core.levels.text_set import Mask
    from hlprof_core.profiling.estimate import Estimate
    from hlprof_core.report.machine import Finding
    from hlprof_core.report.model import Report
    from hlprof_core.report.sheet import Sheet
    from hlprof_core.trace.model import Trace


def open_trace(path: Path | str, progress: Progress | None = None) -> Trace:
    """Read a trace of any known format, from the cache where it is fresh."""
    from hlprof_core.io.open import open_trace as read

    return read(Path(path), progress)


def read_filter(text: str) -> Filter:
    """A filter that was understood; raises ``FilterInvalid`` with the place in the text."""
    from hlprof_core.analysis.filter import read_filter as read

    return read(text)


def filter_mask(trace: Trace, wanted: Filter, progress: Progress | None = None) -> Mask:
    """For each slice of a trace whether it passes the filter."""
    from hlprof_core.analysis.filter import filter_mask as evaluate

    return evaluate(trace, wanted, progress)


def export_sheet(sheet: Sheet, target: Path, progress: Progress | None = None) -> None:
    """Write a table as the name of the file says: .csv, .html or .tsv."""
    from hlprof_core.report.sheet import write_sheet

    write_sheet(sheet, target, progress)


def build_report(trace: Trace, progress: Progress | None = None, part: Callable[[Report], object] | None = None) -> Report:
    """Everything the report says about a trace; ``part`` gets what is known while the rest is worked out."""
    from hlprof_core.report.build import build_report as build

    return build(trace, progress, part)


def report_text(report: Report, *, width: int | None = None, color: bool = False) -> str:
    """The report for a terminal; ``width`` in columns, None: the terminal's."""
    from hlprof_core.report.document import compose
    from hlprof_core.report.text import render_text

    return render_text(compose(report), width=width, color=color)


def report_markdown(reports: Sequence[Report], *, linked: bool = False) -> str:
    """The reports as one Markdown page; ``linked``: with links that the window follows."""
    from hlprof_core.report.document import compose
    from hlprof_core.report.markdown import render_markdown

    return render_markdown([compose(report) for report in reports], linked=linked)


def report_html(reports: Sequence[Report]) -> str:
    """The reports as one HTML page that needs no other file."""
    from hlprof_core.report.document import compose
    from hlprof_core.report.html import render_html

    return render_html([compose(report) for report in reports])


def write_whole(target: Path, text: str) -> None:
    """Write a text whole or not at all; ``ExportError`` when that is not possible."""
    from hlprof_core.replacement import replaced_whole

    with replaced_whole(target) as temporary:
        temporary.write_text(text, encoding="utf-8")


def export_answer(trace: Trace, sql: str, target: Path, progress: Progress | None = None, *, about: str = "") -> None:
    """Write the answer to a query as the name of the file says: .csv, .html, .json, .parquet, .tsv. ``UsageError`` for another name."""
    from hlprof_core.analysis.query import ask, export_parquet
    from hlprof_core.errors import UsageError
    from hlprof_core.replacement import replaced_whole
    from hlprof_core.report.answer import formats
    from hlprof_core.report.sheet import answer_sheet, sheet_formats, write_sheet

    form, progress = target.suffix.lower().removeprefix("."), progress or Progress()
    known = sorted({"json", "parquet", *sheet_formats.names()})
    if form not in known:
        raise UsageError(f"{target}: cannot write an answer in that form.", hint=f"Name it .{', .'.join(known)}.")
    if form == "parquet":
        with replaced_whole(target) as temporary:
            export_parquet(trace, sql, temporary, progress)
        return
    with ask(trace, sql, progress) as answer:
        if form != "json":
            write_sheet(answer_sheet(answer.columns, answer.rows, about), target, progress)
            return
        with replaced_whole(target) as temporary, open(temporary, "w", encoding="utf-8", newline="") as out:
            formats.get(form)(answer.columns, answer.rows, out)


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
    profile_iterations: Collection[int] | None = None,
    progress: Progress | None = None,
) -> Estimate:
    """What a recording with this configuration will be like: of a workload on the device model, or of the program whose earlier
    trace ``like`` names.

    ``workload``: a name, or a name with options such as ``dlrm --batch 256``. ``iterations``: of the run; None: guessed, and told.
    ``profile_iterations``: those that the program records by itself, in the API phase. ``device`` is for workloads.
    """
    if like is not None:
        from hlprof_core.profiling.estimate import estimate_like

        return estimate_like(config, open_trace(like, progress), iterations=iterations, profile_iterations=profile_iterations)
    from hlprof_core.workloads.estimate import estimate_for_workload

    return estimate_for_workload(config, workload, iterations=iterations, device=device, profile_iterations=profile_iterations)
