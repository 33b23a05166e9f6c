"""What a recording will be like, told before the run: events, room in the trace buffer, sizes of the files, time to write them."""

from __future__ import annotations

from typing import Any

from msgspec import Struct, field
from msgspec.structs import asdict


class Estimate(Struct, frozen=True):
    """Expected figures of one configuration. ``to_dict`` is the form for machines.

    ``device_events`` are those that find room in the trace buffer, ``lost_events`` those that do not. ``buffer_bytes`` is what the
    fullest capture needs of its buffer of ``buffer_limit_bytes``; ``buffer_fill`` is their quotient and above 1 when it overflows.
    ``file_bytes``: bytes by name of the output file; ``<pid>``, ``<time>`` and ``<invocation>`` in a name stand for what only the run
    knows, and the bytes are then those of all such files together, ``file_counts`` of them.
    """

    launches: int
    host_events: int
    device_events: int
    events: int
    buffer_bytes: int
    buffer_limit_bytes: int
    buffer_fill: float
    first_lost_launch: int | None
    file_bytes: dict[str, int]
    total_bytes: int
    post_processing_ns: int
    basis: str
    """For people: where the figures come from."""
    notes: tuple[str, ...]
    """Assumptions, and traps with a way out."""
    lost_events: int = 0
    captures: int = 0
    file_counts: dict[str, int] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Plain values under the names of the fields."""
        return {**asdict(self), "notes": list(self.notes)}
