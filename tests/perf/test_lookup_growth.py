"""Looking one thing up in a large trace costs no more than in a small one."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pytest
from msgspec.structs import replace

from hlprof_core.trace.model import Trace
from hlprof_core.trace.table import EndArgs, SliceStacks
from tests.synthetic import busy_trace


def with_ends(n: int) -> Trace:
    """Every slice has arguments, empty ones, and stacks at its end."""
    trace = busy_trace(n)
    rows = np.arange(len(trace.slices), dtype=np.uint32)
    ends = EndArgs(rows, np.zeros(len(rows), np.uint64), np.zeros(len(rows), np.uint32))
    return replace(trace, end_args=ends, slice_stacks=SliceStacks(rows, np.zeros(len(rows), np.int32), np.zeros(len(rows), np.int32)))


LOOKUPS: dict[str, Callable[[Trace, int], object]] = {
    "arguments": lambda trace, slice_id: trace.args(slice_id),
    "stacks": lambda trace, slice_id: trace.slice_frames(slice_id),
}


def seconds(trace: Trace, lookup: Callable[[Trace, int], object]) -> float:
    best = 9e9
    for _ in range(3):
        begin = time.perf_counter()
        for slice_id in range(0, len(trace.slices), max(len(trace.slices) // 300, 1)):
            lookup(trace, slice_id)
        best = min(best, time.perf_counter() - begin)
    return best


@pytest.mark.parametrize("name", LOOKUPS)
def test_a_lookup_does_not_grow_with_the_trace(name: str) -> None:
    small, large = seconds(with_ends(2_000), LOOKUPS[name]), seconds(with_ends(1_000_000), LOOKUPS[name])
    assert large < 20 * small + 0.005, f"{small:.4f} s among 2 k slices, {large:.4f} s among a million"
