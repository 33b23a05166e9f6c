"""Which slices touch a stretch of time: two binary searches in each lane, all lanes at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct

from hlprof_core.levels.text_set import Mask
from hlprof_core.trace.model import Trace
from hlprof_core.trace.ranges import TimeRange
from hlprof_core.trace.table import I8


class Touched(Struct, frozen=True, eq=False):
    """Rows ``first[i]:stop[i]`` of each lane. Only the first and the last of them can reach out of the stretch."""

    first: I8
    stop: I8

    @property
    def count(self) -> int:
        return int((self.stop - self.first).sum())

    def rows(self) -> I8:
        """All of them, ascending."""
        sizes = self.stop - self.first
        ends = np.cumsum(sizes)
        found: I8 = np.arange(int(ends[-1]) if len(ends) else 0) + np.repeat(self.first - (ends - sizes), sizes)
        return found


def touched(trace: Trace, window: TimeRange) -> Touched:
    """Slices with a part in the window; one without duration counts when it lies inside, the end excluded."""
    slices, offsets = trace.slices, trace.lanes.offsets
    low, high = offsets[:-1], offsets[1:]

    def is_before(row: I8) -> Mask:
        start = slices.start_ns[row]
        before: Mask = (start < window.start_ns) & (start + slices.dur_ns[row] <= window.start_ns)
        return before

    first = first_not(low, high, is_before)
    stop = first_not(low, high, lambda row: slices.start_ns[row] < window.end_ns)
    return Touched(first, np.maximum(first, stop))


def first_not(low: I8, high: I8, is_before: Callable[[I8], Mask]) -> I8:
    """For each stretch ``low:high`` its first row that is not before; rows that are come first in each."""
    low, high = low.astype(np.int64).copy(), high.astype(np.int64).copy()
    while True:
        open_ = np.flatnonzero(low < high)
        if not len(open_):
            return low
        middle = (low[open_] + high[open_]) // 2
        before = is_before(middle)
        low[open_] = np.where(before, middle + 1, low[open_])
        high[open_] = np.where(before, high[open_], middle)
