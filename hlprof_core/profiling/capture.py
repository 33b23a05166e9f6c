"""One stretch of hardware tracing, from arming the units to stopping them, and which launches fell into it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, field

from hlprof_core.profiling.buffer import TraceBuffer

if TYPE_CHECKING:
    from hlprof_core.synapse.recipe import Recipe


class Launch(Struct):
    """One launch or host copy: its events are rows ``first`` to ``first + count`` of the capture's buffer."""

    kind: str
    enqueue: int
    recipe: Recipe | None
    stream_handle: int
    label: str
    """What the firmware calls a copy."""
    size_bytes: int
    """What a copy moves."""
    end_ns: int
    """When its last work is done on the device."""
    first: int
    count: int


class Capture(Struct):
    """``label`` is the invocation part of file names (``7``, ``15-19`` or ""); ``end_ns`` None while it runs."""

    label: str
    start_ns: int
    buffer: TraceBuffer
    end_ns: int | None = None
    launches: list[Launch] = field(default_factory=list)

    @property
    def is_open(self) -> bool:
        return self.end_ns is None
