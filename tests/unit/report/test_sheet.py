"""Tables as files, pages and text with tabs."""

from __future__ import annotations

import csv
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hlprof_core.analysis.statistics import statistics
from hlprof_core.errors import Cancelled, ExportError, UsageError
from hlprof_core.progress import Progress
from hlprof_core.report import sheet as sheets
from hlprof_core.report.sheet import Sheet, SheetColumn, answer_sheet, sheet_page, sheet_text, write_sheet
from hlprof_core.report.slice_list import slice_sheet
from hlprof_core.report.statistics_table import PAGE_GROUPS, statistics_section, statistics_sheet
from hlprof_core.trace.builder import TraceBuilder
from hlprof_core.trace.model import Origin
from tests.small_trace import slice_named, small_trace

NASTY = '<script>alert("x")</script> & \t\n ü'
COLUMNS = (
    SheetColumn("name", "Name"), SheetColumn("dur_ns", "Duration", "ns"), SheetColumn("at_ns", "Start", "time"),
    SheetColumn("v", "V", "any"),
)  # fmt: skip


def nasty_sheet(rows: int = 2) -> Sheet:
    kept = [(NASTY, 1_500_000 + i, 1_000 + i, None if i else 2.5) for i in range(rows)]
    return Sheet(f"Title {NASTY}", f"about {NASTY}", COLUMNS, lambda _: kept, rows, zero_ns=1_000)


class Cells(HTMLParser):
    """Tags that occur, and the texts of cells."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.cells: list[str] = []
        self._tag = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self._tag = tag
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_data(self, data: str) -> None:
        if self._tag in ("td", "th"):
            self.cells[-1] += data


def test_a_page_stands_alone_and_shows_texts_as_texts() -> None:
    page = sheet_page(nasty_sheet())
    found = Cells(page)
    assert "script" not in found.tags
    assert not {"img", "link", "iframe"} & found.tags
    assert "http" not in page
    assert "prefers-color-scheme: dark" in page
    assert found.cells == ["Name", "Duration", "Start", "V", NASTY, "1.500 ms", "0 ns", "2.5", NASTY, "1.500 ms", "1 ns", ""]
    assert "2 rows." in page


def test_a_page_tells_how_many_rows_it_leaves_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheets, "PAGE_ROWS", 3)
    assert "The first 3 of 5 rows; 2 are left out." in sheet_page(nasty_sheet(5))
    assert "3 rows." in sheet_page(nasty_sheet(3))
    unknown = answer_sheet(("a",), iter([(i,) for i in range(4)]), "")
    assert "The first 3 rows; more are left out." in sheet_page(unknown)


def test_files_by_the_end_of_their_names(tmp_path: Path) -> None:
    write_sheet(nasty_sheet(), tmp_path / "a.csv")
    with open(tmp_path / "a.csv", encoding="utf-8", newline="") as file:
        rows = [[NASTY, "1500000", "1000", "2.5"], [NASTY, "1500001", "1001", ""]]
        assert list(csv.reader(file)) == [["name", "dur_ns", "at_ns", "v"], *rows]
    write_sheet(nasty_sheet(1), tmp_path / "a.TSV")
    assert (tmp_path / "a.TSV").read_text(encoding="utf-8").splitlines()[1].split("\t")[1:] == ["1500000", "1000", "2.5"]
    write_sheet(nasty_sheet(), tmp_path / "a.html")
    assert (tmp_path / "a.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    with pytest.raises(UsageError, match=r"a\.doc.*cannot write"):
        write_sheet(nasty_sheet(), tmp_path / "a.doc")
    with pytest.raises(ExportError, match=r"none/a\.csv"):
        write_sheet(nasty_sheet(), tmp_path / "none" / "a.csv")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.TSV", "a.csv", "a.html"]


def test_a_cancelled_file_leaves_the_former_one(tmp_path: Path) -> None:
    target, progress = tmp_path / "a.csv", Progress()
    target.write_text("former")
    progress.cancel()
    with pytest.raises(Cancelled):
        write_sheet(nasty_sheet(), target, progress)
    assert target.read_text() == "former"
    assert [p.name for p in tmp_path.iterdir()] == ["a.csv"]


def test_text_with_tabs_has_one_line_a_row_and_an_end() -> None:
    text, rows = sheet_text(nasty_sheet(5), 2)
    assert rows == 2
    lines = text.splitlines()
    assert lines[0] == "name\tdur_ns\tat_ns\tv"
    assert [len(line.split("\t")) for line in lines] == [4, 4, 4]


def test_slices_as_a_table() -> None:
    trace = small_trace()
    ids = np.array([slice_named(trace, "relu", 0), slice_named(trace, "main")])
    page = Cells(sheet_page(slice_sheet(trace, ids, "Search results", "small"))).cells
    assert page[:9] == ["Id", "Process", "Thread", "Name", "Category", "Start", "Duration", "Self", "Depth"]
    assert [page[9 + 3], page[18 + 3]] == ["relu", "main"]
    main = dict(zip(page[:9], page[18:], strict=False))
    assert main["Start"].endswith(" ns")
    assert main["Duration"] == "1.000 µs"


def test_statistics_as_a_table_and_as_a_part_of_a_page() -> None:
    trace = small_trace()
    result = statistics(trace)
    sheet = statistics_sheet(result, np.arange(len(result))[::-1], "small")
    rows: list[Any] = list(sheet.rows(Progress()))
    assert [row[0] for row in rows] == list(result.labels[::-1])
    assert [row[2] for row in rows] == result.total_ns[::-1].tolist()
    build = TraceBuilder()
    for i in range(PAGE_GROUPS + 3):
        build.slice(0, 0, 100 * i, 50 + i, f"n{i}")
    many = statistics(build.finish(Origin("test")))
    section = statistics_section(many, "Statistics")
    assert section.table is not None
    assert len(section.table.rows) == PAGE_GROUPS
    assert section.table.rows[0][0] == f"n{PAGE_GROUPS + 2}"
    assert section.table.note == "3 more groups take less time in total."
    assert len(many.head(5)) == 5
    assert many.head(5).labels == many.labels[:5]


def test_a_cell_of_several_lines_keeps_them_on_a_page() -> None:
    sheet = answer_sheet(("explain_key", "explain_value"), [("plan", "┌──┐\n│ a│")], "about")
    assert '<td class="left lines">┌──┐\n│ a│</td>' in sheet_page(sheet)
    assert sheet_text(sheet, 10) == ("┌──┐\n│ a│\n", 1)
