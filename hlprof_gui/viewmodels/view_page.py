"""What a view shows as a page: its picture, what is selected, statistics of the time, notes and measures. Knows no Qt."""

from __future__ import annotations

from collections.abc import Callable

from hlprof_core.analysis.statistics import statistics
from hlprof_core.progress import Progress
from hlprof_core.report.document import Align, Column, Document, Section, Table
from hlprof_core.report.statistics_table import statistics_section
from hlprof_core.units import format_ns_exact
from hlprof_gui.state.view_state import ViewState
from hlprof_gui.viewmodels.details import Details, describe
from hlprof_gui.viewmodels.sheets import about, filter_text, time_text, trace_name
from hlprof_gui.viewmodels.slice_mask import slice_mask

LEFT: Align = "left"
TIMES = (Column("Start"), Column("Length"))


def describe_view(state: ViewState, picture: str) -> Callable[[Section], Document]:
    """The page, made of what the state says now; it wants ``view_statistics``. ``picture`` is the timeline as SVG."""
    trace = state.trace
    assert trace is not None
    zero, name = trace.span.start_ns, trace_name(trace)
    shown = about(time_text(trace, state.window), filter_text(state))
    sections = [Section("Timeline", picture=picture)]
    if state.selection is not None:
        sections += _selection(describe(trace, state.selection))
    if state.range is not None:
        span = (format_ns_exact(state.range.start_ns - zero), format_ns_exact(state.range.length_ns))
        sections.append(Section("Chosen time", table=Table(TIMES, (span,))))
    more: list[Section] = []
    if state.measures:
        spans = [measure.range for measure in state.measures]
        rows = tuple((format_ns_exact(span.start_ns - zero), format_ns_exact(span.length_ns)) for span in spans)
        more.append(Section("Measures", table=Table(TIMES, rows)))
    if state.marks:
        notes = tuple((format_ns_exact(m.time_ns - zero), format_ns_exact(m.length_ns), m.label) for m in state.marks)
        more.append(Section("Notes", table=Table((*TIMES, Column("Note", LEFT)), notes)))
    return lambda counted: Document(name, shown, sections=(*sections, counted, *more))


def view_statistics(state: ViewState) -> Callable[[Progress], Section]:
    """Statistics by name of the chosen time, else of the time that is shown, of what the filter found; counted when it is called."""
    trace, chosen, tracks = state.trace, state.range, state.range_tracks
    assert trace is not None
    is_chosen = chosen is not None and chosen.length_ns > 0
    window = chosen if is_chosen else None if state.window == state.bounds else state.window
    matches = state.matches if state.is_matched else None
    what = about(
        "Statistics of the chosen time" if is_chosen else "Statistics" if window is None else "Statistics of the time shown",
        f"{len(tracks):,} row{'s' * (len(tracks) != 1)}" if is_chosen and tracks is not None else "",
        filter_text(state),
    )

    def count(progress: Progress) -> Section:
        return statistics_section(statistics(trace, window, mask=slice_mask(trace, matches, tracks), progress=progress), what)

    return count


def _selection(details: Details) -> list[Section]:
    pairs = [("Name", details.title), ("Row", details.subtitle), *((fact.label, fact.exact or fact.value) for fact in details.facts)]
    columns = (Column("What", LEFT), Column("Value", LEFT))
    sections = [Section("Selection", table=Table(columns, tuple(pairs)))]
    if details.args:
        values = tuple((str(key), str(value)) for key, value in details.args.items())
        sections.append(Section("Arguments", table=Table((Column("Key", LEFT), Column("Value", LEFT)), values)))
    return sections
