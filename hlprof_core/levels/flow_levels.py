"""Levels of detail for arrows: from which row at which time to which row at which time, single ones and ever coarser bundles of them.

Each level is sorted twice, by (row, time) of either end, so that the arrows of some rows in some time are found by binary search.
A bundle holds arrows between the same two lanes whose ends fall into the same 2^shift ns; cells of a level lie inside those of the next.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from hlprof_core.progress import Progress
from hlprof_core.trace.model import Trace
from hlprof_core.trace.table import I8, U4

B1 = npt.NDArray[np.bool_]
Whole = npt.NDArray[Any]
"""Whole numbers: int64, or uint32 where they are kept."""
SHARE = 0.5
"""A level is kept when it has at most this share of the rows of the finer one: bounds the memory of all of them."""
FEW = 4096
"""So many arrows need no levels."""
MAX_SHIFT = 62
KEY_BITS = 62
"""A lane and a time fit into so many bits; times of longer traces are cut to fit."""


class Arrows(Struct, frozen=True, eq=False):
    """Arrows or bundles, row by row: where they leave and arrive (lane, mean time), how many they are, and one of them."""

    from_lane: Whole
    to_lane: Whole
    from_ns: I8
    to_ns: I8
    count: Whole
    flow: Whole

    def __len__(self) -> int:
        return len(self.flow)

    def take(self, rows: I8 | B1) -> Arrows:
        """Some of them."""
        return Arrows(*(getattr(self, name)[rows] for name in self.__struct_fields__))

    def packed(self) -> Arrows:
        """The same in less memory."""
        small = (self.from_lane, self.to_lane, self.count, self.flow)
        from_lane, to_lane, count, flow = (column.astype(np.uint32) for column in small)
        return Arrows(from_lane, to_lane, self.from_ns, self.to_ns, count, flow)

    def widened(self) -> Arrows:
        """The same as numbers that can be reckoned with."""
        return Arrows(*(getattr(self, name).astype(np.int64) for name in self.__struct_fields__))


def arrows_of(trace: Trace, flows: I8) -> Arrows:
    """Single arrows by their rows of ``trace.flows``.

    A slice that goes on after it set off the other is left where the other begins, so that no arrow runs back in time.
    """
    source, target = trace.flows.from_slice[flows], trace.flows.to_slice[flows]
    slices = trace.slices
    start = slices.start_ns[source]
    arrive = slices.start_ns[target]
    leave = np.clip(arrive, start, start + slices.dur_ns[source])
    lanes = trace.track_lanes
    from_lane = lanes[slices.track[source]] + slices.depth[source]
    to_lane = lanes[slices.track[target]] + slices.depth[target]
    return Arrows(from_lane, to_lane, leave, arrive, np.ones(len(flows), np.int64), flows.astype(np.int64))


class FlowLevel(Struct, frozen=True, eq=False):
    """``out_key``, ``in_key``: lane * cells + cell of each end, sorted; ``out_row``, ``in_row``: the rows they belong to.

    Rows are those of ``bundles``; on the finest level, which has none, those of ``trace.flows``.
    """

    trace: Trace
    shift: int
    base: int
    """Number of the first cell."""
    cells: int
    """Cells from the first to the last moment of the trace."""
    out_key: I8
    out_row: U4
    in_key: I8
    in_row: U4
    bundles: Arrows | None = None

    def __len__(self) -> int:
        return len(self.out_key)

    def find(self, lanes: I8, start_ns: int, end_ns: int, *, arriving: bool) -> tuple[I8, I8]:
        """First and last place (behind it) in the order of that end of what leaves or arrives in those lanes in that time.

        Times are cut to cells: the cells of both limits belong to it.
        """
        key = self.in_key if arriving else self.out_key
        low = min(max((start_ns >> self.shift) - self.base, 0), self.cells)
        high = min(max((end_ns >> self.shift) - self.base + 1, 0), self.cells)
        at = lanes * self.cells
        return np.searchsorted(key, at + low), np.searchsorted(key, at + max(high, low))

    def rows(self, first: I8, last: I8, *, arriving: bool, most: int | None = None) -> Arrows:
        """What ``find`` found, or so many of it at most, spread evenly from the first to the last."""
        counts = last - first
        ends = np.cumsum(counts)
        total = int(ends[-1]) if len(ends) else 0
        if most is None or total <= most:
            places = np.repeat(first - (ends - counts), counts) + np.arange(total)
        else:
            chosen = np.linspace(0, total - 1, most).astype(np.int64)
            run = np.searchsorted(ends, chosen, side="right")
            places = first[run] + chosen - (ends - counts)[run]
        rows = (self.in_row if arriving else self.out_row)[places].astype(np.int64)
        return arrows_of(self.trace, rows) if self.bundles is None else self.bundles.take(rows).widened()


class FlowLevels(Struct, frozen=True, eq=False, dict=True):
    """All arrows of a trace, finest level first. ``starts``, ``ends``: the earlier and the later end of each, sorted."""

    trace: Trace
    levels: tuple[FlowLevel, ...]
    starts: I8
    ends: I8

    def __len__(self) -> int:
        return len(self.starts)

    def count_during(self, start_ns: int, end_ns: int) -> int:
        """Arrows that have begun by the end of a time and not ended before it, on whatever rows; the limits belong to it."""
        return int(np.searchsorted(self.starts, end_ns, side="right") - np.searchsorted(self.ends, start_ns, side="left"))

    def of_slice(self, slice_id: int) -> I8:
        """Arrows that leave a slice or arrive at it, as rows of ``trace.flows``; one that does both comes once."""
        finest, slices, flows = self.levels[0], self.trace.slices, self.trace.flows
        start = int(slices.start_ns[slice_id])
        lane = self.trace.track_lanes[slices.track[slice_id] : slices.track[slice_id] + 1] + int(slices.depth[slice_id])
        found = []
        for arriving in (False, True):
            (first,), (last,) = finest.find(lane, start, start + int(slices.dur_ns[slice_id]), arriving=arriving)
            found.append((finest.in_row if arriving else finest.out_row)[first:last].astype(np.int64))
        out, into = found
        return np.concatenate((
            out[flows.from_slice[out] == slice_id],
            into[(flows.to_slice[into] == slice_id) & (flows.from_slice[into] != slice_id)],
        ))  # fmt: skip

    @cached_property
    def size_bytes(self) -> int:
        """Memory of all levels."""
        total = self.starts.nbytes + self.ends.nbytes
        for level in self.levels:
            total += level.out_key.nbytes + level.out_row.nbytes + level.in_key.nbytes + level.in_row.nbytes
            if level.bundles is not None:
                total += sum(getattr(level.bundles, name).nbytes for name in Arrows.__struct_fields__)
        return total


def build_flow_levels(trace: Trace, flows: I8 | None = None, progress: Progress | None = None) -> FlowLevels:
    """``flows``: only these rows of ``trace.flows``, None: all."""
    progress = progress or Progress()
    rows = np.arange(len(trace.flows)) if flows is None else flows
    arrows = arrows_of(trace, rows)
    starts, ends = np.sort(np.minimum(arrows.from_ns, arrows.to_ns)), np.sort(np.maximum(arrows.from_ns, arrows.to_ns))
    lanes = len(trace.lanes)
    first, last = (int(starts[0]), int(ends[-1])) if len(arrows) else (0, 0)
    shift = max(0, (last - first).bit_length() + lanes.bit_length() - KEY_BITS)
    made = [_sort_level(trace, arrows, shift, first, last, is_finest=True)]
    # Windows with fewer arrows than fit into a frame show single ones; so the first bundles may be as wide as that.
    shift = max(shift + 1, (max(last - first, 1) * 50 // max(len(arrows), 1)).bit_length())
    kept, finer = len(arrows), arrows
    while kept > FEW and shift <= min((last - first).bit_length() + 1, MAX_SHIFT):
        progress.report("Arrows", len(arrows) - kept, len(arrows))
        base = first >> shift
        groups = group_rows((finer.from_lane, (finer.from_ns >> shift) - base, finer.to_lane, (finer.to_ns >> shift) - base))
        if len(groups[1]) <= kept * SHARE:
            finer = merge_arrows(finer, *groups)
            made.append(_sort_level(trace, finer, shift, first, last, is_finest=False))
            kept = len(finer)
        shift += 1
    return FlowLevels(trace, tuple(made), starts, ends)


def _sort_level(trace: Trace, arrows: Arrows, shift: int, first_ns: int, last_ns: int, *, is_finest: bool) -> FlowLevel:
    base = first_ns >> shift
    cells = (last_ns >> shift) - base + 1
    out_key = arrows.from_lane * cells + ((arrows.from_ns >> shift) - base)
    in_key = arrows.to_lane * cells + ((arrows.to_ns >> shift) - base)
    by_out, by_in = np.argsort(out_key), np.argsort(in_key)
    rows = arrows.flow if is_finest else np.arange(len(arrows))
    return FlowLevel(
        trace, shift, base, cells, out_key[by_out], rows[by_out].astype(np.uint32), in_key[by_in], rows[by_in].astype(np.uint32),
        None if is_finest else arrows.packed(),
    )  # fmt: skip


def merge_arrows(arrows: Arrows, order: I8, first: I8) -> Arrows:
    """One row for each group of ``group_rows``; times become means, cut to ns."""
    if not len(order):
        return arrows
    weight = arrows.count[order]
    count = np.add.reduceat(weight, first)
    sizes = np.diff(np.append(first, len(order)))
    leading = order[first]

    def mean(times: I8) -> I8:
        # Means of what is beyond the earliest of the group, so that no sum is larger than a number can be.
        times = times[order]
        anchor = np.minimum.reduceat(times, first)
        total = np.add.reduceat((times - np.repeat(anchor, sizes)) * weight.astype(np.float64), first)
        most = np.maximum.reduceat(times, first) - anchor
        return np.asarray(anchor + np.minimum((total / count).astype(np.int64), most), np.int64)

    return Arrows(arrows.from_lane[leading], arrows.to_lane[leading], mean(arrows.from_ns), mean(arrows.to_ns), count, arrows.flow[leading])


def group_rows(keys: tuple[I8, ...]) -> tuple[I8, I8]:
    """Rows in an order in which equal keys are neighbours, and the places in it where each group begins. Keys are not negative."""
    rows = len(keys[0])
    if not rows:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    sizes = [int(key.max()) + 1 for key in keys]
    combined, room = np.zeros(rows, np.int64), 1
    for key, size in zip(keys, sizes, strict=True):
        if room * size >= 1 << KEY_BITS:
            # Too many values for one number: those there are get numbers in a row.
            (known, combined), (values, key) = np.unique(combined, return_inverse=True), np.unique(key, return_inverse=True)
            room, size = len(known), len(values)
        combined, room = combined * size + key, room * size
    order = np.argsort(combined)
    values = combined[order]
    return order, np.flatnonzero(np.concatenate(([True], values[1:] != values[:-1])))
