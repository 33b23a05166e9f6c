"""Slices as a table for other programs: one row each, in the order they are given."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from hlprof_core.analysis.self_time import self_ns
from hlprof_core.progress import Progress
from hlprof_core.replacement import replaced_whole
from hlprof_core.report.answer import write_csv
from hlprof_core.trace.model import Trace

COLUMNS = ("id", "process", "thread", "name", "cat", "start_ns", "dur_ns", "self_ns", "depth")
AT_ONCE = 10_000


def export_slices(trace: Trace, slice_ids: np.ndarray, target: Path, progress: Progress | None = None) -> None:
    """Write them as CSV; ``ExportError`` when that is not possible, what was there before stays then."""
    with replaced_whole(target) as temporary, open(temporary, "w", encoding="utf-8", newline="") as out:
        write_csv(COLUMNS, _rows(trace, slice_ids, progress or Progress()), out)


def _rows(trace: Trace, slice_ids: np.ndarray, progress: Progress) -> Iterator[tuple[Any, ...]]:
    slices, texts, own = trace.slices, trace.strings, self_ns(trace)
    places = [(trace.processes[track.process].name or track.pid, track.name or track.tid) for track in trace.tracks]
    for first in range(0, len(slice_ids), AT_ONCE):
        progress.report("writing", first, len(slice_ids))
        ids = slice_ids[first : first + AT_ONCE].astype(np.int64)
        columns = [c[ids].tolist() for c in (slices.track, slices.name, slices.cat, slices.start_ns, slices.dur_ns, own, slices.depth)]
        for i, track, name, cat, *numbers in zip(ids.tolist(), *columns, strict=True):
            yield i, *places[track], texts[name], texts[cat], *numbers
