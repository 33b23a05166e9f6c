"""The host's side of a run: a virtual clock, what its calls cost, and who hears of them."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

from hlprof_core.synapse.shim import ApiCall

T = TypeVar("T")

# What host calls cost in ns. Nothing is published, so these are plausible figures; the launch's is in the device file.
CALL_COSTS = {
    "synInitialize": 2_000_000,
    "synDestroy": 500_000,
    "synDeviceAcquire": 300_000,
    "synDeviceRelease": 200_000,
    "synDeviceMalloc": 30_000,
    "synDeviceFree": 15_000,
    "synDeviceSynchronize": 2_500,
    "synGraphCompile": 2_000_000,
    "synStreamCreateGeneric": 20_000,
    "synStreamWaitEvent": 900,
    "synStreamSynchronize": 2_000,
    "synEventCreate": 1_500,
    "synEventRecord": 1_200,
    "synEventSynchronize": 2_000,
    "synMemCopyAsync": 4_500,
}
COMPILE_NODE_NS = 60_000
"""What each node adds to synGraphCompile."""
WAKE_NS = 6_000
"""From the device's interrupt to the waiting thread running again."""
JITTER = 0.15


class HostClock:
    """Nanoseconds as of CLOCK_MONOTONIC_RAW at the start, then moved only by what is done. ``tell`` hears of each finished call."""

    def __init__(self, tell: Callable[[ApiCall], None], *, seed: int, start_ns: int | None) -> None:
        self.now_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW) if start_ns is None else start_ns
        self._tell = tell
        self._rng = random.Random(f"host {seed}")

    def spend(self, duration_ns: int) -> None:
        """Time passes on the host."""
        self.now_ns += max(0, duration_ns)

    def wait_until(self, time_ns: int) -> None:
        """The host sleeps until the device reaches ``time_ns``; waking up takes a moment."""
        if time_ns > self.now_ns:
            self.now_ns = time_ns + WAKE_NS

    def vary(self, cost_ns: float) -> int:
        """A cost as it turns out this time."""
        return int(cost_ns * (1 + JITTER * self._rng.uniform(-1, 1)))

    def call(self, name: str, inside: Callable[[], T], *, args: dict[str, Any] | None = None, extra_ns: int = 0) -> T:
        """One call: half of its cost, what it does, the other half; then it is told."""
        start, cost = self.now_ns, self.vary(CALL_COSTS[name] + extra_ns)
        self.spend(cost // 2)
        result = inside()
        self.spend(cost - cost // 2)
        self.report(name, start, args)
        return result

    def report(self, name: str, start_ns: int, args: dict[str, Any] | None = None) -> None:
        """Tell of a call from ``start_ns`` to now."""
        self._tell(ApiCall(name, start_ns, self.now_ns, threading.current_thread().name, args=args or {}))
