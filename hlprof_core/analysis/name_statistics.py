"""Statistics by name for any stretch of time in milliseconds: an index over the slices of each name, in order of start.

In that order the slices that start in a window are one stretch of each name. Sums come from sums over blocks, quantiles from
``RangeQuantiles``; the few that start before the window and reach into it (one a lane at most) are added one by one.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from hlprof_core.analysis.group_label import label_of
from hlprof_core.analysis.self_time import self_ns
from hlprof_core.analysis.statistics import Statistics, outside_ns, quantile_place, sums, whole
from hlprof_core.levels.name_index import NameIndex
from hlprof_core.levels.range_quantiles import RangeQuantiles, build_range_quantiles
from hlprof_core.levels.text_set import Mask
from hlprof_core.levels.window import first_not, touched
from hlprof_core.progress import Progress
from hlprof_core.trace.ranges import TimeRange
from hlprof_core.trace.table import I8

BLOCK = 16


class _Sums(Struct, frozen=True, eq=False):
    """Sums of a column in the order of ``by_name``, kept for each block: half a byte a slice."""

    before: I8

    @classmethod
    def of(cls, ordered: I8) -> _Sums:
        padded = np.zeros(-(-len(ordered) // BLOCK) * BLOCK, np.int64)
        padded[: len(ordered)] = ordered
        return cls(np.concatenate(([0], np.cumsum(padded.reshape(-1, BLOCK).sum(axis=1)))).astype(np.int64))

    def up_to(self, row: I8, column: I8, by_name: np.ndarray) -> I8:
        """Sum of the rows below each ``row``."""
        block = row // BLOCK
        places = block[:, None] * BLOCK + np.arange(BLOCK)
        values = column[by_name[np.minimum(places, max(len(by_name) - 1, 0))]]
        total: I8 = self.before[block] + np.where(places < row[:, None], values, 0).sum(axis=1)
        return total


class NameStatistics:
    """Answers ``statistics(by="name")``. Some 5 bytes a slice beside the index of names."""

    def __init__(self, index: NameIndex, progress: Progress | None = None) -> None:
        """Sorts all durations: about half a second a million slices."""
        progress = progress or Progress()
        self.index, trace = index, index.trace
        self._own = self_ns(trace)
        progress.check()
        ordered = trace.slices.dur_ns[index.by_name]
        self._total = _Sums.of(ordered)
        self._quantiles: RangeQuantiles = build_range_quantiles(ordered, progress)
        self._self = _Sums.of(self._own[index.by_name])
        self._labels = np.array([label_of(trace.strings[i]) for i in index.names.tolist()], object)

    def statistics(self, window: TimeRange | None = None, is_wanted: Mask | None = None) -> Statistics:
        """The same as ``statistics(trace, window)``; ``is_wanted`` leaves names out (one for each of ``index.names``)."""
        index, trace = self.index, self.index.trace
        slices = trace.slices
        groups = np.arange(len(index.names)) if is_wanted is None else np.flatnonzero(is_wanted)
        low, high = index.offsets[:-1][groups], index.offsets[1:][groups]
        stretch = window or whole(trace)
        first = first_not(low, high, lambda row: slices.start_ns[index.by_name[row]] < stretch.start_ns) if window else low
        stop = first_not(first, high, lambda row: slices.start_ns[index.by_name[row]] < stretch.end_ns) if window else high
        owner, reaching, outside_of, outside = self._edges(groups, stretch, window is not None)
        count = stop - first + np.bincount(owner, minlength=len(groups))
        total, own = (
            kept.up_to(stop, column, index.by_name) - kept.up_to(first, column, index.by_name) + sums(owner, column[reaching], len(groups))
            for kept, column in ((self._total, slices.dur_ns), (self._self, self._own))
        )
        clipped = total - sums(outside_of, outside, len(groups))
        used = np.flatnonzero(count)
        used = used[np.lexsort((used, -total[used]))]
        place = np.full(len(groups), -1)
        place[used] = np.arange(len(used))
        n = count[used]
        places = (quantile_place(n, 50), quantile_place(n, 95), np.zeros_like(n), n - 1)
        extra_of = np.concatenate([place[owner] + k * len(used) for k in range(len(places))]).astype(np.int64)
        found = self._quantiles.kth(
            np.tile(first[used], 4), np.tile(stop[used], 4), np.concatenate(places), extra_of, np.tile(slices.dur_ns[reaching], 4)
        )
        labels = tuple(self._labels[groups[used]].tolist())
        return Statistics("name", labels, n, total[used], clipped[used], own[used], *found.reshape(4, -1))

    def _edges(self, groups: I8, window: TimeRange, is_cut: bool) -> tuple[I8, I8, I8, I8]:
        """Group and slice of those that start before the window and reach into it; group and time outside of all that reach out."""
        none = np.empty(0, np.int64)
        if not is_cut:
            return none, none, none, none
        trace = self.index.trace
        near = touched(trace, window)
        used = near.first < near.stop
        edge = np.unique(np.concatenate((near.first[used], near.stop[used] - 1)))
        group_of_name = np.full(len(trace.strings), -1)
        group_of_name[self.index.names[groups]] = np.arange(len(groups))
        group = group_of_name[trace.slices.name[edge]]
        edge, group = edge[group >= 0], group[group >= 0]
        is_before = trace.slices.start_ns[edge] < window.start_ns
        return group[is_before], edge[is_before], group, outside_ns(trace, edge, window)
