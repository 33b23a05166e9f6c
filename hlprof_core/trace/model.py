"""The trace in memory: immutable columns plus the way back to the arguments in the file."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from msgspec import Struct, field

from hlprof_core.diagnostics import Diagnostic
from hlprof_core.trace import table
from hlprof_core.trace.ranges import TimeRange
from hlprof_core.trace.strings import Strings
from hlprof_core.trace.tracks import Process, Series, Track


class ArgsText(Protocol):
    """Where the text of arguments lies: a file read by byte range, or a block of memory."""

    def read(self, offset: int, length: int) -> bytes:
        """The JSON text of one event's arguments."""
        ...


class Origin(Struct, frozen=True):
    """What the trace was read from. ``base_ns``: wall clock of time 0 where the file states one."""

    format: str
    path: Path | None = None
    size_bytes: int = 0
    base_ns: int | None = None
    properties: Mapping[str, Any] = field(default_factory=dict)
    """Top-level facts of the file (``deviceProperties``, ``otherData``, ``hlprof`` ...)."""


class Trace(Struct, frozen=True, eq=False, dict=True, weakref=True):
    """One recorded run. Built by ``TraceBuilder.finish`` or restored from the cache; never changed afterwards."""

    origin: Origin
    strings: Strings
    processes: tuple[Process, ...]
    tracks: tuple[Track, ...]
    series: tuple[Series, ...]
    slices: table.Slices
    end_args: table.EndArgs
    lanes: table.Lanes
    instants: table.Instants
    counters: table.Counters
    flows: table.Flows
    args_text: ArgsText
    objects: table.Objects
    stack_samples: table.StackSamples
    frames: table.Frames
    diagnostics: tuple[Diagnostic, ...] = ()
    extent: TimeRange | None = None
    """First to last moment the file states, also where no table shows it (an end without a begin)."""
    slice_stacks: table.SliceStacks = field(default_factory=table.SliceStacks.none)

    @cached_property
    def span(self) -> TimeRange:
        """First to last nanosecond of anything recorded; empty at 0 for a trace without events."""
        if self.extent is not None:
            return self.extent
        starts = [a.min() for a in (self.slices.start_ns, self.instants.time_ns, self.counters.time_ns) if len(a)]
        if not starts:
            return TimeRange(0, 0)
        ends = [a.max() for a in (self.instants.time_ns, self.counters.time_ns) if len(a)]
        if len(self.slices):
            ends.append((self.slices.start_ns + self.slices.dur_ns).max())
        return TimeRange(int(min(starts)), int(max(ends)))

    @cached_property
    def track_lanes(self) -> table.I8:
        """Lanes of track t are rows ``track_lanes[t]:track_lanes[t+1]`` of ``lanes``."""
        return np.searchsorted(self.lanes.track, np.arange(len(self.tracks) + 1)).astype(np.int64)

    @cached_property
    def samples_by_track(self) -> tuple[table.I8, table.I8]:
        """Rows of ``stack_samples`` track by track, in time, and where those of each track begin; those of no track are left out."""
        samples = self.stack_samples
        if not len(samples.pid):
            return np.empty(0, np.int64), np.zeros(len(self.tracks) + 1, np.int64)
        track_of = {(track.pid, track.tid): track.id for track in reversed(self.tracks) if track.kind == "thread"}
        pairs, pair = np.unique(samples.pid.astype(np.uint64) << np.uint64(32) | samples.tid, return_inverse=True)
        found = [track_of.get((self.strings[key >> 32], self.strings[key & 0xFFFFFFFF]), -1) for key in pairs.tolist()]
        tracks = np.array([*found, -1], np.int64)[pair]
        order = np.argsort(tracks, kind="stable")
        order = order[int(np.count_nonzero(tracks < 0)) :]
        return order, np.searchsorted(tracks[order], np.arange(len(self.tracks) + 1)).astype(np.int64)

    def sample_args(self, sample: int) -> dict[str, Any]:
        """Arguments of a row of ``stack_samples``."""
        return self.args_at(int(self.stack_samples.args_offset[sample]), int(self.stack_samples.args_length[sample]))

    def name(self, slice_id: int) -> str:
        return self.strings[int(self.slices.name[slice_id])]

    def args(self, slice_id: int) -> dict[str, Any]:
        """Arguments of a slice, those of its end event merged in; decoded from the file on each call."""
        from hlprof_core.trace.args import decode, merge_end

        result = decode(self.args_text, int(self.slices.args_offset[slice_id]), int(self.slices.args_length[slice_id]))
        row = _row_of(self.end_args.slice, slice_id)
        if row is not None:
            ends = decode(self.args_text, int(self.end_args.args_offset[row]), int(self.end_args.args_length[row]))
            result = merge_end(result, ends)
        return result

    def stack(self, frame: int) -> list[str]:
        """Names of the frames from the root to ``frame`` (a row of ``frames``); none for ``table.NO_FRAME``."""
        names = []
        while frame != table.NO_FRAME:
            names.append(self.strings[int(self.frames.name[frame])])
            frame = int(self.frames.parent[frame])
        return names[::-1]

    def slice_frames(self, slice_id: int) -> tuple[int, int]:
        """Frames where a slice begins and where it ends (rows of ``frames`` or ``table.NO_FRAME``)."""
        stacks = self.slice_stacks
        row = _row_of(stacks.slice, slice_id)
        if row is None:
            return table.NO_FRAME, table.NO_FRAME
        return int(stacks.frame[row]), int(stacks.end_frame[row])

    def args_at(self, offset: int, length: int) -> dict[str, Any]:
        """Arguments whose place a table states (``args_offset``, ``args_length``)."""
        from hlprof_core.trace.args import decode

        return decode(self.args_text, offset, length)

    def instant_args(self, instant_id: int) -> dict[str, Any]:
        """Arguments of an instant."""
        from hlprof_core.trace.args import decode

        return decode(self.args_text, int(self.instants.args_offset[instant_id]), int(self.instants.args_length[instant_id]))


def _row_of(slices: table.U4, slice_id: int) -> int | None:
    """The row of a slice in a table that has a row for some of them; None without one."""
    # In the type of the column: numpy would make another column of all of them first.
    row = int(np.searchsorted(slices, slices.dtype.type(slice_id)))
    return row if row < len(slices) and int(slices[row]) == slice_id else None
