"""The columns of a trace: what each table holds, in which order, in which unit. No logic, no reading.

All times are int64 nanoseconds of the file's own clock. Ids are row numbers. Columns are read-only numpy arrays.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from msgspec import Struct

I1: TypeAlias = npt.NDArray[np.uint8]
I4: TypeAlias = npt.NDArray[np.int32]
I8: TypeAlias = npt.NDArray[np.int64]
U2: TypeAlias = npt.NDArray[np.uint16]
U4: TypeAlias = npt.NDArray[np.uint32]
U8: TypeAlias = npt.NDArray[np.uint64]
F8: TypeAlias = npt.NDArray[np.float64]

UNFINISHED = 1
"""Slice flag: no end was recorded; it is drawn to the end of its parent or of the trace."""
BEGIN_END = 2
"""Slice flag: recorded as a begin and an end event; writers keep that form."""


class Slices(Struct, frozen=True):
    """Things that last, sorted by (track, depth, start): each lane is one contiguous, non-overlapping run."""

    start_ns: I8
    dur_ns: I8
    track: U4
    depth: U2
    parent: I4
    """Row of the enclosing slice, -1 at the top."""
    name: U4
    cat: U4
    args_offset: U8
    args_length: U4
    """Length 0: no arguments."""
    flags: I1

    def __len__(self) -> int:
        return len(self.start_ns)


class EndArgs(Struct, frozen=True):
    """Arguments that came with the end event of a slice; sparse, sorted by slice."""

    slice: U4
    args_offset: U8
    args_length: U4


class Lanes(Struct, frozen=True):
    """Runs of slices with the same (track, depth): lane i holds slice rows ``offsets[i]:offsets[i+1]``; sorted by (track, depth)."""

    offsets: I8
    track: U4
    depth: U2

    def __len__(self) -> int:
        return len(self.track)


class Instants(Struct, frozen=True):
    """Things without duration, sorted by (track, time). ``scope``: 0 thread, 1 process, 2 global."""

    time_ns: I8
    track: U4
    name: U4
    cat: U4
    args_offset: U8
    args_length: U4
    scope: I1

    def __len__(self) -> int:
        return len(self.time_ns)


SCOPES = ("thread", "process", "global")


class Counters(Struct, frozen=True):
    """Samples of counter series, sorted by (series, time): series i holds rows ``offsets[i]:offsets[i+1]``."""

    time_ns: I8
    value: F8
    offsets: I8

    def __len__(self) -> int:
        return len(self.time_ns)


class Flows(Struct, frozen=True):
    """Arrows between two slices, one row an arrow (a chain of n marks gives n-1 rows). ``id``: string id of the flow id."""

    from_slice: U4
    to_slice: U4
    name: U4
    cat: U4
    id: U4

    def __len__(self) -> int:
        return len(self.from_slice)


NO_END = -(1 << 63)
"""End of an object whose deletion the file does not tell."""
NO_FRAME = -1


class Objects(Struct, frozen=True):
    """Lives of objects, sorted by start: object i has the snapshots ``snapshot_ns[offsets[i]:offsets[i+1]]``, and their arguments at the
    same rows. ``id``, ``pid``: texts."""

    id: U4
    name: U4
    pid: U4
    start_ns: I8
    end_ns: I8
    offsets: I8
    snapshot_ns: I8
    args_offset: U8
    args_length: U4

    def __len__(self) -> int:
        return len(self.start_ns)


class StackSamples(Struct, frozen=True):
    """Samples of a profiler, sorted by time. ``pid``, ``tid``: texts; ``frame``: row of ``Frames`` (innermost) or ``NO_FRAME``."""

    time_ns: I8
    pid: U4
    tid: U4
    name: U4
    weight: F8
    frame: I4
    args_offset: U8
    args_length: U4

    def __len__(self) -> int:
        return len(self.time_ns)


class Frames(Struct, frozen=True):
    """Stack frames as a tree: ``parent`` is a row before, or ``NO_FRAME`` at the root."""

    name: U4
    parent: I4

    def __len__(self) -> int:
        return len(self.name)


class SliceStacks(Struct, frozen=True):
    """Call stacks that slices were recorded with; sparse, sorted by slice. ``frame``, ``end_frame``: rows of ``Frames`` (where the slice
    begins and where it ends) or ``NO_FRAME``."""

    slice: U4
    frame: I4
    end_frame: I4

    @classmethod
    def none(cls) -> SliceStacks:
        """No slice has one."""
        return cls(np.empty(0, np.uint32), np.empty(0, np.int32), np.empty(0, np.int32))

    def __len__(self) -> int:
        return len(self.slice)


Table = Slices | EndArgs | Lanes | Instants | Counters | Flows | Objects | StackSamples | Frames | SliceStacks


def freeze(table: Table) -> None:
    """Make every column read-only."""
    for name in table.__struct_fields__:
        getattr(table, name).flags.writeable = False
