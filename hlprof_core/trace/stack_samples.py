"""Samples of a profiler on their way into a trace: stacks share their frames, as each is the innermost frame of a tree."""

from __future__ import annotations

from array import array
from collections.abc import Callable

import numpy as np

from hlprof_core.trace.owners import Id
from hlprof_core.trace.table import NO_FRAME, Frames, StackSamples


class SampleFeed:
    """Takes frames (outer ones first) and samples in any order."""

    def __init__(self, intern: Callable[[str], int]) -> None:
        self._intern = intern
        self._frames: dict[tuple[int, int], int] = {}
        self._whole = tuple(array(code) for code in "qIIIiQI")
        self._weight = array("d")

    def frame(self, name: str, parent: int = NO_FRAME) -> int:
        """Row of the frame ``name`` that ``parent`` called."""
        return self._frames.setdefault((self._intern(name), parent), len(self._frames))

    def add(
        self, pid: Id, tid: Id, time_ns: int, name: str, weight: float, frame: int, args: tuple[int, int] = (0, 0)
    ) -> None:
        """One sample; ``frame``: the innermost frame, or ``NO_FRAME`` where no stack was recorded. ``args``: offset and length."""
        intern = self._intern
        row = (time_ns, intern(str(pid)), intern(str(tid)), intern(name), frame, *args)
        for column, value in zip(self._whole, row, strict=True):
            column.append(value)
        self._weight.append(weight)

    def finish(self) -> tuple[StackSamples, Frames]:
        """The tables, samples in order of time."""
        kinds = ("i8", "u4", "u4", "u4", "i4", "u8", "u4")
        time_ns, pid, tid, name, frame, offset, length = (
            np.array(column, kind) for column, kind in zip(self._whole, kinds, strict=True)
        )
        weight = np.array(self._weight, np.float64)
        order = np.argsort(time_ns, kind="stable")
        samples = StackSamples(
            time_ns[order], pid[order], tid[order], name[order], weight[order], frame[order], offset[order], length[order]
        )
        pairs = np.array(list(self._frames), np.int64).reshape(-1, 2)
        return samples, Frames(pairs[:, 0].astype(np.uint32), pairs[:, 1].astype(np.int32))
