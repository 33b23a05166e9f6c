"""Which arrows a view shows, and which of them become one: those between the same two rows whose ends fall into the same few pixels.

Cells of time are powers of two, so that bundles stay what they are while the view moves. Knows no Qt.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from hlprof_core.levels.flow_levels import KEY_BITS, MAX_SHIFT, Arrows, FlowLevels, arrows_of, group_rows, merge_arrows
from hlprof_core.trace.model import Trace
from hlprof_core.trace.ranges import TimeRange
from hlprof_core.trace.table import I8
from hlprof_gui.timeline.layout import Layout, RowKind

F8 = npt.NDArray[np.float64]
B1 = npt.NDArray[np.bool_]
APART = 4
"""Ends of arrows so many pixels apart stay apart."""
MOST = 96
"""So many bundles are drawn at most: above it ends must lie farther apart."""
CANDIDATES = 4096
"""More arrows than these are taken from a coarser level."""
OUTSIDE = 80.0
"""Ends out of sight are drawn at most so many pixels beyond the border."""
NOWHERE, ABOVE, BELOW = -1, -2, -3
"""Rows of the layout that are none: hidden, all those above the canvas, all those below it."""
EARLIEST, LATEST = -(1 << 63), (1 << 63) - 1


class Rows(Struct, frozen=True, eq=False):
    """What is where from top to bottom: the row of each lane (``NOWHERE``: hidden), the middle of each row in logical pixels."""

    of_lane: I8
    middle: F8
    is_seen: B1
    """For each row whether a part of it is in sight."""
    lanes: I8
    """Lanes whose row is in sight."""
    height: float
    """Of the canvas."""


def place_rows(trace: Trace, layout: Layout, top: float, height: float) -> Rows:
    """``top``: pixels scrolled down; ``height`` of the canvas."""
    of_lane = np.full(len(trace.lanes), NOWHERE, np.int64)
    if layout.collapsed.any():
        owner = layout.groups.owner[trace.lanes.track]
        of_lane = np.where(layout.collapsed[owner], layout.group_row[owner], NOWHERE)
    is_lane = layout.kind == RowKind.LANE
    of_lane[layout.source[is_lane]] = np.flatnonzero(is_lane)
    middle = layout.y + layout.height / 2
    scrolled = middle[layout.pinned_rows :]
    scrolled -= top
    if layout.pinned_rows:
        np.maximum(scrolled, layout.pinned_height, out=scrolled)
    is_seen = np.zeros(len(layout), np.bool_)
    is_seen[layout.visible(top, height)] = True
    lanes = np.flatnonzero((of_lane != NOWHERE) & is_seen[np.maximum(of_lane, 0)]) if len(layout) else np.empty(0, np.int64)
    return Rows(of_lane, middle, is_seen, lanes, height)


class Stretch(Struct, frozen=True):
    """The time that is shown and how wide it is drawn, logical pixels."""

    window: TimeRange
    width: int

    @property
    def apart_shift(self) -> int:
        """Cells of 2^shift ns are at most ``APART`` pixels wide, and more than half of that."""
        wide = self.window.length_ns * APART // max(self.width, 1)
        return max(wide.bit_length() - 1, 0)

    def x_of(self, time_ns: I8) -> F8:
        """Logical pixels, kept near the canvas."""
        start, length = self.window.start_ns, self.window.length_ns
        margin = int(OUTSIDE * length / max(self.width, 1)) + 1
        near = np.clip(time_ns, max(start - margin, EARLIEST), min(start + length + margin, LATEST))
        # The longest windows are longer than a number of nanoseconds can be.
        off = near - start if length < LATEST // 4 else near.astype(np.float64) - float(start)
        return np.asarray(off * (self.width / length), np.float64)


class Cells(Struct, frozen=True):
    """What makes ends of arrows the same: cells of 2^``shift`` ns, made of those of 2^``fine`` ns of which one before and one behind the
    window stand for all that lies there; ``is_rough``: rows out of sight are one above and one below."""

    fine: int
    shift: int
    is_rough: bool = False

    def of_times(self, times: I8, window: TimeRange) -> I8:
        """The cell of each time."""
        low, high = window.start_ns >> self.fine, window.end_ns >> self.fine
        return np.asarray(np.clip(times >> self.fine, low - 1, high + 1) >> (self.shift - self.fine), np.int64)

    def of_lanes(self, lanes: I8, rows: Rows) -> I8:
        """The row of each lane."""
        row = rows.of_lane[lanes]
        if not self.is_rough:
            return row
        far = np.where(rows.middle[row] < rows.height / 2, ABOVE, BELOW)
        return np.where(row == NOWHERE, NOWHERE, np.where(rows.is_seen[row], row, far))

    def of_arrows(self, arrows: Arrows, rows: Rows, window: TimeRange) -> tuple[I8, I8, I8, I8]:
        """Row and cell where they leave, row and cell where they arrive."""
        leave, arrive = self.of_times(arrows.from_ns, window), self.of_times(arrows.to_ns, window)
        return self.of_lanes(arrows.from_lane, rows), leave, self.of_lanes(arrows.to_lane, rows), arrive


class Bundles(Struct, frozen=True, eq=False):
    """What to draw, heaviest last: one arrow a row, for ``count`` of them. ``x0`` .. ``y1``: logical pixels of the canvas."""

    cells: Cells
    keys: I8
    """For each the row and cell of both ends, as ``Cells.of_arrows`` tells them."""
    x0: F8
    y0: F8
    x1: F8
    y1: F8
    count: I8
    flow: I8
    """One arrow of each, a row of ``trace.flows``."""
    hidden: int = 0
    """Arrows that lead to rows which are hidden, or from there."""
    undrawn: int = 0
    """Arrows of bundles that found no place."""
    elsewhere: int = 0
    """Arrows of this time with no end in sight."""

    def __len__(self) -> int:
        return len(self.count)

    @property
    def arrows(self) -> int:
        """How many are drawn."""
        return int(self.count.sum())


NO_ROWS, NO_PIXELS = np.empty(0, np.int64), np.empty(0, np.float64)
NOTHING = Bundles(Cells(0, 0), NO_ROWS.reshape(0, 4), NO_PIXELS, NO_PIXELS, NO_PIXELS, NO_PIXELS, NO_ROWS, NO_ROWS)


def bundle_view(
    levels: FlowLevels, rows: Rows, stretch: Stretch, *, within: TimeRange | None = None, tracks: Iterable[int] | None = None
) -> Bundles:
    """Arrows with an end in sight; with ``within`` one that lies in that time and, with ``tracks``, in rows of these."""
    window, lanes = stretch.window, rows.lanes
    if within is not None:
        window = TimeRange(max(window.start_ns, within.start_ns), min(window.end_ns, within.end_ns))
        if window.length_ns < 0:
            return NOTHING
    if tracks is not None:
        lanes = lanes[np.isin(levels.trace.lanes.track[lanes], list(tracks))]
    arrows, shift = choose_arrows(levels, lanes, window, stretch.apart_shift)
    bundles = _bundle(arrows, rows, stretch, shift)
    if within is None:
        low, high = cell_limits(window, shift)
        shown = bundles.arrows + bundles.undrawn + bundles.hidden
        bundles = replace(bundles, elsewhere=max(0, levels.count_during(low, high) - shown))
    return bundles


def bundle_flows(trace: Trace, flows: I8, rows: Rows, stretch: Stretch) -> Bundles:
    """These rows of ``trace.flows``, wherever their ends are."""
    return _bundle(arrows_of(trace, flows), rows, stretch, stretch.apart_shift)


def cell_limits(window: TimeRange, shift: int) -> tuple[int, int]:
    """A time widened to whole cells, so that finer and coarser levels find the same in it."""
    return window.start_ns >> shift << shift, ((window.end_ns >> shift) + 1 << shift) - 1


def members(bundles: Bundles, place: int, arrows: Arrows, rows: Rows, stretch: Stretch) -> B1:
    """Which of the arrows belong to the bundle."""
    found = bundles.cells.of_arrows(arrows, rows, stretch.window)
    return np.asarray(np.all(np.stack(found, axis=1) == bundles.keys[place], axis=1))


def flows_of(bundles: Bundles, place: int, levels: FlowLevels, rows: Rows, stretch: Stretch, most: int | None = None) -> I8:
    """The arrows of one of the bundles of ``bundle_view``, rows of ``trace.flows``. Costs what leaves or arrives at its ends; of that only
    ``most`` are looked at, spread evenly, when it is given."""
    cells, finest = bundles.cells, levels.levels[0]
    low, high = cell_limits(stretch.window, cells.fine)
    found = [NO_ROWS]
    for arriving in (False, True):
        # One end of each is in sight; the other one may be beyond the window although a wide cell reaches into it.
        row, cell = (int(key) for key in bundles.keys[place][2 * arriving : 2 * arriving + 2])
        start, end = max(cell << cells.shift, low), min((cell + 1 << cells.shift) - 1, high)
        if row >= 0 and start <= end and rows.is_seen[row]:
            lanes = np.flatnonzero(rows.of_lane == row)
            arrows = finest.rows(*finest.find(lanes, start, end, arriving=arriving), arriving=arriving, most=most)
            found.append(arrows.flow[members(bundles, place, arrows, rows, stretch)])
    return np.unique(np.concatenate(found))


def choose_arrows(levels: FlowLevels, lanes: I8, window: TimeRange, shift: int) -> tuple[Arrows, int]:
    """Arrows or fine bundles with an end in those lanes and that time, few enough for a frame; and the cells to bundle them by."""
    low_level, high_level, place = -1, len(levels.levels) - 1, 0
    while True:
        # The finest level with few enough: the coarsest when none has.
        level = levels.levels[place]
        fit = max(shift, level.shift)
        low, high = cell_limits(window, fit)
        leaving, arriving = (level.find(lanes, low, high, arriving=end) for end in (False, True))
        found = int((leaving[1] - leaving[0]).sum() + (arriving[1] - arriving[0]).sum())
        low_level, high_level = (low_level, place) if found <= CANDIDATES else (place, high_level)
        if high_level - low_level <= 1 and place == high_level:
            break
        place = max((low_level + high_level + 1) // 2, low_level + 1)
    out, into = level.rows(*leaving, arriving=False), level.rows(*arriving, arriving=True)
    is_ours = np.zeros(len(levels.trace.lanes), np.bool_)
    is_ours[lanes] = True
    twice = is_ours[into.from_lane] & (into.from_ns >= low) & (into.from_ns <= high)
    into = into.take(~twice)
    return Arrows(*(np.concatenate((getattr(out, name), getattr(into, name))) for name in Arrows.__struct_fields__)), fit


def _bundle(arrows: Arrows, rows: Rows, stretch: Stretch, shift: int) -> Bundles:
    """One for all of the same rows and cells; when they are too many, ever fewer of ever wider cells."""
    cells, window = Cells(shift, shift), stretch.window
    is_there = (rows.of_lane[arrows.from_lane] != NOWHERE) & (rows.of_lane[arrows.to_lane] != NOWHERE)
    hidden = int(arrows.count[~is_there].sum())
    arrows = arrows.take(is_there) if hidden else arrows
    if not len(arrows):
        return replace(NOTHING, cells=cells, hidden=hidden)
    keys = cells.of_arrows(arrows, rows, window)
    if _distinct(keys, 0) > MOST:
        rough = replace(cells, is_rough=True)
        keys = rough.of_arrows(arrows, rows, window)
        # The narrowest cells with few enough bundles, between those that are too narrow and those that hold the whole window. Cells
        # twice as wide make at most four bundles one, so the first ones need not be tried.
        high = max(min((window.end_ns - window.start_ns).bit_length(), MAX_SHIFT) - shift, 0)
        fewest = (_distinct(keys, 0) - 1) // MOST
        low = min((fewest.bit_length() + 1) // 2, high) - 1
        reach = 1
        while high - low > 1:
            middle = min(low + reach, high - 1)
            low, high = (low, middle) if _distinct(keys, middle) <= MOST else (middle, high)
            reach = 2 * reach if low == middle else max((high - low) // 2, 1)
        cells = replace(rough, shift=shift + high)
        keys = (keys[0], keys[1] >> cells.shift - shift, keys[2], keys[3] >> cells.shift - shift)
    order, first = group_rows(tuple(key - key.min() for key in keys))
    lead = order[first]
    arrows = merge_arrows(arrows, order, first)
    by_count = np.argsort(arrows.count, kind="stable")
    undrawn, drawn = int(arrows.count[by_count[:-MOST]].sum()), arrows.take(by_count[-MOST:])
    lead = lead[by_count[-MOST:]]
    spots = (
        stretch.x_of(drawn.from_ns), rows.middle[rows.of_lane[drawn.from_lane]],
        stretch.x_of(drawn.to_ns), rows.middle[rows.of_lane[drawn.to_lane]],
    )  # fmt: skip
    return Bundles(cells, np.stack([key[lead] for key in keys], axis=1), *spots, drawn.count, drawn.flow, hidden, undrawn)


def _distinct(keys: tuple[I8, I8, I8, I8], wider: int) -> int:
    """How many bundles there are by cells 2^``wider`` times as wide."""
    from_row, leave, to_row, arrive = keys
    columns = [from_row - from_row.min(), to_row - to_row.min(), leave >> wider, arrive >> wider]
    columns[2] -= columns[2].min()
    columns[3] -= columns[3].min()
    sizes = [int(column.max()) + 1 for column in columns]
    if prod(sizes) >= 1 << KEY_BITS:
        return len(group_rows(tuple(columns))[1])
    key = columns[0]
    for column, size in zip(columns[1:], sizes[1:], strict=True):
        key = key * size + column
    key = np.sort(key)
    return 1 + int(np.count_nonzero(key[1:] != key[:-1]))
