"""Names in a trace may hold anything; on a page, what is no letter has a sign: ␀ for NUL, ␛ for escape, ␊ for a line's end."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from hlprof_core.report.document import Document, Section, Table

_NOTHING = "\N{REPLACEMENT CHARACTER}"
_LAYOUT = "\n\t"
_UNWRITABLE = {
    **{code: chr(0x2400 + code) for code in range(32)},
    0x7F: "\N{SYMBOL FOR DELETE}",
    **dict.fromkeys((*range(0x80, 0xA0), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF), _NOTHING),
}
"""No terminal takes these as they are, and neither XML nor HTML may hold them."""
_IN_LINES = {code: sign for code, sign in _UNWRITABLE.items() if chr(code) not in _LAYOUT}


def visible(text: str) -> str:
    """The text with a sign for each character that cannot be shown, line ends included."""
    return text if text.isprintable() else text.translate(_UNWRITABLE)


def visible_lines(text: str) -> str:
    """The same for a text of several lines, such as XML: line ends and tabs stay."""
    return text.translate(_IN_LINES)


def visible_document(document: Document, show: Callable[[str], str] = visible) -> Document:
    """The page with all its texts visible; ``show`` is for what stands in one line, paragraphs may have several."""
    return replace(
        document,
        title=show(document.title),
        subtitle=show(document.subtitle),
        warnings=tuple(map(show, document.warnings)),
        sections=tuple(_section(section, show) for section in document.sections),
    )


def _section(section: Section, show: Callable[[str], str]) -> Section:
    table = None if section.table is None else _table(section.table, show)
    return replace(section, title=show(section.title), paragraphs=tuple(map(visible_lines, section.paragraphs)), table=table)


def _table(table: Table, show: Callable[[str], str]) -> Table:
    columns = tuple(replace(column, title=show(column.title)) for column in table.columns)
    rows = tuple(tuple(show(cell) if isinstance(cell, str) else cell for cell in row) for row in table.rows)
    return replace(table, columns=columns, rows=rows, note=show(table.note))
