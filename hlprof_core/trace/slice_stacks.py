"""Call stacks of slices on their way into a trace: noted for events, found again when events have become slices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from hlprof_core.trace.stacking import NONE
from hlprof_core.trace.table import I4, I8, NO_FRAME, U4, SliceStacks


class EventStacks(Struct, frozen=True):
    """``event``: its number in its block; ``frame``, ``end_frame``: rows of the frames, or ``NO_FRAME``."""

    event: I8
    frame: I4
    end_frame: I4


class StackNotes:
    """Takes the stacks of one block of events after the other."""

    def __init__(self) -> None:
        self._notes: list[tuple[int, EventStacks]] = []

    def add(self, block: int, stacks: EventStacks) -> None:
        """``block``: number of the block among all blocks of the builder."""
        if len(stacks.event):
            self._notes.append((block, stacks))

    def join(self, sizes: Sequence[int]) -> EventStacks | None:
        """All of them, numbered through; ``sizes``: events in each block. None: no event has a stack."""
        if not self._notes:
            return None
        first = np.concatenate(([0], np.cumsum(sizes)))
        return EventStacks(
            np.concatenate([stacks.event + first[block] for block, stacks in self._notes]),
            np.concatenate([stacks.frame for _, stacks in self._notes]),
            np.concatenate([stacks.end_frame for _, stacks in self._notes]),
        )


def stacks_of_slices(stacks: EventStacks, rows: U4, source: U4, ended: U4, events: int) -> tuple[SliceStacks, int]:
    """``rows``: slices whose begin or end has a stack, in order; ``source``, ``ended``: numbers of the events that began and ended them.

    The stack of an end event is the end stack of its slice. Also returns how many events with a stack are on no slice.
    """
    begins = np.full(events, NO_FRAME, np.int32)
    ends = begins.copy()
    begins[stacks.event], ends[stacks.event] = stacks.frame, stacks.end_frame
    frame, end_frame = begins[source], ends[source]
    closed = np.flatnonzero(ended != NONE)
    at_end = begins[ended[closed]]
    told = at_end != NO_FRAME
    end_frame[closed[told]] = at_end[told]
    used = np.zeros(events, bool)
    used[source] = True
    used[ended[closed]] = True
    elsewhere = int(np.count_nonzero(~used[stacks.event]))
    kept = np.flatnonzero((frame != NO_FRAME) | (end_frame != NO_FRAME))
    return SliceStacks(rows[kept], frame[kept], end_frame[kept]), elsewhere
