"""Reports as a Markdown page: for issues, wikis and pull requests."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from hlprof_core.report.document import Document, Table, cells_as_text
from hlprof_core.report.visible import visible_document


def render_markdown(documents: Sequence[Document], *, linked: bool = False) -> str:
    """One page for all documents. ``linked``: cells of rows that have a target lead there, for whoever can follow such links."""
    return "\n".join(line for document in documents for line in _page(visible_document(document), linked=linked))


def _page(document: Document, *, linked: bool = False) -> list[str]:
    """The lines of one page."""
    lines = [f"# {escape(document.title)}", "", escape(document.subtitle), ""]
    for warning in document.warnings:
        lines += [f"> **Warning** {escape(warning)}", ""]
    for section in document.sections:
        lines += [f"## {escape(section.title)}", ""]
        if section.paragraphs:
            lines += [f"- {escape(paragraph)}" for paragraph in section.paragraphs]
            lines.append("")
        if section.table is not None:
            lines += [*_table(section.table, linked=linked), ""]
    return lines


def _table(table: Table, *, linked: bool) -> list[str]:
    shown = [i for i, column in enumerate(table.columns) if column.align != "bar"]
    titles = [table.columns[i].title for i in shown]
    rules = ["---" if table.columns[i].align == "left" else "---:" for i in shown]
    lines = [_line(titles), _line(rules)]
    for number, row in enumerate(table.rows):
        cells = [escape(cell) for cell in cells_as_text(row)]
        target = table.targets[number] if linked and number < len(table.targets) else ""
        if target:
            cells = [f"[{cell}]({quote(target, safe='')})" if cell else "" for cell in cells]
        lines.append(_line([cells[i] for i in shown]))
    return [*lines, "", table.note] if table.note else lines


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def escape(text: str) -> str:
    """Text that Markdown shows as it is: names of kernels are full of ``<``, ``_`` and ``|``; ``&amp;`` and ``~~`` mean something too."""
    for mark in "\\`*_|<>[]#&~":
        text = text.replace(mark, "\\" + mark)
    return " ".join(text.split())
