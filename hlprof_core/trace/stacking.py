"""Events of rows become slices with parents and depths. A thin, typed face of the layout kernel; no per-event Python."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from hlprof_core._kernels import layout
from hlprof_core.progress import Watch
from hlprof_core.trace.memory import new_column
from hlprof_core.trace.table import I1, I4, I8, U4

NONE = np.iinfo(np.uint32).max
"""``ended`` of a slice that no end event of its own closed."""

Places = tuple[int, list[int]]


class Matched(Struct):
    """Slices row by row, each row by (start, longer first, file order). ``source``, ``ended``: event numbers."""

    offsets: I8
    source: U4
    start: I8
    end: I8
    ended: U4
    flags: I1
    strays: Places = (0, [])
    closed_by_outer: Places = (0, [])
    unfinished: Places = (0, [])
    negative: Places = (0, [])

    @classmethod
    def room(cls, rows: int, count: int) -> Matched:
        """Empty columns for so many slices."""
        return cls(
            np.empty(rows + 1, np.int64),
            np.empty(count, np.uint32),
            np.empty(count, np.int64),
            np.empty(count, np.int64),
            np.empty(count, np.uint32),
            np.empty(count, np.uint8),
        )


class Nested(Struct):
    """Where each slice goes: ``depth`` -1 is beyond the deepest row; ``cluster`` numbers stretches of time with the row busy."""

    parent: I4
    depth: I4
    cluster: U4
    height: I4
    """Depths in use, for each row."""
    overlaps: Places
    dropped: Places


def group_by_row(
    row: U4, rows: int, *, time: I8 | None = None, mask: I1 | None = None, count: int | None = None, watch: Watch | None = None
) -> tuple[U4, I8]:
    """Numbers of the (masked) entries row by row, in time order, equal times in the given order; and where each row starts."""
    order = new_column(len(row) if count is None else count, np.uint32)
    offsets = np.empty(rows + 1, np.int64)
    layout.group(row, time, mask, rows, order, offsets, watch.cells if watch else None)
    return order, offsets


def match_events(
    order: U4,
    offsets: I8,
    phase: I1,
    time: I8,
    dur: I8,
    name: U4,
    names: int,
    trace_end: int,
    room: Matched | None = None,
    watch: Watch | None = None,
) -> Matched:
    """Pair begins with ends. ``order`` and ``offsets`` as ``group_by_row`` gives them; phases are B, E and X.

    ``room``: columns to fill, of as many slices as there are B and X.
    """
    if room is None:
        room = Matched.room(len(offsets) - 1, len(order) - int(np.count_nonzero(phase[order] == ord("E"))))
    _, room.strays, room.closed_by_outer, room.unfinished, room.negative = layout.match(
        order, offsets, phase, time, dur, name, names, trace_end,
        room.source, room.start, room.end, room.ended, room.flags, room.offsets, watch.cells if watch else None,
    )  # fmt: skip
    return room


def nest_slices(offsets: I8, start: I8, end: I8, trace_end: int) -> Nested:
    """Give slices parents and depths; ``end`` is completed where the kernel finds it missing."""
    count, rows = len(start), len(offsets) - 1
    parent, depth, cluster = np.empty(count, np.int32), np.empty(count, np.int32), np.empty(count, np.uint32)
    height = np.empty(rows, np.int32)
    overlaps, dropped = layout.nest(offsets, start, end, trace_end, parent, depth, cluster, height)
    return Nested(parent, depth, cluster, height, overlaps, dropped)
