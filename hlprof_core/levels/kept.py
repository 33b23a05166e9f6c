"""Levels of detail in the cache, beside the trace that they are of: a large trace shows its first frame sooner when it is opened again."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hlprof_core.io import cache
from hlprof_core.levels.pyramid import Level, Levels, Pyramid, build_levels
from hlprof_core.progress import Progress
from hlprof_core.trace.model import Trace

NAME = "levels"
WORTHWHILE = 500_000
"""Below so many slices the levels are made in less time than the cache takes."""
TIME, SHARE, ROW = np.int64, np.float32, np.uint32
COLUMNS = {"start_ns": TIME, "length_ns": TIME, "busy_ns": SHARE, "longest_ns": SHARE, "longest": ROW, "first": ROW}


def open_levels(trace: Trace, progress: Progress | None = None) -> Levels:
    """The levels from the cache, or made and put there."""
    if len(trace.slices) < WORTHWHILE:
        return build_levels(trace, progress)
    arrays = cache.load_beside(trace, NAME)
    pyramid = _restore(trace, arrays) if arrays is not None else None
    if pyramid is not None:
        return Levels(trace, pyramid)
    levels = build_levels(trace, progress)
    cache.store_beside(trace, NAME, _arrays(levels.slices))
    return levels


def _arrays(pyramid: Pyramid) -> dict[str, npt.NDArray[Any]]:
    """All levels but the finest, which is the slices themselves."""
    upper = pyramid.levels[1:]
    arrays: dict[str, npt.NDArray[Any]] = {"shifts": np.array([level.shift for level in upper], np.int64)}
    for number, level in enumerate(upper):
        arrays |= {f"{number}.offsets": level.offsets}
        arrays |= {f"{number}.{name}": column for name, column in zip(COLUMNS, level.columns, strict=True) if column is not None}
    return arrays


def _restore(trace: Trace, arrays: dict[str, npt.NDArray[Any]]) -> Pyramid | None:
    """The pyramid; None when the arrays are no levels of these slices."""
    slices = trace.slices
    made = [Level(-1, trace.lanes.offsets, slices.start_ns, slices.dur_ns)]
    for number, shift in enumerate(arrays["shifts"].tolist()):
        offsets, *columns = (arrays[f"{number}.{name}"] for name in ("offsets", *COLUMNS))
        level = Level(shift, offsets, *columns)
        if not _fits(trace, level):
            return None
        made.append(level)
    return Pyramid(tuple(made))


def _fits(trace: Trace, level: Level) -> bool:
    """Whether a level has the form that the kernels rely on."""
    rows = int(level.offsets[-1]) if len(level.offsets) == len(trace.lanes.offsets) else -1
    columns = zip(level.columns, COLUMNS.values(), strict=True)
    are_whole = all(column is not None and column.dtype == kind and len(column) == rows for column, kind in columns)
    return are_whole and level.longest is not None and int(level.longest.max(initial=0)) < len(trace.slices)
