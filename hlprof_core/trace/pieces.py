"""Slices of threads, from events to finished columns: piece by piece, a piece being some tracks that are neighbours on the screen.

What a piece needs besides the columns is small and gone when it is done; pieces know nothing of each other and run in several threads.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from hlprof_core._kernels import layout
from hlprof_core.progress import Watch
from hlprof_core.trace.arrows import Marks
from hlprof_core.trace.crossing import Crossing
from hlprof_core.trace.memory import new_column
from hlprof_core.trace.stacking import NONE, Matched, Places, match_events
from hlprof_core.trace.table import I1, I4, I8, U4, U8, Slices

Mask = npt.NDArray[np.bool_]

PIECE = 1 << 16
"""Events of a piece, unless one track has more."""


class Work(Struct):
    """What all pieces share: columns of the events, their order by track, and the finished columns with each track's place in them."""

    phase: I1
    ts_ns: I8
    dur_ns: I8
    name: U4
    cat: U4
    args_offset: U8
    args_length: U4
    order: U4
    offsets: I8
    """Events of track t: ``order[offsets[t]:offsets[t + 1]]``."""
    begins: I8
    """Slices of each track."""
    base: I8
    """Where they start."""
    slices: Slices
    marks: Marks
    stacked: Mask | None
    """Which events have a call stack; None: none has."""
    crossing: Crossing
    names: int
    trace_end: int


class Laid(Struct):
    """A piece that is done. Places are event numbers. ``bound``: the slice of each flow mark of these tracks, -1 for none."""

    tracks: range
    kept: I8
    lane_track: U4
    lane_depth: U4
    lane_count: I8
    end_slice: U4
    end_event: U4
    stacked: tuple[U4, U4, U4]
    """Slices with a call stack: their numbers, the events that began and that ended them."""
    bound: I8
    strays: Places
    closed_by_outer: Places
    unfinished: Places
    negative: Places
    overlaps: Places
    dropped: Places


def cut_pieces(offsets: I8) -> list[range]:
    """Tracks that are worked on together; those without events at the ends of a piece cost nothing."""
    pieces, at, tracks = [], 0, len(offsets) - 1
    while at < tracks and offsets[at] < offsets[-1]:
        end = max(at + 1, int(np.searchsorted(offsets, offsets[at] + PIECE, "right")) - 1)
        if offsets[end] > offsets[at]:
            pieces.append(range(at, end))
        at = end
    return pieces


def lay_piece(work: Work, tracks: range, watch: Watch) -> Laid:
    """Match, nest and settle the slices of some tracks. ``InterruptedError`` when ``watch`` says stop."""
    a, b = tracks.start, tracks.stop
    offsets = work.offsets[a : b + 1] - work.offsets[a]
    base, count = work.base[a:b], int(work.begins[a:b].sum())
    room, parent = _room(work, base, b - a, count, int(work.begins[b - 1]))
    matched = match_events(
        work.order[work.offsets[a] : work.offsets[b]], offsets, work.phase, work.ts_ns, work.dur_ns, work.name,
        work.names, work.trace_end, room, watch,
    )  # fmt: skip
    work.crossing.ends_of(matched.source, matched.ended)
    depth, height = new_column(count, np.int32), np.empty(b - a, np.int32)
    overlaps, dropped = layout.nest(
        matched.offsets, matched.start, matched.end, work.trace_end, parent, depth, None, height, watch.cells
    )
    overlaps, dropped = (_events_of(places, matched.source) for places in (overlaps, dropped))
    bound = _bind(work.marks, tracks, matched)
    stacked = find_stacked(work.stacked, matched.source, matched.ended, depth)
    place = new_column(count, np.uint32)
    kept, lanes = np.empty(b - a, np.int64), np.empty(int(height.sum()), np.int64)
    ended = int(np.count_nonzero(matched.ended != NONE))
    end_slice, end_event = np.empty(ended, np.uint32), np.empty(ended, np.uint32)
    out = work.slices
    ends = layout.settle(
        (
            matched.offsets, base, height, matched.source, matched.ended, matched.start, matched.end, matched.flags, parent, depth,
            work.name, work.cat, work.args_offset, work.args_length,
            out.start_ns, out.dur_ns, out.track, out.depth, out.parent, out.name, out.cat, out.args_offset, out.args_length, out.flags,
            place, kept, lanes, end_slice, end_event,
        ),
        a,
        watch.cells,
    )  # fmt: skip
    number = np.full(len(bound), -1, np.int64)
    found = bound >= 0
    found[found] = depth[bound[found]] >= 0
    number[found] = place[bound[found]]
    used = lanes > 0
    first = np.cumsum(height) - height
    lane_track = np.repeat(np.arange(a, b, dtype=np.uint32), height)
    lane_depth = (np.arange(len(lanes)) - np.repeat(first, height)).astype(np.uint32)
    return Laid(
        tracks, kept, lane_track[used], lane_depth[used], lanes[used], end_slice[:ends].copy(), end_event[:ends].copy(),
        (place[stacked[0]], *stacked[1:]), number,
        matched.strays, matched.closed_by_outer, matched.unfinished, matched.negative, overlaps, dropped,
    )  # fmt: skip


def find_stacked(stacked: Mask | None, source: U4, ended: U4, depth: I4) -> tuple[U4, U4, U4]:
    """Positions of the slices with a call stack at their begin or end, and those events."""
    if stacked is None:
        return source[:0], source[:0], source[:0]
    has_end = ended != NONE
    found = stacked[source] | (has_end & stacked[np.where(has_end, ended, 0)])
    rows = np.flatnonzero(found & (depth >= 0)).astype(np.uint32)
    return rows, source[rows], ended[rows]


def _room(work: Work, base: I8, rows: int, count: int, last: int) -> tuple[Matched, I4]:
    """Where the slices of a piece go until they are settled: where they will stay, if that is in one stretch."""
    out, first = work.slices, int(base[0])
    if int(base[-1]) + last - first != count:
        return Matched.room(rows, count), np.empty(count, np.int32)
    here = slice(first, first + count)
    offsets = np.empty(rows + 1, np.int64)
    room = Matched(offsets, out.name[here], out.start_ns[here], out.dur_ns[here], out.args_length[here], out.flags[here])
    return room, out.parent[here]


def _bind(marks: Marks, tracks: range, matched: Matched) -> I4:
    offsets = marks.offsets[tracks.start : tracks.stop + 1]
    here = marks.order[offsets[0] : offsets[-1]]
    bound = np.empty(len(here), np.int32)
    if len(here):
        layout.bind(matched.offsets, matched.start, matched.end, offsets - offsets[0], marks.time[here], marks.wish[here], bound)
    return bound


def _events_of(places: Places, source: U4) -> Places:
    return places[0], [int(source[i]) for i in places[1]]
