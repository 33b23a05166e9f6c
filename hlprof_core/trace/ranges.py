"""A stretch of time."""

from __future__ import annotations

from msgspec import Struct


class TimeRange(Struct, frozen=True, order=True):
    """``start_ns`` up to, not including, ``end_ns``; int64 nanoseconds."""

    start_ns: int
    end_ns: int

    @property
    def length_ns(self) -> int:
        return self.end_ns - self.start_ns

    def clip(self, other: TimeRange) -> TimeRange:
        """The common part; empty at the nearer border when there is none."""
        start = min(max(self.start_ns, other.start_ns), other.end_ns)
        return TimeRange(start, max(start, min(self.end_ns, other.end_ns)))

    def overlaps(self, other: TimeRange) -> bool:
        return self.start_ns < other.end_ns and other.start_ns < self.end_ns
