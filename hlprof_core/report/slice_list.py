"""Slices as a table for other programs and for people: one row each, in the order they are given."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from hlprof_core.analysis.self_time import self_ns
from hlprof_core.progress import Progress
from hlprof_core.report.sheet import Sheet, SheetColumn
from hlprof_core.trace.model import Trace

COLUMNS = (
    SheetColumn("id", "Id", "number"), SheetColumn("process", "Process"), SheetColumn("thread", "Thread"), SheetColumn("name", "Name"),
    SheetColumn("cat", "Category"), SheetColumn("start_ns", "Start", "time"), SheetColumn("dur_ns", "Duration", "ns"),
    SheetColumn("self_ns", "Self", "ns"), SheetColumn("depth", "Depth", "number"),
)  # fmt: skip
AT_ONCE = 10_000


def slice_sheet(trace: Trace, slice_ids: np.ndarray, title: str, about: str) -> Sheet:
    """These slices with their names, places and times."""

    def rows(_progress: Progress) -> Iterator[tuple[Any, ...]]:
        return _rows(trace, slice_ids)

    return Sheet(title, about, COLUMNS, rows, len(slice_ids), trace.span.start_ns)


def _rows(trace: Trace, slice_ids: np.ndarray) -> Iterator[tuple[Any, ...]]:
    slices, texts, own = trace.slices, trace.strings, self_ns(trace)
    places = [(trace.processes[track.process].name or track.pid, track.name or track.tid) for track in trace.tracks]
    for first in range(0, len(slice_ids), AT_ONCE):
        ids = slice_ids[first : first + AT_ONCE].astype(np.int64)
        columns = [c[ids].tolist() for c in (slices.track, slices.name, slices.cat, slices.start_ns, slices.dur_ns, own, slices.depth)]
        for i, track, name, cat, *numbers in zip(ids.tolist(), *columns, strict=True):
            yield i, *places[track], texts[name], texts[cat], *numbers
