"""Rows of the report know what in the trace they are about."""

from __future__ import annotations

from urllib.parse import unquote

from hlprof_core.analysis.filter import filter_mask, read_filter
from hlprof_core.analysis.filter.language import parse
from hlprof_core.report.build import build_report
from hlprof_core.report.document import compose, quoted
from hlprof_core.report.markdown import render_markdown
from hlprof_core.trace.builder import TraceBuilder
from hlprof_core.trace.model import Origin
from tests.small_trace import small_trace


def test_every_target_can_be_followed() -> None:
    document = compose(build_report(small_trace()))
    targets = [t for section in document.sections if section.table for t in section.table.targets if t]
    assert targets
    for target in targets:
        kind, _, what = target.partition(":")
        if kind == "filter":
            parse(what)
        else:
            start, end = (int(part) for part in what.split("-"))
            assert kind == "time"
            assert start < end
    for section in document.sections:
        if section.table and section.table.targets:
            assert len(section.table.targets) == len(section.table.rows)


def test_links_stand_only_where_they_are_wanted() -> None:
    document = compose(build_report(small_trace()))
    assert "](" not in render_markdown([document])
    linked = render_markdown([document], linked=True)
    assert "filter:engine:MME" in unquote(linked)


def test_quoted_names_are_one_value() -> None:
    assert quoted('a "b" \\c') == '"a \\"b\\" \\\\c"'


def test_targets_find_what_their_row_counts() -> None:
    """Names that differ in case only, and kernels that the file tells under another key."""
    build = TraceBuilder()
    build.process(1, "MME")
    build.process(2, "TPC")
    for place, (pid, name, args) in enumerate((
        (1, "gemm", {"operation": "mm"}), (1, "GEMM", {"Operation": "MM"}), (1, "gemm", {"operation": "mm"}), (2, "relu", {"op": "mm"}),
    )):  # fmt: skip
        build.slice(pid, 0, 100 * place, 10, name, args=args)
    trace = build.finish(Origin("test"))
    document = compose(build_report(trace))
    counts = {"Top operations": "count", "Top kernels": "slices"}
    tables = [section.table for section in document.sections if section.title in counts]
    assert len(tables) == len(counts)
    for table, column in zip(tables, counts.values(), strict=True):
        assert table is not None
        place = [c.title for c in table.columns].index(column)
        assert len(table.rows) == len(table.targets) == 3
        for row, target in zip(table.rows, table.targets, strict=True):
            assert int(filter_mask(trace, read_filter(target.partition(":")[2])).sum()) == int(str(row[place])), target
