"""The slices that stand out on the timeline, with levels of detail of their own: any share of a trace is drawn at the same cost."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from hlprof_core.levels.pyramid import Pyramid, build_pyramid
from hlprof_core.levels.viewport import NO_SLICE
from hlprof_core.progress import Progress
from hlprof_core.trace.model import Trace
from hlprof_core.trace.table import I8, U4
from hlprof_gui.state.neighbours import among

FEW = 32
"""Fewer than one in so many are sorted; more are marked among all."""


class Found(Struct, frozen=True, eq=False):
    """``ids`` ascend; row i of the finest level of ``pyramid`` is slice ``ids[i]``."""

    ids: I8
    pyramid: Pyramid

    def holds(self, slice_ids: np.ndarray) -> np.ndarray:
        """For each of these slices whether it stands out."""
        return among(self.ids, slice_ids)

    def name_slices(self, rows: U4) -> None:
        """What is drawn from ``pyramid`` names its rows: put the ids of the slices there instead."""
        if len(self.ids):
            seen = rows != NO_SLICE
            rows[seen] = self.ids[rows[seen]]


def build_found(trace: Trace, slice_ids: np.ndarray, progress: Progress | None = None) -> Found | None:
    """Make it from slices in any order; None when all stand out, and so none does."""
    if len(slice_ids) == len(trace.slices):
        return None
    if len(slice_ids) * FEW < len(trace.slices):
        ids = np.unique(slice_ids).astype(np.int64)
    else:
        marked = np.zeros(len(trace.slices), np.bool_)
        marked[slice_ids] = True
        ids = np.flatnonzero(marked)
    table = trace.slices
    offsets = np.searchsorted(ids, trace.lanes.offsets).astype(np.int64)
    return Found(ids, build_pyramid(table.start_ns[ids], table.dur_ns[ids], offsets, progress))
