"""Asynchronous work: begin and end meet by (id, category, name) wherever they were recorded; trees of one id share a track by root name.

    id 1   [req        ]        id 2   [req    ]           track "req"   [req        ]   slot 0
             [step ]                                                       [step ]
                                                                               [req    ] slot 1
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct, field

from hlprof_core._kernels import layout
from hlprof_core.trace.events import NO_TIME, EventBlock
from hlprof_core.trace.stacking import NONE, Matched, Places, group_by_row, match_events, nest_slices
from hlprof_core.trace.table import BEGIN_END, I1, I4, I8, U4, UNFINISHED

BEGINS, ENDS, STEPS = b"bS", b"eF", b"Tp"
MAX_DEPTH = 65535


class AsyncTrack(Struct):
    """A track to be: process number, name, and the id when all its work has the same one."""

    process: int
    name: str
    id_text: str
    height: int = 0


class AsyncWork(Struct):
    """Slices by (track, ...) in no particular order, marks (``n``), and the tracks they are on. ``source``, ``ended``: event numbers."""

    tracks: list[AsyncTrack] = field(default_factory=list)
    track: U4 = field(default_factory=lambda: np.empty(0, np.uint32))
    source: U4 = field(default_factory=lambda: np.empty(0, np.uint32))
    ended: U4 = field(default_factory=lambda: np.empty(0, np.uint32))
    start: I8 = field(default_factory=lambda: np.empty(0, np.int64))
    end: I8 = field(default_factory=lambda: np.empty(0, np.int64))
    name: U4 = field(default_factory=lambda: np.empty(0, np.uint32))
    flags: I1 = field(default_factory=lambda: np.empty(0, np.uint8))
    parent: I4 = field(default_factory=lambda: np.empty(0, np.int32))
    depth: I4 = field(default_factory=lambda: np.empty(0, np.int32))
    marks: U4 = field(default_factory=lambda: np.empty(0, np.uint32))
    mark_track: U4 = field(default_factory=lambda: np.empty(0, np.uint32))
    strays: Places = (0, [])
    unfinished: Places = (0, [])


def number_pairs(high: U4, low: U4) -> tuple[U4, int]:
    """A small number for each distinct (high, low), and how many there are."""
    key = (high.astype(np.uint64) << np.uint64(32)) | low
    distinct, number = np.unique(key, return_inverse=True)
    return number.astype(np.uint32), len(distinct)


def gather_async(
    events: EventBlock,
    select: U4,
    trace_end: int,
    *,
    row_process: U4,
    text: Callable[[int], str],
    step_name: Callable[[int, int], int],
    check: Callable[[], None] = lambda: None,
) -> AsyncWork:
    """``select``: numbers of the asynchronous events, in file order. ``text`` gives the text of a string id, ``step_name`` the string
    id of a step event (old phases T and p carry it in their arguments; they are rare, so that is asked one by one). ``check`` is called
    between the steps and may raise."""
    if not len(select):
        return AsyncWork()
    phase, time = events.phase[select], events.ts_ns[select]
    name, cat, ids = events.name[select], events.cat[select], events.id[select]
    group, groups = number_pairs(ids, cat)
    named, named_groups = number_pairs(group, name)
    check()
    slices = _match(phase, time, named, named_groups, trace_end)
    check()
    slice_name = name[slices.source]
    steps = _cut_steps(phase, time, named, named_groups, trace_end)
    if len(steps[0]):
        step_names = np.array([step_name(int(select[i]), int(name[i])) for i in steps[0]], np.uint32)
        slice_name = np.concatenate((slice_name, step_names))
        slices.source = np.concatenate((slices.source, steps[0]))
        slices.start = np.concatenate((slices.start, steps[1]))
        slices.end = np.concatenate((slices.end, steps[2]))
        slices.ended = np.concatenate((slices.ended, np.full(len(steps[0]), NONE, np.uint32)))
        slices.flags = np.concatenate((slices.flags, steps[3]))

    # Each id nests on its own; what is busy together is one tree.
    order = np.lexsort((slices.source, ~slices.end, slices.start, group[slices.source]))
    check()
    source, start, end = slices.source[order], slices.start[order], slices.end[order]
    slice_name, ended, flags = slice_name[order], slices.ended[order], slices.flags[order]
    slice_group = group[source]
    offsets = np.searchsorted(slice_group, np.arange(groups + 1)).astype(np.int64)
    nested = nest_slices(offsets, start, end, trace_end)
    check()

    heads = np.flatnonzero(np.diff(nested.cluster, prepend=np.uint32(NONE)) != 0)
    tree_source = source[heads]
    tree_start, tree_group = start[heads], slice_group[heads]
    tree_end = np.maximum.reduceat(end, heads) if len(heads) else start[:0]
    tree_height = np.maximum.reduceat(nested.depth, heads) + 1 if len(heads) else nested.depth[:0]

    marks = np.flatnonzero(phase == ord("n")).astype(np.uint32)
    mark_tree = _tree_of_marks(tree_group, tree_start, group[marks], time[marks])
    loose = marks[mark_tree < 0]
    check()

    process = row_process[events.row[select]]
    heads_or_loose = np.concatenate((tree_source, loose)).astype(np.int64)
    root_name = np.concatenate((slice_name[heads], name[loose]))
    owner, owners = number_pairs(process[heads_or_loose], cat[heads_or_loose])
    owner, owners = number_pairs(owner, root_name)
    tree_track, loose_track = owner[: len(heads)], owner[len(heads) :]

    tracks = _describe_tracks(owner, owners, process[heads_or_loose], root_name, ids[heads_or_loose], text)
    slot = np.empty(len(heads), np.uint32)
    by_track, track_offsets = group_by_row(tree_track, owners, time=tree_start)
    packed = np.empty(len(heads), np.uint32)
    layout.pack(track_offsets, tree_start[by_track], tree_end[by_track], packed)
    check()
    slot[by_track] = packed
    tallest = np.zeros(owners, np.int64)
    np.maximum.at(tallest, tree_track, tree_height)
    tree = np.repeat(np.arange(len(heads)), np.diff(np.append(heads, len(source))))
    depth = nested.depth + slot[tree].astype(np.int64) * tallest[tree_track[tree]]
    depth[(nested.depth < 0) | (depth > MAX_DEPTH)] = -1
    slice_track = tree_track[tree]
    heights = np.zeros(owners, np.int64)
    np.maximum.at(heights, slice_track, depth + 1)
    for track, height in zip(tracks, heights, strict=True):
        track.height = int(height)

    mark_track = np.empty(len(marks), np.uint32)
    mark_track[mark_tree >= 0] = tree_track[mark_tree[mark_tree >= 0]]
    mark_track[mark_tree < 0] = loose_track
    return AsyncWork(
        tracks=tracks,
        track=slice_track,
        source=select[source],
        ended=np.where(ended == NONE, NONE, select[np.minimum(ended, len(select) - 1)]).astype(np.uint32),
        start=start,
        end=end,
        name=slice_name,
        flags=flags,
        parent=nested.parent,
        depth=depth.astype(np.int32),
        marks=select[marks],
        mark_track=mark_track,
        strays=_in_file(slices.strays, select),
        unfinished=_in_file(slices.unfinished, select),
    )


def _match(phase: I1, time: I8, named: U4, named_groups: int, trace_end: int) -> Matched:
    """Begins and ends of one name within one id are a stack of their own: another name never closes them."""
    begins, ends = np.isin(phase, list(BEGINS)), np.isin(phase, list(ENDS))
    kind = np.where(begins, ord("B"), np.where(ends, ord("E"), 0)).astype(np.uint8)
    mask = kind.view(np.uint8)
    order, offsets = group_by_row(named, named_groups, time=time, mask=mask, count=int(np.count_nonzero(mask)))
    no_dur, no_name = np.full(len(phase), NO_TIME, np.int64), np.zeros(len(phase), np.uint32)
    matched = match_events(order, offsets, kind, time, no_dur, no_name, 1, trace_end)
    used = int(matched.offsets[-1])
    for column in ("source", "start", "end", "ended", "flags"):
        setattr(matched, column, getattr(matched, column)[:used])
    return matched


def _cut_steps(phase: I1, time: I8, named: U4, named_groups: int, trace_end: int) -> tuple[U4, I8, I8, I1]:
    """Old-style steps as slices: T lasts to the next step or the end, p began with the step before or the start."""
    mask = np.isin(phase, list(b"STpF")).astype(np.uint8)
    if not np.isin(phase, list(STEPS)).any():
        empty = np.empty(0, np.int64)
        return np.empty(0, np.uint32), empty, empty, np.empty(0, np.uint8)
    order, _ = group_by_row(named, named_groups, time=time, mask=mask, count=int(np.count_nonzero(mask)))
    ordered_time, ordered_phase, ordered_group = time[order], phase[order], named[order]
    has_next = np.append(ordered_group[1:] == ordered_group[:-1], False)
    next_time = np.where(has_next, np.append(ordered_time[1:], 0), trace_end)
    before = np.insert(ordered_time[:-1], 0, 0)
    start = np.where((ordered_phase == ord("p")) & np.insert(has_next[:-1], 0, False), before, ordered_time)
    end = np.where(ordered_phase == ord("p"), ordered_time, np.maximum(next_time, ordered_time))
    flags = np.where((ordered_phase == ord("T")) & ~has_next, UNFINISHED | BEGIN_END, BEGIN_END).astype(np.uint8)
    steps = np.flatnonzero(np.isin(ordered_phase, list(STEPS)))
    return order[steps], start[steps], end[steps], flags[steps]


def _tree_of_marks(tree_group: U4, tree_start: I8, group: U4, time: I8) -> I8:
    """For each mark the last tree of its id that began by then, else the first one of the id, else -1."""
    if not len(group) or not len(tree_group):
        return np.full(len(group), -1, np.int64)
    all_groups, all_times = np.concatenate((tree_group, group)), np.concatenate((tree_start, time))
    is_mark = np.concatenate((np.zeros(len(tree_group), np.uint8), np.ones(len(group), np.uint8)))
    order = np.lexsort((is_mark, all_times, all_groups))
    running = np.maximum.accumulate(np.where(order < len(tree_group), order, -1))
    before = np.empty(len(order), np.int64)
    before[order] = running
    found = before[len(tree_group) :]
    first = np.searchsorted(tree_group, group)
    none_before = (found < 0) | (tree_group[np.maximum(found, 0)] != group)
    found = np.where(none_before, np.minimum(first, len(tree_group) - 1), found)
    return np.where(tree_group[found] == group, found, -1)


def _describe_tracks(owner: U4, owners: int, process: U4, name: U4, ids: U4, text: Callable[[int], str]) -> list[AsyncTrack]:
    low, high = np.full(owners, NONE, np.uint32), np.zeros(owners, np.uint32)
    np.minimum.at(low, owner, ids)
    np.maximum.at(high, owner, ids)
    first = np.empty(owners, np.int64)
    first[owner[::-1]] = np.arange(len(owner))[::-1]
    return [
        AsyncTrack(int(process[at]), text(int(name[at])), text(int(a)) if a == b else "") for at, a, b in zip(first, low, high, strict=True)
    ]


def _in_file(places: Places, select: U4) -> Places:
    return places[0], [int(select[i]) for i in places[1]]
