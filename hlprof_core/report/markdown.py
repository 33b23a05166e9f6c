"""Reports as a Markdown page: for issues, wikis and pull requests."""

from __future__ import annotations

from collections.abc import Sequence

from hlprof_core.report.document import Document, Table, cells_as_text


def render_markdown(documents: Sequence[Document]) -> str:
    """One page for all documents."""
    return "\n".join(line for document in documents for line in _page(document))


def _page(document: Document) -> list[str]:
    lines = [f"# {escape(document.title)}", "", escape(document.subtitle), ""]
    for warning in document.warnings:
        lines += [f"> **Warning** {escape(warning)}", ""]
    for section in document.sections:
        lines += [f"## {escape(section.title)}", ""]
        if section.paragraphs:
            lines += [f"- {escape(paragraph)}" for paragraph in section.paragraphs]
            lines.append("")
        if section.table is not None:
            lines += [*_table(section.table), ""]
    return lines


def _table(table: Table) -> list[str]:
    shown = [i for i, column in enumerate(table.columns) if column.align != "bar"]
    titles = [table.columns[i].title for i in shown]
    rules = ["---" if table.columns[i].align == "left" else "---:" for i in shown]
    lines = [_line(titles), _line(rules)]
    for row in table.rows:
        cells = cells_as_text(row)
        lines.append(_line([escape(cells[i]) for i in shown]))
    return [*lines, "", table.note] if table.note else lines


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def escape(text: str) -> str:
    """Text that Markdown shows as it is: names of kernels are full of ``<``, ``_`` and ``|``."""
    for mark in "\\`*_|<>[]#":
        text = text.replace(mark, "\\" + mark)
    return " ".join(text.split())
