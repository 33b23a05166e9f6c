"""Hostile rows cost no more an event than ten times fewer of them: nothing in the layout grows with the square."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pytest

from hlprof_core.trace.events import NO_TIME
from hlprof_core.trace.stacking import group_by_row, match_events, nest_slices

Row = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def row(n: int, phase: object, ts: object, dur: object = NO_TIME, name: object = 1) -> Row:
    columns = (np.broadcast_to(phase, n), np.broadcast_to(ts, n), np.broadcast_to(dur, n), np.broadcast_to(name, n))
    kinds = (np.uint8, np.int64, np.int64, np.uint32)
    return tuple(np.ascontiguousarray(c, k) for c, k in zip(columns, kinds, strict=True))  # type: ignore[return-value]


def half(n: int, first: object, second: object) -> np.ndarray:
    return np.where(np.arange(n) < n // 2, first, second)


B, E, X = b"BEX"
CASES: dict[str, Callable[[int], Row]] = {
    "only begins": lambda n: row(n, B, np.arange(n)),
    "only ends": lambda n: row(n, E, np.arange(n)),
    "ends of a name that is not open": lambda n: row(n, half(n, B, E), np.arange(n), name=half(n, 1, 2)),
    "all at one moment": lambda n: row(n, half(n, B, E), 0),
    "equal starts": lambda n: row(n, X, 0, np.arange(n)),
    "all overlap": lambda n: row(n, X, np.arange(n), n),
    "all overlap within others that overlap": lambda n: row(n, X, half(n, np.arange(n), n + np.arange(n)), half(n, 4 * n, n)),
    "crossing a deep stack": lambda n: row(n, X, np.arange(n), half(n, 10 * n - 3 * np.arange(n), 8 * n)),
    "at random": lambda n: row(n, X, np.random.default_rng(0).integers(0, n, n), np.random.default_rng(1).integers(0, n, n)),
}


def measure(case: Callable[[int], Row], n: int) -> float:
    phase, ts, dur, name = case(n)
    best = 9e9
    for _ in range(2):
        begin = time.perf_counter()
        order, offsets = group_by_row(np.zeros(n, np.uint32), 1, time=ts)
        matched = match_events(order, offsets, phase, ts, dur, name, 3, int(ts.max()))
        nest_slices(matched.offsets, matched.start, matched.end, int(ts.max()))
        best = min(best, time.perf_counter() - begin)
    return best


@pytest.mark.parametrize("name", CASES)
def test_cost_grows_with_the_events(name: str) -> None:
    small, large = measure(CASES[name], 20_000), measure(CASES[name], 200_000)
    assert large < 40 * small + 0.05, f"{small:.4f} s for 20 k events, {large:.4f} s for 200 k"
