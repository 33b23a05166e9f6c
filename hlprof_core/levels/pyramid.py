"""Levels of detail: for each lane, runs of slices merged so that a frame costs what its pixels cost.

A run knows its first slice and its longest one; so any property of a slice can be shown at any zoom. At most 24 bytes a slice.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from hlprof_core._kernels import levels as kernel
from hlprof_core.progress import LOOK_S, Progress
from hlprof_core.trace.model import Trace
from hlprof_core.trace.table import I8, U4

F4 = npt.NDArray[np.float32]

FIRST_SHARE, NEXT_SHARE = 0.38, 0.48
"""A level is kept when it has at most this share of the rows of the finer one: bounds the memory of the whole pyramid."""
SMALL = 200_000
"""Below so many rows one thread is faster than several."""


class Level(Struct, frozen=True, eq=False):
    """Runs of 2^shift ns. Row r: ``start_ns``, ``length_ns``, busy time, and the slice that lasts longest; ``first`` = its first slice.

    The finest level (shift -1) is the slices themselves: the last four columns are None.
    """

    shift: int
    offsets: I8
    start_ns: I8
    length_ns: I8
    busy_ns: F4 | None = None
    longest_ns: F4 | None = None
    longest: U4 | None = None
    first: U4 | None = None

    @property
    def width_ns(self) -> int:
        """Starts of one run lie less than this apart."""
        return 1 << self.shift if self.shift >= 0 else 0

    @property
    def columns(self) -> tuple[I8, I8, F4 | None, F4 | None, U4 | None, U4 | None]:
        """What a row consists of."""
        return self.start_ns, self.length_ns, self.busy_ns, self.longest_ns, self.longest, self.first

    def __len__(self) -> int:
        return len(self.start_ns)


class Pyramid(Struct, frozen=True, eq=False):
    """Levels over lanes, finest first; lane i of each level holds rows ``offsets[i]:offsets[i+1]``."""

    levels: tuple[Level, ...]

    def fitting(self, ns_per_pixel: float) -> Level:
        """The coarsest level whose runs are narrower than a pixel: what it draws is right to less than one pixel."""
        best = self.levels[0]
        for level in self.levels[1:]:
            if level.width_ns <= ns_per_pixel:
                best = level
        return best

    @property
    def size_bytes(self) -> int:
        """Memory beyond the slices themselves."""
        return sum(column.nbytes for level in self.levels[1:] for column in level.columns if column is not None)


def build_pyramid(start_ns: I8, length_ns: I8, offsets: I8, progress: Progress | None = None, stage: str = "Levels of detail") -> Pyramid:
    """Levels over rows that are sorted and free of overlap inside each lane."""
    finest = Level(-1, offsets, start_ns, length_ns)
    made = [finest]
    rows, lanes = len(start_ns), len(offsets) - 1
    if not rows or not lanes:
        return Pyramid((finest,))
    used = offsets[:-1] < offsets[1:]
    extents = start_ns[offsets[1:][used] - 1] - start_ns[offsets[:-1][used]]
    floor_rows = max(256, int(used.sum()))
    longest_extent = int(extents.max())
    spacing = max(1, int(extents.sum()) // rows)
    shift = max(0, spacing.bit_length() - 1)
    progress = progress or Progress()
    with _Team(rows, lambda: progress.report(stage, len(start_ns) - rows, len(start_ns))) as team:
        while rows > floor_rows:
            source, share = made[-1], FIRST_SHARE if len(made) == 1 else NEXT_SHARE
            counts = np.zeros(lanes, np.int64)
            team.run(source.offsets, lambda a, b: kernel.count_runs(source.start_ns, source.offsets, a, b, shift, counts))  # noqa: B023
            if counts.sum() <= rows * share:
                made.append(_merge(source, counts, shift, team))
                rows = len(made[-1])
            elif 1 << shift > longest_extent:
                break
            shift += 1
    progress.report(stage, len(start_ns), len(start_ns))
    return Pyramid(tuple(made))


def _merge(source: Level, counts: I8, shift: int, team: _Team) -> Level:
    out_offsets = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=out_offsets[1:])
    n = int(out_offsets[-1])
    times = np.empty(n, np.int64), np.empty(n, np.int64)
    columns = *times, np.empty(n, np.float32), np.empty(n, np.float32), np.empty(n, np.uint32), np.empty(n, np.uint32)
    level = Level(shift, out_offsets, *columns)
    inputs = (source.start_ns, source.length_ns, source.offsets, source.busy_ns, source.longest_ns, source.longest, source.first)
    team.run(source.offsets, lambda a, b: kernel.merge_runs(*inputs, out_offsets, *columns, a, b, shift))
    return level


class _Team:
    """Threads that share lanes by their number of rows; the kernels hold no lock. ``report`` is called while they work."""

    def __init__(self, rows: int, report: Callable[[], None]) -> None:
        self._report = report
        self.size = min(os.cpu_count() or 1, 8) if rows > SMALL else 1
        self._pool = ThreadPoolExecutor(self.size) if self.size > 1 else None

    def __enter__(self) -> _Team:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    def run(self, offsets: I8, work: Callable[[int, int], None]) -> None:
        lanes = len(offsets) - 1
        self._report()
        if self._pool is None:
            work(0, lanes)
            return
        cuts = np.searchsorted(offsets, np.linspace(0, int(offsets[-1]), self.size + 1)).clip(0, lanes)
        cuts[0], cuts[-1] = 0, lanes
        pending = {self._pool.submit(work, int(a), int(b)) for a, b in pairwise(cuts) if a < b}
        while pending:
            done, pending = wait(pending, LOOK_S, FIRST_EXCEPTION)
            for future in done:
                future.result()
            self._report()


class Levels(Struct, frozen=True, eq=False, dict=True):
    """The pyramids over one trace: ``slices`` by lane of ``trace.lanes``, ``marks`` with two lanes for each track."""

    trace: Trace
    slices: Pyramid

    @cached_property
    def marks(self) -> Pyramid:
        """What has no length, made on first use: instants of each track, then samples of each (``trace.samples_by_track``)."""
        trace = self.trace
        order, offsets = trace.samples_by_track
        times = np.concatenate((trace.instants.time_ns, trace.stack_samples.time_ns[order]))
        first = np.searchsorted(trace.instants.track, np.arange(len(trace.tracks))).astype(np.int64)
        return build_pyramid(times, np.zeros(len(times), np.int64), np.concatenate((first, len(trace.instants) + offsets)))


def build_levels(trace: Trace, progress: Progress | None = None) -> Levels:
    """Make the pyramid; cost grows with the slices, memory is at most 24 bytes a slice."""
    slices = trace.slices
    return Levels(trace, build_pyramid(slices.start_ns, slices.dur_ns, trace.lanes.offsets, progress))
