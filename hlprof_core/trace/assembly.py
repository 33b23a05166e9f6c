"""The last step of building: finished pieces and asynchronous work put together into the tables of a trace."""

from __future__ import annotations

import numpy as np

from hlprof_core.trace.asynchronous import AsyncWork
from hlprof_core.trace.events import SCOPE_GLOBAL, SCOPE_PROCESS, EventBlock
from hlprof_core.trace.memory import new_column
from hlprof_core.trace.pieces import Laid, Work, find_stacked
from hlprof_core.trace.screen import Screen
from hlprof_core.trace.slice_stacks import EventStacks, stacks_of_slices
from hlprof_core.trace.stacking import NONE, Places, group_by_row
from hlprof_core.trace.table import I4, I8, U4, U8, EndArgs, Instants, Lanes, Slices, SliceStacks

SLICE_KINDS = (np.int64, np.int64, np.uint32, np.uint16, np.int32, np.uint32, np.uint32, np.uint64, np.uint32, np.uint8)


def new_slices(count: int) -> Slices:
    """Columns to be filled."""
    return Slices(*(new_column(count, kind) for kind in SLICE_KINDS))


class AsyncPlaces:
    """Asynchronous slices in the order of their lanes; those too deep to show are left out."""

    def __init__(self, work: AsyncWork) -> None:
        heights = np.array([track.height for track in work.tracks], np.int64)
        self._work = work
        self._lane_base = np.append(0, np.cumsum(heights)).astype(np.int64)
        keep = work.depth >= 0
        if not keep.all():
            skip_left_out(work.parent, work.depth)
        lane = self._lane_base[work.track] + work.depth
        self._order, self._lane_offsets = group_by_row(
            lane.astype(np.uint32), int(self._lane_base[-1]), time=work.start, mask=keep.view(np.uint8), count=int(np.count_nonzero(keep))
        )
        self.counts: I8 = np.diff(self._lane_offsets[self._lane_base])
        """Slices of each asynchronous track."""

    def settle(self, threads: Work, track_of: I8) -> Laid:
        """Put them beside the slices of threads; ``track_of``: track of each asynchronous one."""
        work, order, out, base = self._work, self._order, threads.slices, threads.base
        owner = work.track[order]
        first = self._lane_offsets[self._lane_base[:-1]]
        to = np.arange(len(order)) - first[owner] + base[track_of[owner]]
        number = np.full(len(work.start), -1, np.int64)
        number[order] = to
        source, start, end = work.source[order], work.start[order], work.end[order]
        dur = end - start
        dur[dur < 0] = np.iinfo(np.int64).max  # longer than int64 holds: from before year 1678 to after 2262
        parent = work.parent[order].astype(np.int64)
        inner = parent >= 0
        parent[inner] = number[parent[inner]]
        out.start_ns[to], out.dur_ns[to], out.parent[to] = start, dur, parent
        out.track[to], out.depth[to] = track_of[owner], work.depth[order]
        out.name[to], out.flags[to] = work.name[order], work.flags[order]
        for column in ("cat", "args_offset", "args_length"):
            getattr(out, column)[to] = getattr(threads, column)[source]
        ended = work.ended[order]
        with_end = np.flatnonzero(ended != NONE)
        with_end = with_end[threads.args_length[ended[with_end]] > 0]
        stacked = find_stacked(threads.stacked, source, ended, work.depth[order])
        counts = np.diff(self._lane_offsets)
        used = np.flatnonzero(counts)
        lane_owner = np.repeat(np.arange(len(track_of)), np.diff(self._lane_base))[used]
        nowhere: Places = (0, [])
        return Laid(
            range(0), self.counts[:0], track_of[lane_owner].astype(np.uint32), (used - self._lane_base[lane_owner]).astype(np.uint32),
            counts[used], to[with_end].astype(np.uint32), ended[with_end], (to[stacked[0]].astype(np.uint32), *stacked[1:]), number[:0],
            nowhere, nowhere, nowhere, nowhere, nowhere, nowhere,
        )  # fmt: skip


def join_lanes(laid: list[Laid]) -> Lanes:
    """Lanes of all pieces in the order of the screen."""
    track = np.concatenate([np.empty(0, np.uint32), *(piece.lane_track for piece in laid)])
    depth = np.concatenate([np.empty(0, np.uint32), *(piece.lane_depth for piece in laid)])
    count = np.concatenate([np.empty(0, np.int64), *(piece.lane_count for piece in laid)])
    order = np.argsort(track, kind="stable")
    return Lanes(np.append(0, np.cumsum(count[order])).astype(np.int64), track[order], depth[order].astype(np.uint16))


def join_ends(laid: list[Laid], number: I8 | None, args_offset: U8, args_length: U4) -> EndArgs:
    """Arguments of end events, by slice."""
    rows = np.concatenate([np.empty(0, np.uint32), *(piece.end_slice for piece in laid)])
    event = np.concatenate([np.empty(0, np.uint32), *(piece.end_event for piece in laid)])
    order = np.argsort(rows, kind="stable")
    event = event[order]
    return EndArgs(renumber(rows[order], number), args_offset[event], args_length[event])


def join_stacks(laid: list[Laid], number: I8 | None, stacks: EventStacks | None, events: int) -> tuple[SliceStacks, int]:
    """Call stacks by slice, and how many events with one are on no slice."""
    if stacks is None:
        return SliceStacks.none(), 0
    rows, source, ended = (np.concatenate([np.empty(0, np.uint32), *(piece.stacked[i] for piece in laid)]) for i in range(3))
    order = np.argsort(rows, kind="stable")
    return stacks_of_slices(stacks, renumber(rows[order], number), source[order], ended[order], events)


def renumber(rows: U4, number: I8 | None) -> U4:
    """Slices by their numbers after ``close_gaps``."""
    return rows if number is None else number[rows].astype(np.uint32)


def close_gaps(slices: Slices, base: I8, room: I8, kept: I8) -> tuple[Slices, I8 | None]:
    """Where slices were left out, those of the next track move up. ``room``: places of each track, ``kept``: those in use.

    Also returns the new number of each slice, None when nothing moved.
    """
    short = np.flatnonzero(kept < room)
    if not len(short):
        return slices, None
    keep = np.ones(len(slices), bool)
    for track in short:
        keep[base[track] + kept[track] : base[track] + room[track]] = False
    number = np.cumsum(keep) - 1
    parent = slices.parent[keep]
    inner = parent >= 0
    parent[inner] = number[parent[inner]]
    columns = {name: getattr(slices, name)[keep] for name in Slices.__struct_fields__ if name != "parent"}
    return Slices(parent=parent, **columns), number


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


def skip_left_out(parent: I4, depth: I4) -> None:
    """Make the parent of each piece one that is kept, in place."""
    while True:
        lost = np.flatnonzero((parent >= 0) & (depth[np.maximum(parent, 0)] < 0))
        if not len(lost):
            return
        parent[lost] = parent[parent[lost]]
