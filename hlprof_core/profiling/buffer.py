"""The trace buffer: finite device memory of raw events. Full means stop: what came first is kept, what came later is counted."""

from __future__ import annotations

from array import array

import numpy as np
from msgspec import Struct

from hlprof_core.trace.table import I1, I8, U2

EVENT_BYTES = 16
"""Room of one event: a packet with time stamp, port and payload (inferred; the raw format is not public)."""


class RawEvents(Struct, frozen=True):
    """Time in ns, engine (number in the generation's list), signal of its instrument, context id on the wire."""

    time_ns: I8
    engine: U2
    signal: I1
    context: U2

    def __len__(self) -> int:
        return len(self.time_ns)

    def take(self, rows: slice | np.ndarray) -> RawEvents:
        """Some of the events."""
        return RawEvents(self.time_ns[rows], self.engine[rows], self.signal[rows], self.context[rows])


class TraceBuffer:
    """Grows up to its capacity; rows keep the order in which they came."""

    def __init__(self, size_bytes: int) -> None:
        self.capacity = max(1, size_bytes // EVENT_BYTES)
        self.lost = 0
        self.full_since_ns: int | None = None
        """Time of the first event that found no room."""
        self._columns = (array("q"), array("H"), array("B"), array("H"))

    def __len__(self) -> int:
        return len(self._columns[0])

    @property
    def is_full(self) -> bool:
        return self.full_since_ns is not None

    def push(self, events: RawEvents) -> int:
        """Take events in time order; returns how many found room. Once full it stays so."""
        room = 0 if self.is_full else self.capacity - len(self)
        taken = events.take(slice(0, room)) if room < len(events) else events
        time_ns, engine, signal, context = self._columns
        time_ns.frombytes(taken.time_ns.tobytes())
        engine.frombytes(taken.engine.tobytes())
        signal.frombytes(taken.signal.tobytes())
        context.frombytes(taken.context.tobytes())
        if len(taken) < len(events):
            self.lost += len(events) - len(taken)
            if self.full_since_ns is None:
                self.full_since_ns = int(events.time_ns[len(taken)])
        return len(taken)

    def events(self) -> RawEvents:
        """Everything in the buffer, as a copy."""
        time_ns, engine, signal, context = self._columns
        return RawEvents(np.array(time_ns, np.int64), np.array(engine, np.uint16), np.array(signal, np.uint8), np.array(context, np.uint16))

    def keep(self, events: RawEvents, *, is_full: bool) -> None:
        """Replace the content; without ``is_full`` nothing counts as lost any more."""
        self._columns = (array("q"), array("H"), array("B"), array("H"))
        lost, full_since_ns = self.lost, self.full_since_ns
        self.lost, self.full_since_ns = 0, None
        self.push(events)
        if is_full:
            self.lost, self.full_since_ns = lost, full_since_ns
