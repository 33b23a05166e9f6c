"""A report for a terminal: aligned, as wide as the window, in colour only where asked. Piped, it is plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from hlprof_core.report.document import Document, Table
from hlprof_core.report.visible import visible_document

if TYPE_CHECKING:
    from rich.console import Console

BAR_CELLS = 20
NARROWEST = 60
NARROWEST_TEXT = 12
_EIGHTHS = " ▏▎▍▌▋▊▉█"


def render_text(document: Document, *, width: int | None = None, color: bool = False) -> str:
    """The page as text; ``width`` in columns, None: the terminal's, or 100 when there is none."""
    import shutil

    from rich.console import Console
    from rich.text import Text

    document = visible_document(document)
    columns = max(NARROWEST, width or shutil.get_terminal_size((100, 24)).columns)
    colors: Literal["standard"] | None = "standard" if color else None
    console = Console(width=columns, force_terminal=color, no_color=not color, color_system=colors, highlight=False, emoji=False)
    with console.capture() as capture:
        console.print(Text(document.title, style="bold"), Text(f"  {document.subtitle}", style="dim"), sep="")
        for warning in document.warnings:
            console.print(Text(f"! {warning}", style="bold red"))
        for section in document.sections:
            console.print()
            console.print(Text(section.title, style="bold cyan"))
            for paragraph in section.paragraphs:
                _print_hanging(console, "• ", paragraph)
            if section.table is not None:
                _print_table(console, section.table)
    return "\n".join(line.rstrip() for line in capture.get().splitlines()) + "\n"


def _print_hanging(console: Console, mark: str, paragraph: str) -> None:
    from rich.table import Table as Grid
    from rich.text import Text

    grid = Grid.grid(padding=0)
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(mark, Text(paragraph))
    console.print(grid)


def _print_table(console: Console, table: Table) -> None:
    from rich.table import Table as Grid
    from rich.text import Text

    grid = Grid(box=None, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    widths = column_widths(table, console.width)
    for column, width in zip(table.columns, widths, strict=True):
        grid.add_column(column.title, justify="right" if column.align == "right" else "left", no_wrap=True, min_width=width)
    for row in table.rows:
        texts = [draw_bar(cell) if isinstance(cell, float) else shorten(cell, width) for cell, width in zip(row, widths, strict=True)]
        grid.add_row(*map(Text, texts))
    console.print(grid)
    if table.note:
        console.print(Text(table.note, style="dim"))


def column_widths(table: Table, width: int) -> list[int]:
    """Columns as wide as their cells; where the room ends, texts give way, the first one last, and figures never."""
    natural = [
        max([len(column.title), *(BAR_CELLS if isinstance(cell := row[i], float) else len(cell) for row in table.rows)])
        for i, column in enumerate(table.columns)
    ]
    texts = [i for i, column in enumerate(table.columns) if column.align == "left"]
    room = width - 2 * len(natural) - sum(n for i, n in enumerate(natural) if i not in texts)
    for i in reversed(texts):
        excess = sum(natural[k] for k in texts) - room
        if excess > 0:
            natural[i] = max(natural[i] - excess, min(natural[i], NARROWEST_TEXT))
    return natural


def draw_bar(share: float, cells: int = BAR_CELLS) -> str:
    """A bar of block characters for a share from 0 to 1, to an eighth of a cell; something above 0 is always seen."""
    eighths = round(min(max(share, 0.0), 1.0) * cells * 8)
    if share > 0:
        eighths = max(1, eighths)
    full, rest = divmod(eighths, 8)
    return (_EIGHTHS[8] * full + (_EIGHTHS[rest] if rest else "")).ljust(cells)


def shorten(text: str, room: int) -> str:
    """Cut in the middle, so that both the family and the number of a name survive."""
    if len(text) <= room:
        return text
    head = (room - 1) * 2 // 3
    return f"{text[:head]}…{text[len(text) - (room - 1 - head) :]}"
