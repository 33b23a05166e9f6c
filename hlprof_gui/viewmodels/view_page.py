"""What a view shows as a page: its picture, what is selected, notes and measures. Knows no Qt."""

from __future__ import annotations

from hlprof_core.report.document import Column, Document, Section, Table
from hlprof_core.units import format_ns, format_ns_exact
from hlprof_gui.state.view_state import ViewState
from hlprof_gui.viewmodels.details import Details, describe

LEFT = "left"
TIMES = (Column("Start"), Column("Length"))


def describe_view(state: ViewState, picture: str) -> Document:
    """The page; ``picture`` is the timeline as SVG."""
    trace = state.trace
    assert trace is not None
    zero, window = trace.span.start_ns, state.window
    path = trace.origin.path
    shown = f"{format_ns(window.start_ns - zero, digits=6)} to {format_ns(window.end_ns - zero, digits=6)} after the first event"
    sections = [Section("Timeline", picture=picture)]
    if state.selection is not None:
        sections += _selection(describe(trace, state.selection))
    if state.range is not None:
        rows = ((format_ns_exact(state.range.start_ns - zero), format_ns_exact(state.range.length_ns)),)
        sections.append(Section("Chosen time", table=Table(TIMES, rows)))
    if state.measures:
        spans = [measure.range for measure in state.measures]
        rows = tuple((format_ns_exact(span.start_ns - zero), format_ns_exact(span.length_ns)) for span in spans)
        sections.append(Section("Measures", table=Table(TIMES, rows)))
    if state.marks:
        notes = tuple((format_ns_exact(m.time_ns - zero), format_ns_exact(m.length_ns), m.label) for m in state.marks)
        sections.append(Section("Notes", table=Table((*TIMES, Column("Note", LEFT)), notes)))
    return Document(path.name if path is not None else "Timeline", shown, sections=tuple(sections))


def _selection(details: Details) -> list[Section]:
    pairs = [("Name", details.title), ("Row", details.subtitle), *((fact.label, fact.exact or fact.value) for fact in details.facts)]
    columns = (Column("What", LEFT), Column("Value", LEFT))
    sections = [Section("Selection", table=Table(columns, tuple(pairs)))]
    if details.args:
        values = tuple((str(key), str(value)) for key, value in details.args.items())
        sections.append(Section("Arguments", table=Table((Column("Key", LEFT), Column("Value", LEFT)), values)))
    return sections
