"""What a stretch of time looks like in pixel columns: for each strip the pixels, what lies under each of them, and where names fit."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from hlprof_core._kernels import columns as kernel
from hlprof_core.levels.pyramid import Level, Pyramid
from hlprof_core.trace.ranges import TimeRange
from hlprof_core.trace.table import F8, I1, I8, U4

I4 = npt.NDArray[np.int32]
F4 = npt.NDArray[np.float32]

NO_SLICE = 0xFFFFFFFF
MAX_LABELS = 4000
FAINTEST = 0.4
"""Ink of a slice that covers next to nothing of its pixel: it stays visible."""


class Strips(Struct, frozen=True):
    """Lanes to draw: strip s shows lanes ``lanes[offsets[s]:offsets[s+1]]`` in one line; several lanes give their average."""

    offsets: I8
    lanes: I8

    @classmethod
    def single(cls, lanes: I8) -> Strips:
        """One strip for each lane."""
        return cls(np.arange(len(lanes) + 1, dtype=np.int64), np.ascontiguousarray(lanes, np.int64))

    def only(self, strip: int) -> Strips:
        """One of the strips."""
        first, last = self.offsets[strip], self.offsets[strip + 1]
        return Strips(np.array([0, last - first], np.int64), self.lanes[first:last])

    def __len__(self) -> int:
        return len(self.offsets) - 1


class Ink:
    """How slices are coloured: ``index`` a number for each, ``palette`` the 256 colours 0xffRRGGBB.

    Numbers are also kept in the order of each level that was drawn: looking them up slice by slice would miss the processor's cache.
    """

    def __init__(self, index: I1, palette: U4) -> None:
        self.index, self.palette = index, palette
        self._of_level: dict[Level, I1] = {}

    def recoloured(self, palette: U4) -> Ink:
        """The same numbers in other colours."""
        other = Ink(self.index, palette)
        other._of_level = self._of_level
        return other

    @property
    def size_bytes(self) -> int:
        """Memory of the numbers, those in the order of levels included."""
        return self.index.nbytes + sum(numbers.nbytes for numbers in self._of_level.values())

    def of_level(self, level: Level) -> I1:
        """The number for each row of a level: that of its longest slice."""
        if level.longest is None:
            return self.index
        if level not in self._of_level:
            self._of_level[level] = self.index[level.longest]
        return self._of_level[level]


class Columns(Struct, frozen=True):
    """Under pixel (strip, x): ``best`` the slice that covers most of it (``NO_SLICE``: none), ``count`` slices, ``share`` busy 0..1."""

    best: U4
    count: U4
    share: F4

    @classmethod
    def empty(cls, strips: int, width: int) -> Columns:
        shape = (strips, width)
        return cls(np.empty(shape, np.uint32), np.empty(shape, np.uint32), np.empty(shape, np.float32))


def draw_strips(
    pyramid: Pyramid,
    strips: Strips,
    window: TimeRange,
    ink: Ink,
    pixels: U4,
    *,
    columns: Columns | None = None,
    strength: float = 1.0,
    faintest: float = FAINTEST,
    bordered: bool = True,
    min_label: float = 0.0,
) -> I4:
    """Blend the strips over ``pixels`` (strips x width, 0xffRRGGBB, C-contiguous).

    Returns boxes (strip, left, right, slice) of what is at least ``min_label`` pixels wide (0: none wanted), at most
    ``MAX_LABELS``; the slice id is a uint32 in an int32.
    """
    width = pixels.shape[1]
    level = pyramid.fitting(window.length_ns / width)
    boxes = np.empty((MAX_LABELS if min_label else 0, 4), np.int32)
    parts = (
        level.start_ns,
        level.length_ns,
        level.offsets,
        level.busy_ns,
        level.longest_ns,
        level.longest,
        level.first,
        strips.offsets,
        strips.lanes,
        ink.of_level(level),
        ink.palette,
        pixels,
        columns.best if columns else None,
        columns.count if columns else None,
        columns.share if columns else None,
        boxes if min_label else None,
    )
    size = len(pyramid.levels[0]), width
    used = kernel.raster_strips(parts, window.start_ns, window.end_ns, *size, faintest, strength, bordered, min_label)
    return boxes[:used]


class CounterLevels:
    """Lowest and highest value of each block of samples, so that a wide view does not visit every sample."""

    BLOCK = 64

    def __init__(self, time_ns: I8, value: F8) -> None:
        self.time_ns, self.value = np.ascontiguousarray(time_ns), np.ascontiguousarray(value)
        edges = np.arange(0, len(value), self.BLOCK)
        self.low = np.fmin.reduceat(self.value, edges) if len(value) else np.empty(0)
        self.high = np.fmax.reduceat(self.value, edges) if len(value) else np.empty(0)

    def columns(self, first: int, last: int, window: TimeRange, width: int) -> tuple[F8, F8]:
        """Lowest and highest value in effect in each pixel, samples ``first:last`` being one series; NaN before its first sample."""
        low, high = np.empty(width), np.empty(width)
        blocks = self.low, self.high, self.BLOCK
        limits = window.start_ns, window.end_ns
        kernel.counter_columns(self.time_ns, self.value, first, last, *blocks, *limits, low, high)
        return low, high
