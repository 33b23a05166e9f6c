"""The rows of a query as a table for people, CSV or JSON; written row by row, whatever their number."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any, TextIO

from hlprof_core.registry import Registry
from hlprof_core.report.visible import visible

Writer = Callable[[Sequence[str], Iterable[Sequence[Any]], TextIO], None]
formats: Registry[Writer] = Registry("format")
WIDEST = 60
EXPLANATION = ("explain_key", "explain_value")
"""Columns of an EXPLAIN, whose one value is a drawing."""


def plain(value: Any) -> Any:
    """A value of the database as JSON knows it: whole decimals become integers, dates and the rest become text."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    return str(value)


def write_json(columns: Sequence[str], rows: Iterable[Sequence[Any]], out: TextIO) -> None:
    """``{"columns": [...], "rows": [[...]]}``; numbers that are not finite become null."""
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    out.write(f'{{"columns":{encode(list(columns))},"rows":[')
    for index, row in enumerate(rows):
        out.write(f"{',' if index else ''}\n{encode([plain(value) for value in row])}")
    out.write("\n]}\n")


def write_csv(columns: Sequence[str], rows: Iterable[Sequence[Any]], out: TextIO) -> None:
    """Comma-separated with a header line; empty where there is no value."""
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow(["" if value is None else plain(value) for value in row])


def write_table(columns: Sequence[str], rows: Iterable[Sequence[Any]], out: TextIO) -> None:
    """Aligned columns for people; numbers to the right, long texts cut."""
    if tuple(columns) == EXPLANATION:
        out.writelines(f"{text}\n" for _, text in rows)
        return
    for block in _blocks(rows, 1000):
        cells = [[_cell(value) for value in row] for row in block]
        is_number = [any(_is_number(row[i]) for row in block) for i in range(len(columns))]
        widths = [max([len(title), *(len(row[i]) for row in cells)]) for i, title in enumerate(columns)]
        for line in (list(columns), ["-" * w for w in widths], *cells):
            padded = [c.rjust(w) if right else c.ljust(w) for c, w, right in zip(line, widths, is_number, strict=True)]
            out.write("  ".join(padded).rstrip() + "\n")


def _blocks(rows: Iterable[Sequence[Any]], size: int) -> Iterator[list[Sequence[Any]]]:
    """Rows in parts, so that the first appear before the last are known; always at least one part."""
    block: list[Sequence[Any]] = []
    is_first = True
    for row in rows:
        block.append(row)
        if len(block) == size:
            yield block
            block, is_first = [], False
    if block or is_first:
        yield block


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "true" if value else "false"
    text = visible(str(plain(value) if isinstance(value, Decimal) else value).replace("\n", " "))
    return text if len(text) <= WIDEST else text[: WIDEST - 1] + "…"


formats.add("table", write_table)
formats.add("csv", write_csv)
formats.add("json", write_json)
