"""Traces with arrows, made of columns: launches on host rows that lead to work on device rows."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from hlprof_core.trace import table
from hlprof_core.trace.model import Trace
from hlprof_core.trace.tracks import Process, Track
from tests.synthetic import lanes_trace

Slot = tuple[int, int, int]


def rows_trace(rows: list[list[Slot]], flows: list[tuple[int, int]], *, per_process: int = 2) -> Trace:
    """``rows``: (gap, length, name) of slices one after the other, a row each; ``flows``: slices by number, modulo how many there are."""
    processes = [Process(i, str(i), f"P{i}") for i in range(max(1, -(-len(rows) // per_process)))]
    tracks = [Track(i, i // per_process, "thread", f"row {i}", str(i // per_process), str(i)) for i in range(len(rows))]
    lanes = []
    for number, row in enumerate(rows):
        if row:
            gap, length, name = (np.array(column, np.int64) for column in zip(*row, strict=True))
            end = np.cumsum(gap + length)
            lanes.append((number, 0, end - length, length, name + 1))
    total = sum(len(row) for row in rows)
    arrows = [(a % total, b % total) for a, b in flows] if total else []
    return lanes_trace(lanes, tracks, processes, ["launch", "gemm", "copy", "relu"], flows=arrows)


def launches_trace(launches: int, *, streams: int = 4, delay_ns: int = 40_000, seed: int = 3) -> Trace:
    """A host row that launches work which begins on one of the streams up to ``delay_ns`` later."""
    rng = np.random.default_rng(seed)
    start = np.cumsum(rng.integers(1_500, 12_000, launches))
    stream = rng.integers(0, streams, launches)
    begin = start + 1_000 + rng.integers(0, delay_ns, launches)
    length = rng.integers(500, 6_000, launches)
    processes = [Process(0, "0", "Host"), Process(1, "1", "Device")]
    tracks = [Track(0, 0, "thread", "MainThread", "0", "0")]
    lanes = [(0, 0, start, np.full(launches, 1_000), np.ones(launches, np.int64))]
    targets, placed = np.empty(launches, np.int64), launches
    for number in range(streams):
        tracks.append(Track(number + 1, 1, "thread", f"stream {number}", "1", str(number)))
        mine = np.flatnonzero(stream == number)
        mine = mine[np.argsort(begin[mine], kind="stable")]
        # Work of one stream follows one another.
        at, end = np.empty(len(mine), np.int64), 0
        for k, i in enumerate(mine.tolist()):
            at[k] = max(int(begin[i]), end)
            end = int(at[k] + length[i])
        lanes.append((number + 1, 0, at, length[mine], 2 + mine % 3))
        targets[mine] = placed + np.arange(len(mine))
        placed += len(mine)
    trace = lanes_trace(lanes, tracks, processes, ["launch", "gemm", "copy", "relu"])
    none = np.zeros(launches, np.uint32)
    flows = table.Flows(np.arange(launches, dtype=np.uint32), targets.astype(np.uint32), none, none, none)
    table.freeze(flows)
    return replace(trace, flows=flows)
