"""A table on its way out of the program: a file for other programs (CSV), a page for people (HTML), the clipboard (text with tabs).

    rows as they are kept -> csv, tsv: values, exact      -> html: as people read them, the first of many, with what they are about
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import Any, Literal, TextIO

from msgspec import Struct

from hlprof_core.errors import UsageError
from hlprof_core.progress import Progress
from hlprof_core.registry import Registry
from hlprof_core.replacement import replaced_whole
from hlprof_core.report.answer import EXPLANATION, plain, write_csv
from hlprof_core.report.document import Column, Document, Section, Table
from hlprof_core.report.html import render_html
from hlprof_core.units import format_ns, format_ns_exact

Kind = Literal["text", "number", "ns", "time", "any"]
"""``time`` is a point of the file's clock, shown as the distance from ``zero_ns``; ``any``: what the values are decides."""
PAGE_ROWS = 10_000
"""More make a page that browsers are slow with."""
REPORT_EVERY = 10_000


class SheetColumn(Struct, frozen=True):
    """``name`` stands in files for programs, ``title`` on pages."""

    name: str
    title: str
    kind: Kind = "text"


class Sheet(Struct, frozen=True):
    """``about`` tells what the rows are about: trace, time, filter. ``rows`` may be asked more than once, in any thread.

    ``count`` None: not known before the last row.
    """

    title: str
    about: str
    columns: tuple[SheetColumn, ...]
    rows: Callable[[Progress], Iterable[Sequence[Any]]]
    count: int | None = None
    zero_ns: int = 0


SheetWriter = Callable[[Sheet, Progress, TextIO], None]
sheet_formats: Registry[SheetWriter] = Registry("format")
"""By the ends of names, without the dot."""


def write_sheet(sheet: Sheet, target: Path, progress: Progress | None = None) -> None:
    """Write it as the name says. ``UsageError`` for another name; ``ExportError`` when it cannot be written: what was there stays then."""
    form = target.suffix.lower().removeprefix(".")
    if form not in sheet_formats:
        raise UsageError(f"{target}: cannot write a table in that form.", hint=f"Name it .{', .'.join(sheet_formats.names())}.")
    with replaced_whole(target) as temporary, open(temporary, "w", encoding="utf-8", newline="") as out:
        sheet_formats.get(form)(sheet, progress or Progress(), out)


def answer_sheet(columns: Sequence[str], rows: Iterable[Sequence[Any]], about: str, count: int | None = None) -> Sheet:
    """The answer to a query, whose rows may come only once."""
    return Sheet("Answer", about, tuple(SheetColumn(name, name, "any") for name in columns), lambda _: rows, count)


def sheet_page(sheet: Sheet, progress: Progress | None = None) -> str:
    """The table as a page that stands alone; of many rows the first, and how many are left out."""
    return render_html([sheet_document(sheet, progress or Progress())])


def sheet_text(sheet: Sheet, most: int, progress: Progress | None = None) -> tuple[str, int]:
    """Up to ``most`` rows below their names, cells apart by tabs, and how many rows there are in it; a plan as it was drawn."""
    rows = [list(row) for row in islice(_told(sheet, progress or Progress()), most)]
    names = [column.name for column in sheet.columns]
    if tuple(names) == EXPLANATION:
        return "".join(f"{drawn}\n" for _, drawn in rows), len(rows)
    lines = [names, *([_cell_text(value) for value in row] for row in rows)]
    return "".join("\t".join(cells) + "\n" for cells in lines), len(rows)


def sheet_document(sheet: Sheet, progress: Progress) -> Document:
    """The page before it becomes HTML."""
    rows = list(islice(_told(sheet, progress), PAGE_ROWS + 1))
    kinds = [_kind(column, (row[i] for row in rows)) for i, column in enumerate(sheet.columns)]
    columns = tuple(Column(c.title, "left" if kind == "text" else "right") for c, kind in zip(sheet.columns, kinds, strict=True))
    shown = tuple(tuple(_shown(value, kind, sheet.zero_ns) for value, kind in zip(row, kinds, strict=True)) for row in rows[:PAGE_ROWS])
    return Document(sheet.title, sheet.about, sections=(Section("", table=Table(columns, shown, _count_text(sheet, len(rows)))),))


def _count_text(sheet: Sheet, read: int) -> str:
    if read <= PAGE_ROWS:
        return f"{read:,} row{'s' * (read != 1)}."
    if sheet.count is None:
        return f"The first {PAGE_ROWS:,} rows; more are left out. As CSV it has all of them."
    return f"The first {PAGE_ROWS:,} of {sheet.count:,} rows; {sheet.count - PAGE_ROWS:,} are left out. As CSV it has all of them."


def _told(sheet: Sheet, progress: Progress) -> Iterator[Sequence[Any]]:
    for done, row in enumerate(sheet.rows(progress)):
        if not done % REPORT_EVERY:
            progress.report("writing", done, sheet.count or 0)
        yield row


def _kind(column: SheetColumn, values: Iterable[Any]) -> Kind:
    if column.kind != "any":
        return column.kind
    first = next((value for value in values if value is not None), "")
    return "number" if isinstance(first, int | float | Decimal) and not isinstance(first, bool) else "text"


def _shown(value: Any, kind: Kind, zero_ns: int) -> str:
    value = plain(value)
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if kind == "ns":
        return format_ns(round(value))
    if kind == "time":
        return format_ns_exact(value - zero_ns)
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.6g}" if isinstance(value, float) else str(value)


def _cell_text(value: Any) -> str:
    value = plain(value)
    return "" if value is None else " ".join(str(value).split())


def _csv(sheet: Sheet, progress: Progress, out: TextIO) -> None:
    write_csv([column.name for column in sheet.columns], _told(sheet, progress), out)


def _html(sheet: Sheet, progress: Progress, out: TextIO) -> None:
    out.write(sheet_page(sheet, progress))


def _tsv(sheet: Sheet, progress: Progress, out: TextIO) -> None:
    out.write("\t".join(column.name for column in sheet.columns) + "\n")
    out.writelines("\t".join(map(_cell_text, row)) + "\n" for row in _told(sheet, progress))


sheet_formats.add("csv", _csv)
sheet_formats.add("html", _html)
sheet_formats.add("tsv", _tsv)
