"""The layout kernels stop within one step of work and count what they do, whatever the size of the input."""

from __future__ import annotations

from array import array
from collections.abc import Callable

import numpy as np
import pytest

from hlprof_core._kernels import layout

N = 100_000
STEP = 20_000


def columns() -> dict[str, np.ndarray]:
    return {
        "row": np.zeros(N, np.uint32),
        "ts": np.arange(N, dtype=np.int64)[::-1].copy(),
        "order": np.arange(N, dtype=np.uint32),
        "offsets": np.array([0, N], np.int64),
        "phase": np.full(N, ord("X"), np.uint8),
        "start": np.arange(N, dtype=np.int64),
        "end": np.arange(N, dtype=np.int64) + 1,
        "u4": np.zeros(N, np.uint32),
        "i4": np.full(N, -1, np.int32),
        "u1": np.zeros(N, np.uint8),
        "u8": np.zeros(N, np.uint64),
    }


def group(c: dict[str, np.ndarray], watch: array[int]) -> None:
    layout.group(c["row"], c["ts"], None, 1, np.empty(N, np.uint32), np.empty(2, np.int64), watch)


def match(c: dict[str, np.ndarray], watch: array[int]) -> None:
    out = [np.empty(N, kind) for kind in (np.uint32, np.int64, np.int64, np.uint32, np.uint8)]
    layout.match(c["order"], c["offsets"], c["phase"], c["start"], c["start"], c["u4"], 1, N, *out, np.empty(2, np.int64), watch)


def nest(c: dict[str, np.ndarray], watch: array[int]) -> None:
    parent, depth = np.empty(N, np.int32), np.empty(N, np.int32)
    layout.nest(c["offsets"], c["start"], c["end"], N, parent, depth, None, np.empty(1, np.int32), watch)


def settle(c: dict[str, np.ndarray], watch: array[int]) -> None:
    kinds = (np.int64, np.int64, np.uint32, np.uint16, np.int32, np.uint32, np.uint32, np.uint64, np.uint32, np.uint8)
    out = [np.empty(N, kind) for kind in kinds]
    none, one, depth = np.full(N, 0xFFFFFFFF, np.uint32), np.zeros(1, np.int64), np.zeros(N, np.int32)
    layout.settle(
        (
            c["offsets"], one, np.ones(1, np.int32), c["order"], none, c["start"], c["end"], c["u1"], c["i4"], depth,
            c["u4"], c["u4"], c["u8"], c["u4"], *out,
            np.empty(N, np.uint32), one.copy(), one.copy(), np.empty(0, np.uint32), np.empty(0, np.uint32),
        ),
        0,
        watch,
    )  # fmt: skip


KERNELS = [group, match, nest, settle]


@pytest.mark.parametrize("kernel", KERNELS)
def test_it_counts_every_item_once(kernel: Callable[[dict[str, np.ndarray], array[int]], None]) -> None:
    watch = array("q", (0, 0))
    kernel(columns(), watch)
    assert watch[1] == N


@pytest.mark.parametrize("kernel", KERNELS)
def test_it_stops_within_a_step(kernel: Callable[[dict[str, np.ndarray], array[int]], None]) -> None:
    watch = array("q", (1, 0))
    with pytest.raises(InterruptedError):
        kernel(columns(), watch)
    assert watch[1] < STEP


def test_cells_of_another_size_are_refused() -> None:
    with pytest.raises((TypeError, ValueError)):
        group(columns(), array("i", (0, 0)))
    with pytest.raises(ValueError, match="two cells"):
        group(columns(), array("q", (0,)))
