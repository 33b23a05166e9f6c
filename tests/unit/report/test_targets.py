"""Rows of the report know what in the trace they are about."""

from __future__ import annotations

from urllib.parse import unquote

from hlprof_core.analysis.filter.language import parse
from hlprof_core.report.build import build_report
from hlprof_core.report.document import compose, quoted
from hlprof_core.report.markdown import render_markdown
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
