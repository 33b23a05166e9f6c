"""From events in file order to slices with parents and depths (C kernel). Arrays are C-contiguous numpy columns."""

from array import array
from typing import Any

from hlprof_core.trace.table import I1, I4, I8, U4

Places = tuple[int, list[int]]
"""How many, and the first few row numbers."""
Watch = array[int] | None
"""Two cells: a kernel raises ``InterruptedError`` soon after the first is set, and adds what it has done to the second."""

def survey(
    phase: I1, ts: I8, dur: I8, row: U4, classes: I1, kind: I1, events: I8, ends: I8, phases: I8, /
) -> tuple[tuple[int, int, int, int, int, int], int, int, Places]:
    """Fills ``kind`` with the class of each phase (0 to 5; 0 also where there is no time), adds up events of slices (class 1) and their
    ends (phase E) by row, and phases that have a time. Returns how many of each class, first and last moment of those above class 0 (the
    largest and the smallest number without any), and the events without a time."""

def group(row: U4, ts: I8 | None, mask: I1 | None, rows: int, order: U4, offsets: I8, watch: Watch = None, /) -> int:
    """Stable counting sort by row, then by time within each; returns how many rows were out of time order."""

def match(
    order: U4,
    offsets: I8,
    phase: I1,
    ts: I8,
    dur: I8,
    name: U4,
    names: int,
    trace_end: int,
    source: U4,
    start: I8,
    end: I8,
    ended: U4,
    flags: I1,
    slice_offsets: I8,
    watch: Watch = None,
    /,
) -> tuple[int, Places, Places, Places, Places]:
    """Pair B with E; slices per row by (start, longer first, file order). Returns the number of slices, then stray ends,
    slices closed by an outer end, unfinished ones and negative durations (event numbers)."""

def nest(
    offsets: I8, start: I8, end: I8, trace_end: int, parent: I4, depth: I4, cluster: U4 | None, height: I4, watch: Watch = None, /
) -> tuple[Places, Places]:
    """Parent and depth; fills in ends that are missing. Returns overlaps and slices beyond the deepest row (depth -1)."""

def pack(offsets: I8, start: I8, end: I8, slot: U4) -> None:
    """For intervals sorted by start: the first slot that is free."""

def bind(slice_offsets: I8, start: I8, end: I8, mark_offsets: I8, time: I8, wish: I1, bound: I4) -> None:
    """The slice of each mark (sorted by time within a row), or -1. ``wish``: 0 enclosing, 1 next, 2 enclosing or else next."""

def settle(columns: tuple[Any, ...], first_track: int, watch: Watch = None, /) -> int:
    """Slices row by row into the finished columns, lane by lane; returns how many ends with arguments there are.

    ``columns``: offsets, base (place of each row), height; of the slices source, ended, start, end, flags, parent, depth; of the events
    name, cat, args_offset, args_length; finished start_ns, dur_ns, track, depth, parent, name, cat, args_offset, args_length, flags;
    then what comes out beside them: place of each slice, slices kept of each row, slices of each lane, slice and event of each end.
    """

def give_back() -> None:
    """What the heap holds without use goes back to the system."""
