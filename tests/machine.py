"""How fast the machine is at the moment; ``python -m tests.machine`` prints the factor."""

from __future__ import annotations

import time

import numpy as np

WORKLOAD_S = 0.008
"""What ``workload`` takes on the machine that limits are for."""


def workload() -> float:
    """Processor seconds of a fixed piece of work of the kinds that windows do: objects, words, columns."""
    best = 1.0
    for _ in range(3):
        begun = time.thread_time()
        words = [f"{n:,} µs" for n in range(8000)]
        table = {word: len(word) for word in words}
        total = sum(table.values())
        column = np.arange(250_000, dtype=np.int64) * total
        column = np.sort(column % 1009)
        best = min(best, time.thread_time() - begun)
    return best


def machine_factor() -> float:
    """How much slower this machine is at the moment than the one that limits are for; at least 1."""
    return max(1.0, workload() / WORKLOAD_S)


if __name__ == "__main__":
    print(workload() / WORKLOAD_S)
