"""Statistics as a table: all columns for a file, the weightiest groups for a page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from hlprof_core.analysis.statistics import Statistics
from hlprof_core.progress import Progress
from hlprof_core.report.document import Column, Section, Table
from hlprof_core.report.sheet import Sheet, SheetColumn
from hlprof_core.units import format_ns

COLUMNS = (
    SheetColumn("group", "Group"), SheetColumn("count", "Count", "number"), SheetColumn("total_ns", "Total", "ns"),
    SheetColumn("clipped_ns", "In time", "ns"), SheetColumn("self_ns", "Self", "ns"), SheetColumn("mean_ns", "Mean", "ns"),
    SheetColumn("median_ns", "Median", "ns"), SheetColumn("p95_ns", "p95", "ns"), SheetColumn("min_ns", "Min", "ns"),
    SheetColumn("max_ns", "Max", "ns"),
)  # fmt: skip
"""Their names are those of ``Statistics``."""
PAGE_GROUPS = 40


def statistics_sheet(result: Statistics, order: np.ndarray, about: str) -> Sheet:
    """Groups in this order (places in ``result``)."""

    def rows(_progress: Progress) -> Iterator[tuple[Any, ...]]:
        columns = [getattr(result, column.name)[order].tolist() for column in COLUMNS[1:]]
        labels = (result.labels[i] for i in order.tolist())
        return iter(zip(labels, *columns, strict=True))

    return Sheet(f"Statistics by {result.by}", about, COLUMNS, rows, len(order))


def statistics_section(result: Statistics, title: str) -> Section:
    """The weightiest groups, and how many more there are."""
    shown = range(min(len(result), PAGE_GROUPS))
    rows = tuple(
        (result.labels[i], f"{int(result.count[i]):,}", *(format_ns(round(float(getattr(result, c.name)[i]))) for c in COLUMNS[2:]))
        for i in shown
    )
    left = len(result) - len(rows)
    note = f"{left:,} more group{'s' * (left != 1)} take less time in total." if left else ""
    columns = tuple(Column(c.title, "left" if c.kind == "text" else "right") for c in COLUMNS)
    paragraphs = () if rows else ("No slices.",)
    return Section(title, paragraphs, Table(columns, rows, note) if rows else None)
