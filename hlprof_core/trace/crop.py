"""A part of a trace as a trace of its own: a stretch of time, some tracks, or both."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from hlprof_core.diagnostics import DiagnosticLog
from hlprof_core.errors import UsageError
from hlprof_core.trace import table
from hlprof_core.trace.model import Trace
from hlprof_core.trace.ranges import TimeRange
from hlprof_core.trace.table import I8, U4

Rows = TypeVar("Rows", table.Slices, table.Instants, table.Flows, table.EndArgs, table.StackSamples, table.SliceStacks)
Mask = npt.NDArray[np.bool_]


def crop(trace: Trace, within: TimeRange | None = None, track_globs: Sequence[str] = (), ranks: Collection[int] = ()) -> Trace:
    """Keep what happens in ``within`` on the tracks that a glob names (``TPC *``, ``Host/*``: the track, or process/track)
    and that belong to one of ``ranks``; without globs or ranks that choice is free.

    Slices are clipped at the borders and lose their end's arguments there, counters keep their value at the start, arrows stay
    when both of their ends do. Lanes stay as they were.
    """
    log = DiagnosticLog()
    log.extend(trace.diagnostics)
    is_kept = _match_tracks(trace, track_globs) & _match_ranks(trace, ranks)
    if not is_kept.any() and len(is_kept):
        raise UsageError("No track matches both the names and the ranks.", hint="Leave one of them out.")
    always = TimeRange(-(1 << 63), (1 << 63) - 1)
    stack_samples, objects = _crop_beside(trace, within or always, is_kept, all_tracks=not track_globs)
    within = trace.span if within is None else within
    slices, end_args, number = _crop_slices(trace, within, is_kept, log)
    stacks = _crop_stacks(trace, within, number)
    renumber = np.cumsum(is_kept) - 1
    slices = replace(slices, track=renumber[slices.track].astype(np.uint32))
    instants = _select(
        trace.instants,
        is_kept[trace.instants.track] & (trace.instants.time_ns >= within.start_ns) & (trace.instants.time_ns <= within.end_ns),
    )
    instants = replace(instants, track=renumber[instants.track].astype(np.uint32))
    kept_series = [series for series in trace.series if is_kept[series.track]]
    counters = _crop_counters(trace, within, [series.id for series in kept_series])
    flows = _crop_flows(trace, number, log)
    result = replace(
        trace,
        tracks=tuple(replace(t, id=int(renumber[t.id])) for t in trace.tracks if is_kept[t.id]),
        series=tuple(replace(s, id=i, track=int(renumber[s.track])) for i, s in enumerate(kept_series)),
        slices=slices,
        end_args=end_args,
        lanes=_lanes_of(slices),
        instants=instants,
        counters=counters,
        flows=flows,
        stack_samples=stack_samples,
        objects=objects,
        diagnostics=log.freeze(),
        extent=trace.span.clip(within),
        slice_stacks=stacks,
    )
    if track_globs or ranks:
        result = _drop_idle_processes(result)
    for kept in (result.slices, result.end_args, result.lanes, result.instants, result.counters, result.flows,
                 result.stack_samples, result.objects, result.slice_stacks):  # fmt: skip
        table.freeze(kept)
    return result


def _crop_beside(trace: Trace, within: TimeRange, is_kept: Mask, *, all_tracks: bool) -> tuple[table.StackSamples, table.Objects]:
    """Samples of kept threads, and objects of kept processes that live within the time, with their snapshots of it."""
    samples, objects, texts = trace.stack_samples, trace.objects, trace.strings
    sampled = (samples.time_ns >= within.start_ns) & (samples.time_ns <= within.end_ns)
    alive = (objects.start_ns <= within.end_ns) & ((objects.end_ns == table.NO_END) | (objects.end_ns >= within.start_ns))
    if not all_tracks:
        threads = {(track.pid, track.tid) for track in trace.tracks if is_kept[track.id]}
        processes = {pid for pid, _ in threads}
        sampled &= np.array([(texts[int(p)], texts[int(t)]) in threads for p, t in zip(samples.pid, samples.tid, strict=True)], bool)
        alive &= np.array([texts[int(pid)] in processes for pid in objects.pid], bool)
    seen = np.repeat(alive, np.diff(objects.offsets))
    seen &= (objects.snapshot_ns >= within.start_ns) & (objects.snapshot_ns <= within.end_ns)
    before = np.append(0, np.cumsum(seen))
    counts = np.diff(before[objects.offsets])[alive]
    offsets = np.append(0, np.cumsum(counts)).astype(np.int64)
    lives = table.Objects(
        objects.id[alive], objects.name[alive], objects.pid[alive], objects.start_ns[alive], objects.end_ns[alive],
        offsets, objects.snapshot_ns[seen], objects.args_offset[seen], objects.args_length[seen],
    )  # fmt: skip
    return _select(samples, sampled), lives


def _match_tracks(trace: Trace, globs: Sequence[str]) -> Mask:
    if not globs:
        return np.ones(len(trace.tracks), bool)
    names = [(track.name, f"{trace.processes[track.process].name}/{track.name}") for track in trace.tracks]
    kept = np.array([any(fnmatchcase(name, glob) for name in both for glob in globs) for both in names], bool)
    if not kept.any():
        first = ", ".join(repr(t.name) for t in trace.tracks[:5])
        hint = f"The first tracks are {first}." if first else "The trace has no tracks."
        raise UsageError(f"No track matches {' or '.join(repr(g) for g in globs)}.", hint=hint)
    return kept


def _match_ranks(trace: Trace, ranks: Collection[int]) -> Mask:
    if not ranks:
        return np.ones(len(trace.tracks), bool)
    kept = np.array([track.rank in ranks for track in trace.tracks], bool)
    if not kept.any():
        known = sorted({track.rank for track in trace.tracks} - {-1})
        hint = f"Ranks in the trace: {', '.join(map(str, known))}." if known else "The trace states no ranks."
        raise UsageError(f"No track has rank {' or '.join(map(str, ranks))}.", hint=hint)
    return kept


def _select(rows: Rows, mask: Mask | I8) -> Rows:
    return type(rows)(**{name: getattr(rows, name)[mask] for name in rows.__struct_fields__})


def _crop_slices(trace: Trace, within: TimeRange, is_kept: Mask, log: DiagnosticLog) -> tuple[table.Slices, table.EndArgs, I8]:
    """Also the new number of each old slice, -1 where it is gone."""
    s = trace.slices
    end_ns = s.start_ns + s.dur_ns
    touches = (s.start_ns < within.end_ns) & (end_ns > within.start_ns)
    touches |= (s.dur_ns == 0) & (s.start_ns >= within.start_ns) & (s.start_ns <= within.end_ns)
    keep = touches & is_kept[s.track]
    number = np.where(keep, np.cumsum(keep) - 1, -1)
    slices = _select(s, keep)
    start = np.maximum(slices.start_ns, within.start_ns)
    end = np.minimum(end_ns[keep], within.end_ns)
    clipped = (start != slices.start_ns) | (end != end_ns[keep])
    log.add("crop.clipped", "notice", "Slices that reach over the border were clipped there.", count=int(np.count_nonzero(clipped)))
    parent = slices.parent.copy()
    inner = parent >= 0
    parent[inner] = number[parent[inner]]
    slices = replace(slices, start_ns=start, dur_ns=end - start, parent=parent)
    old = trace.end_args.slice
    has_end = keep[old] & (end_ns[old] <= within.end_ns)
    ends = _select(trace.end_args, has_end)
    return slices, replace(ends, slice=number[ends.slice].astype(np.uint32)), number


def _crop_stacks(trace: Trace, within: TimeRange, number: I8) -> table.SliceStacks:
    """Stacks of the slices that are left; with the end of a slice its stack there is cut off. ``number``: new one of each slice."""
    stacks = _select(trace.slice_stacks, number[trace.slice_stacks.slice] >= 0)
    end_ns = (trace.slices.start_ns + trace.slices.dur_ns)[stacks.slice]
    end_frame = np.where(end_ns <= within.end_ns, stacks.end_frame, table.NO_FRAME).astype(np.int32)
    left = (stacks.frame != table.NO_FRAME) | (end_frame != table.NO_FRAME)
    return table.SliceStacks(number[stacks.slice[left]].astype(np.uint32), stacks.frame[left], end_frame[left])


def _lanes_of(slices: table.Slices) -> table.Lanes:
    """Runs of equal (track, depth)."""
    lane = (slices.track.astype(np.int64) << 16) | slices.depth
    heads = np.flatnonzero(np.diff(lane, prepend=-1))
    return table.Lanes(np.append(heads, len(lane)).astype(np.int64), slices.track[heads], slices.depth[heads])


def _crop_counters(trace: Trace, within: TimeRange, series: list[int]) -> table.Counters:
    times, values, offsets = [], [], [0]
    for number in series:
        low, high = int(trace.counters.offsets[number]), int(trace.counters.offsets[number + 1])
        time, value = trace.counters.time_ns[low:high], trace.counters.value[low:high]
        first = int(np.searchsorted(time, within.start_ns, "left"))
        last = int(np.searchsorted(time, within.end_ns, "right"))
        time, value, before = time[first:last], value[first:last], value[:first]
        if len(before) and (not len(time) or time[0] > within.start_ns):
            time, value = np.insert(time, 0, within.start_ns), np.insert(value, 0, before[-1])
        times.append(time)
        values.append(value)
        offsets.append(offsets[-1] + len(time))
    empty = trace.counters.time_ns[:0], trace.counters.value[:0]
    return table.Counters(np.concatenate((empty[0], *times)), np.concatenate((empty[1], *values)), np.array(offsets, np.int64))


def _crop_flows(trace: Trace, number: I8, log: DiagnosticLog) -> table.Flows:
    source, target = number[trace.flows.from_slice], number[trace.flows.to_slice]
    kept = (source >= 0) & (target >= 0)
    half = int(np.count_nonzero((source >= 0) != (target >= 0)))
    log.add("crop.flow", "notice", "Arrows with one end outside were left out.", count=half)

    def renumbered(rows: I8) -> U4:
        return rows[kept].astype(np.uint32)

    return replace(_select(trace.flows, kept), from_slice=renumbered(source), to_slice=renumbered(target))


def _drop_idle_processes(trace: Trace) -> Trace:
    """Only processes with a track left."""
    used = sorted({track.process for track in trace.tracks})
    place = {old: new for new, old in enumerate(used)}
    return replace(
        trace,
        processes=tuple(replace(trace.processes[old], id=new) for old, new in place.items()),
        tracks=tuple(replace(track, process=place[track.process]) for track in trace.tracks),
    )
