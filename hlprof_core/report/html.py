"""Reports as one HTML page that stands alone: no script, no font, no picture from elsewhere; light and dark, and it prints."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from hlprof_core.report.document import Document, Section, Table
from hlprof_core.report.visible import visible_document, visible_lines

STYLE = """
:root { color-scheme: light dark; --ink: #1d2330; --soft: #5d6679; --line: #d9dee8; --paper: #ffffff; --wash: #f4f6fa;
  --bar: #2f6fde; --bad: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e8f0; --soft: #98a2b5; --line: #333b4b; --paper: #161a22; --wash: #1e242f; --bar: #6ea2ff; --bad: #ff8a80; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
main:has(th:nth-child(9)) { max-width: 80rem; }
h1 { font-size: 1.5rem; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.05rem; margin: 2rem 0 .5rem; }
.subtitle, .note, th { color: var(--soft); }
.subtitle { margin: .2rem 0 1rem; }
.note { font-size: .85rem; margin: .4rem 0 0; }
.warning { border-left: 4px solid var(--bad); background: var(--wash); padding: .5rem .8rem; margin: .5rem 0; overflow-wrap: anywhere; }
ul { margin: .3rem 0; padding-left: 1.2rem; }
li { margin: .25rem 0; overflow-wrap: anywhere; }
.advice li:first-child { font-weight: 600; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th { font-weight: 500; font-size: .85rem; white-space: nowrap; }
th, td { padding: .3rem .7rem .3rem 0; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th.left, td.left { text-align: left; white-space: normal; overflow-wrap: anywhere; min-width: 6rem; }
td.left.lines { white-space: pre-wrap; font-family: ui-monospace, monospace; }
td.bar { width: 9rem; }
.track { display: block; height: .6rem; background: var(--wash); border-radius: 3px; }
.fill { display: block; height: 100%; background: var(--bar); border-radius: 3px; min-width: 1px; }
.picture svg { width: 100%; height: auto; border: 1px solid var(--line); border-radius: 4px; }
article + article { margin-top: 3rem; border-top: 2px solid var(--line); padding-top: 2rem; }
@media print { main { max-width: none; padding: 0; } h2 { break-after: avoid; } tr { break-inside: avoid; } }
"""


def render_html(documents: Sequence[Document]) -> str:
    """One page for all documents."""
    documents = [visible_document(document, visible_lines) for document in documents]
    title = escape(", ".join(document.title for document in documents))
    body = "\n".join(_article(document) for document in documents)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title} · hlprof</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _article(document: Document) -> str:
    parts = [f"<article>\n<h1>{escape(document.title)}</h1>", f'<p class="subtitle">{escape(document.subtitle)}</p>']
    parts += [f'<p class="warning">{escape(warning)}</p>' for warning in document.warnings]
    parts += [_section(section) for section in document.sections]
    return "\n".join([*parts, "</article>"])


def _section(section: Section) -> str:
    parts = [f"<h2>{escape(section.title)}</h2>"] if section.title else []
    if section.paragraphs:
        items = "".join(f"<li>{escape(paragraph)}</li>" for paragraph in section.paragraphs)
        parts.append(f'<ul class="{escape(section.title.partition(" ")[0].lower())}">{items}</ul>')
    if section.picture:
        parts.append(f'<div class="picture">{section.picture[section.picture.index("<svg") :]}</div>')
    if section.table is not None:
        parts.append(_table(section.table))
    return f"<section>{''.join(parts)}</section>"


def _table(table: Table) -> str:
    head = "".join(f'<th class="{column.align}" scope="col">{escape(column.title)}</th>' for column in table.columns)
    rows = []
    for row in table.rows:
        cells = [_cell(cell, column.align) for cell, column in zip(row, table.columns, strict=True)]
        rows.append(f"<tr>{''.join(cells)}</tr>")
    note = f'<p class="note">{escape(table.note)}</p>' if table.note else ""
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>{note}'


def _cell(cell: str | float, align: str) -> str:
    if isinstance(cell, float):
        share = min(max(cell, 0.0), 1.0)
        return f'<td class="bar"><span class="track"><span class="fill" style="width:{100 * share:.2f}%"></span></span></td>'
    lines = " lines" if "\n" in cell else ""
    return f'<td class="{align}{lines}">{escape(cell)}</td>'
