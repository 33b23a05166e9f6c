"""What a piece of work costs an engine class: time at full speed, memory traffic, fixed part."""

from __future__ import annotations

from msgspec import Struct


class Cost(Struct, frozen=True):
    """Costs of work on ``engines`` engines of one class together."""

    compute_ns: float
    """Time if memory were infinitely fast."""
    hbm_bytes: float
    fixed_ns: float = 0.0
    """Start or completion time that needs neither."""
    engines: int = 1

    def alone_ns(self, hbm_bytes_per_ns: float) -> float:
        """Duration with the whole memory bandwidth to itself."""
        return max(self.compute_ns, self.hbm_bytes / hbm_bytes_per_ns) + self.fixed_ns

    def part(self, share: float) -> Cost:
        """A slice of the work; the fixed part is paid by every slice."""
        return Cost(self.compute_ns * share, self.hbm_bytes * share, self.fixed_ns, self.engines)
