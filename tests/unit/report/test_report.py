"""A report in its four forms: the same facts, losses at the top, hostile names harmless, JSON as promised."""

from __future__ import annotations

import json
from html.parser import HTMLParser

import pytest
from msgspec.structs import replace

from hlprof_core import services
from hlprof_core.diagnostics import Diagnostic
from hlprof_core.report.document import compose
from hlprof_core.report.model import Report
from hlprof_core.report.text import draw_bar, render_text, shorten
from hlprof_core.trace.builder import TraceBuilder
from hlprof_core.trace.model import Origin

HOSTILE = "void <script>alert('x')</script>|_kernel_[red]*[/red]`"
LOSS = Diagnostic("read.truncated", "data-loss", 2, "The file ends early.", ("byte 17",), "Copy it again.")


@pytest.fixture
def report() -> Report:
    build = TraceBuilder()
    for pid, name in ((1, "DMA"), (2, "MME"), (3, "TPC")):
        build.process(pid, name, sort_index=pid)
    for start in (0, 1_000_000):
        build.slice(1, 0, start, 200_000, "copy")
        build.slice(2, 0, start + 100_000, 300_000, HOSTILE, args={"op": "gemm", "dtype": "bf16"})
        build.slice(3, 0, start + 400_000, 500_000, "a/very/long/name/of/a/node/" * 4 + "17")
    made = services.build_report(build.finish(Origin("test")))
    return replace(made, diagnostics=[LOSS, *made.diagnostics])


def test_json_has_the_promised_shape(report: Report) -> None:
    data = json.loads(json.dumps(report.to_dict()))
    assert list(data) == ["span_ns", "device", "engines", "overlap", "steps", "operations", "advice", "diagnostics"]
    assert data["engines"]["MME"] == {"lanes": 1, "busy_ns": 600_000, "busy_share": pytest.approx(6 / 19), "exposed_ns": 400_000}
    assert data["overlap"][0] == {"a": "MME", "b": "TPC", "overlap_ns": 0}
    assert {"index", "name", "start_ns", "dur_ns", "split_ns"} <= set(data["steps"][0])
    assert {"name", "count", "total_ns", "self_ns", "device_ns", "self_device_ns"} <= set(data["operations"][0])
    assert {"rule", "text", "evidence"} == set(data["advice"][0])
    assert data["diagnostics"][0]["code"] == "read.truncated"


@pytest.mark.parametrize("width", [60, 80, 100, 200])
def test_text_fits_the_terminal(report: Report, width: int) -> None:
    text = services.report_text(report, width=width)
    assert max(map(len, text.splitlines())) <= width
    assert "\x1b" not in text
    for word in ("Advice", "Engines", "Overlap", "Steps", "Top operations", "31.6 %"):
        assert word in text


def test_text_shows_losses_first_and_names_as_they_are(report: Report) -> None:
    lines = render_text(compose(report), width=200).splitlines()
    assert lines[1].startswith("! data-loss: 2× The file ends early. First: byte 17. Copy it again. [read.truncated]")
    assert any(HOSTILE in line for line in lines)


def test_colour_only_when_asked(report: Report) -> None:
    assert "\x1b[" in services.report_text(report, width=100, color=True)


def test_markdown_escapes_names(report: Report) -> None:
    page = services.report_markdown([report, report])
    assert page.count("## Top operations") == 2
    assert "\\<script\\>" in page
    assert "<script" not in page.replace("\\<", "")
    table = [line for line in page.splitlines() if line.startswith("|")]
    assert all(line.endswith("|") for line in table)
    assert "> **Warning** data-loss: 2× The file ends early." in page


VOID = {"meta"}


class Reader(HTMLParser):
    """Checks that tags close in order; collects texts."""

    def __init__(self) -> None:
        super().__init__()
        self.open, self.texts, self.tags = [], [], set()

    def handle_starttag(self, tag: str, attrs) -> None:
        self.tags.add(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_html_stands_alone_and_is_well_formed(report: Report) -> None:
    page = services.report_html([report])
    reader = Reader()
    reader.feed(page)
    assert reader.open == []
    assert HOSTILE in reader.texts
    assert "script" not in reader.tags
    assert "http" not in page
    assert "src=" not in page


def test_bars() -> None:
    assert draw_bar(0.0, 4) == "    "
    assert draw_bar(1.0, 4) == "████"
    assert draw_bar(0.5, 4) == "██  "
    assert draw_bar(1e-9, 4) == "▏   "
    assert draw_bar(7.0, 2) == "██"


def test_long_names_keep_both_ends() -> None:
    assert shorten("layers.30/self_attn/node_1234", 16) == "layers.30/…_1234"
    assert shorten("short", 16) == "short"


def test_parts_come_before_the_whole() -> None:
    from hlprof_core.report.build import build_report
    from tests.small_trace import small_trace

    parts: list[Report] = []
    whole = build_report(small_trace(), part=parts.append)
    assert [(bool(p.engines), bool(p.steps), bool(p.operations)) for p in parts] == [(True, False, False), (True, True, False)]
    assert (parts[1].engines, parts[1].steps, parts[1].device) == (whole.engines, whole.steps, whole.device)
    assert whole.operations
    assert "Advice" not in [section.title for section in compose(parts[0]).sections]
