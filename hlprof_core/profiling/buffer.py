"""The trace buffer: finite device memory of raw events. Full means stop: what came first is kept, what came later is counted."""

from __future__ import annotations

from array import array

EVENT_BYTES = 16
"""Room of one event: a packet with time stamp, port and payload (inferred; the raw format is not public)."""


class TraceBuffer:
    """Raw events as columns: time in ns, engine (number in the generation's list), signal of its instrument, context id on the wire."""

    def __init__(self, size_bytes: int) -> None:
        self.capacity = max(1, size_bytes // EVENT_BYTES)
        self.time_ns = array("q")
        self.engine = array("H")
        self.signal = array("B")
        self.context = array("H")
        self.lost = 0
        self.full_since_ns: int | None = None
        """Time of the first event that found no room."""

    def __len__(self) -> int:
        return len(self.time_ns)

    @property
    def is_full(self) -> bool:
        return self.full_since_ns is not None

    def push(self, events: list[tuple[int, int, int, int]]) -> int:
        """Take events (time, engine, signal, context) in time order; returns how many found room. Once full it stays so."""
        room = 0 if self.is_full else self.capacity - len(self.time_ns)
        taken = events[:room] if room < len(events) else events
        for time_ns, engine, signal, context in taken:
            self.time_ns.append(time_ns)
            self.engine.append(engine)
            self.signal.append(signal)
            self.context.append(context)
        if len(taken) < len(events):
            self.lost += len(events) - len(taken)
            if self.full_since_ns is None:
                self.full_since_ns = events[len(taken)][0]
        return len(taken)
