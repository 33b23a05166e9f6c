"""The last step of building: slices of threads and of asynchronous work sorted into lanes, columns gathered, ids renumbered."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hlprof_core.trace.asynchronous import AsyncWork
from hlprof_core.trace.events import SCOPE_GLOBAL, SCOPE_PROCESS, EventBlock
from hlprof_core.trace.screen import Screen
from hlprof_core.trace.slice_stacks import EventStacks, stacks_of_slices
from hlprof_core.trace.stacking import NONE, Matched, Nested, group_by_row
from hlprof_core.trace.table import I1, I4, I8, U4, EndArgs, Instants, Lanes, Slices, SliceStacks


@dataclass(slots=True)
class Pieces:
    """Slices before they are in lanes: those of rows first, then the asynchronous ones. ``track`` is final, ``depth`` -1: left out."""

    track: U4
    depth: I4
    start: I8
    end: I8
    parent: I4
    source: U4
    ended: U4
    flags: I1
    name: U4 | None
    """None: the name of the source event."""


def collect_pieces(matched: Matched, nested: Nested, asynchronous: AsyncWork, screen: Screen, events: EventBlock) -> Pieces:
    """Put rows and asynchronous work into one set of columns."""
    track = np.repeat(screen.track_of_row.astype(np.uint32), np.diff(matched.offsets))
    threads = Pieces(
        track, nested.depth, matched.start, matched.end, nested.parent, matched.source, matched.ended, matched.flags, None
    )
    if not len(asynchronous.start):
        return threads
    a = asynchronous
    shift = len(track)
    return Pieces(
        np.concatenate((track, screen.track_of_async[a.track].astype(np.uint32))),
        np.concatenate((threads.depth, a.depth)),
        np.concatenate((threads.start, a.start)),
        np.concatenate((threads.end, a.end)),
        np.concatenate((threads.parent, np.where(a.parent < 0, -1, a.parent + shift).astype(np.int32))),
        np.concatenate((threads.source, a.source)),
        np.concatenate((threads.ended, a.ended)),
        np.concatenate((threads.flags, a.flags)),
        np.concatenate((events.name[threads.source], a.name)),
    )


def sort_into_lanes(
    pieces: Pieces, height: I8, events: EventBlock, stacks: EventStacks | None = None
) -> tuple[Slices, EndArgs, Lanes, I8, tuple[SliceStacks, int]]:
    """Finished tables, the slice id of each piece (-1: left out), and ``stacks`` as those of slices. ``height``: depths of each track."""
    lane_base = np.zeros(len(height) + 1, np.int64)
    np.cumsum(height, out=lane_base[1:])
    lanes = int(lane_base[-1])
    mask: I1 | None = None
    kept = len(pieces.start)
    if len(pieces.depth) and int(pieces.depth.min()) < 0:
        mask = (pieces.depth >= 0).astype(np.uint8)
        kept = int(np.count_nonzero(mask))
        _skip_left_out(pieces.parent, pieces.depth)
    lane = lane_base[pieces.track]
    lane += pieces.depth
    time = pieces.start if pieces.name is not None else None  # rows are in time order; asynchronous slots are not
    order, offsets = group_by_row(lane.astype(np.uint32), lanes, time=time, mask=mask, count=kept)
    number = np.full(len(pieces.start), -1, np.int32)
    number[order] = np.arange(kept, dtype=np.int32)

    counts = np.diff(offsets)
    used = np.flatnonzero(counts)
    lane_track = np.repeat(np.arange(len(height), dtype=np.uint32), height)
    lane_depth = (np.arange(lanes) - lane_base[:-1][lane_track]).astype(np.uint16)
    table = Lanes(np.append(offsets[:-1][used], kept).astype(np.int64), lane_track[used], lane_depth[used])

    source, start = pieces.source[order], pieces.start[order]
    dur = pieces.end[order]
    dur -= start
    wrapped = dur < 0  # longer than int64 holds: from before year 1678 to after 2262
    if wrapped.any():
        dur[wrapped] = np.iinfo(np.int64).max
    parent = pieces.parent[order]
    inner = parent >= 0
    parent[inner] = number[parent[inner]]
    slices = Slices(
        start_ns=start,
        dur_ns=dur,
        track=np.repeat(table.track, counts[used]),
        depth=np.repeat(table.depth, counts[used]),
        parent=parent,
        name=events.name[source] if pieces.name is None else pieces.name[order],
        cat=events.cat[source],
        args_offset=events.args_offset[source],
        args_length=events.args_length[source],
        flags=pieces.flags[order],
    )
    ended = pieces.ended[order]
    with_end = np.flatnonzero(ended != NONE)
    with_end = with_end[events.args_length[ended[with_end]] > 0]
    ends = ended[with_end]
    end_args = EndArgs(with_end.astype(np.uint32), events.args_offset[ends], events.args_length[ends])
    return slices, end_args, table, number.astype(np.int64), stacks_of_slices(stacks, source, ended, len(events))


def gather_instants(events: EventBlock, select: U4, asynchronous: AsyncWork, screen: Screen) -> Instants:
    """Instants of threads and marks of asynchronous work, by (track, time)."""
    track = np.concatenate((screen.track_of_row[events.row[select]], screen.track_of_async[asynchronous.mark_track])).astype(np.uint32)
    event = np.concatenate((select, asynchronous.marks))
    order, _ = group_by_row(track, len(screen.tracks), time=events.ts_ns[event])
    event = event[order]
    flags = events.flags[event]
    scope = np.where((flags & SCOPE_GLOBAL) != 0, 2, np.where((flags & SCOPE_PROCESS) != 0, 1, 0)).astype(np.uint8)
    scope[order >= len(select)] = 0
    return Instants(
        time_ns=events.ts_ns[event],
        track=track[order],
        name=events.name[event],
        cat=events.cat[event],
        args_offset=events.args_offset[event],
        args_length=events.args_length[event],
        scope=scope,
    )


def _skip_left_out(parent: I4, depth: I4) -> None:
    """Make the parent of each piece one that is kept, in place."""
    while True:
        lost = np.flatnonzero((parent >= 0) & (depth[np.maximum(parent, 0)] < 0))
        if not len(lost):
            return
        parent[lost] = parent[parent[lost]]
