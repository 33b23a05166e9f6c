"""Traces made of columns, in any size and at once: input for drawing and its measurements."""

from __future__ import annotations

import numpy as np

from hlprof_core.trace import table
from hlprof_core.trace.args import MemoryText
from hlprof_core.trace.model import Origin, Trace
from hlprof_core.trace.strings import Strings
from hlprof_core.trace.tracks import Process, Series, Track

PROCESSES = ("DMA", "MME", "TPC", "Host")
OPS = ("gemm", "relu_fwd", "memcpy", "batch_norm", "cast_f32_to_bf16", "embedding_bag", "add", "softmax", "transpose", "reduce_sum")


def lanes_trace(
    lanes: list[tuple[int, int, np.ndarray, np.ndarray, np.ndarray]],
    tracks: list[Track],
    processes: list[Process],
    names: list[str],
    *,
    instants: list[tuple[int, int, int]] = (),  # type: ignore[assignment]
    counters: list[tuple[Series, np.ndarray, np.ndarray]] = (),  # type: ignore[assignment]
    flows: list[tuple[int, int]] = (),  # type: ignore[assignment]
) -> Trace:
    """``lanes``: (track, depth, start, dur, name id) sorted by (track, depth); ``instants``: (track, time, name id)."""
    sizes = [len(lane[2]) for lane in lanes]
    n = sum(sizes)
    offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)

    def column(k: int, kind: type) -> np.ndarray:
        return np.concatenate([lane[k] for lane in lanes]).astype(kind) if lanes else np.empty(0, kind)

    owner = np.array([lane[0] for lane in lanes], np.uint32)
    depth = np.array([lane[1] for lane in lanes], np.uint16)
    slices = table.Slices(
        column(2, np.int64), column(3, np.int64), np.repeat(owner, sizes), np.repeat(depth, sizes), np.full(n, -1, np.int32),
        column(4, np.uint32), np.zeros(n, np.uint32), np.zeros(n, np.uint64), np.zeros(n, np.uint32), np.zeros(n, np.uint8),
    )  # fmt: skip
    marks = sorted(instants)
    m = len(marks)
    none, no_times, no_frames = np.empty(0, np.uint32), np.empty(0, np.int64), np.empty(0, np.int32)
    ends = np.cumsum([0] + [len(c[1]) for c in counters])
    trace = Trace(
        Origin("synthetic"), Strings.of(["", *names]), tuple(processes), tuple(tracks), tuple(c[0] for c in counters), slices,
        table.EndArgs(none, none.astype(np.uint64), none), table.Lanes(offsets, owner, depth),
        table.Instants(
            np.array([x[1] for x in marks], np.int64), np.array([x[0] for x in marks], np.uint32),
            np.array([x[2] for x in marks], np.uint32),
            np.zeros(m, np.uint32), np.zeros(m, np.uint64), np.zeros(m, np.uint32), np.zeros(m, np.uint8),
        ),
        table.Counters(
            np.concatenate([c[1] for c in counters]).astype(np.int64) if counters else np.empty(0, np.int64),
            np.concatenate([c[2] for c in counters]).astype(float) if counters else np.empty(0, float), ends.astype(np.int64),
        ),
        table.Flows(*np.array(flows, np.uint32).reshape(-1, 2).T.copy(), *(np.zeros(len(flows), np.uint32) for _ in range(3))),
        MemoryText(), table.Objects(none, none, none, no_times, no_times, np.zeros(1, np.int64), no_times, none.astype(np.uint64), none),
        table.StackSamples(no_times, none, none, none, np.empty(0), no_frames, none.astype(np.uint64), none), table.Frames(none, no_frames),
    )  # fmt: skip
    for part in (trace.slices, trace.lanes, trace.instants, trace.counters, trace.flows):
        table.freeze(part)
    return trace


def busy_trace(slices: int, *, rows: int = 54, names: int = 2700, seed: int = 7, depth: int = 2) -> Trace:
    """A device trace with about ``slices`` slices: bursts and gaps, lengths over four decades, nested lanes half as full."""
    rng = np.random.default_rng(seed)
    texts = [f"{OPS[i % len(OPS)]}_{i}" for i in range(names)]
    processes = [Process(i, str(i), name) for i, name in enumerate(PROCESSES)]
    tracks, lanes = [], []
    per_row = slices // rows
    for r in range(rows):
        process = r * len(PROCESSES) // rows
        tracks.append(Track(r, process, "thread", f"{PROCESSES[process]} {r}", str(process), str(r), engine=PROCESSES[process].upper()))
        left = per_row
        start = np.empty(0, np.int64)
        for d in range(depth):
            n = max(1, left // 2 if d + 1 < depth else left)
            left -= n
            if d == 0:
                dur = np.exp(rng.uniform(np.log(50), np.log(500_000), n)).astype(np.int64)
                gap = np.where(rng.random(n) < 0.05, rng.integers(0, 400_000, n), rng.integers(0, 300, n))
                gap[rng.integers(0, n, max(1, n // 2000))] += 20_000_000
                ends = np.cumsum(gap + dur)
                start = ends - dur
            else:
                parent = np.sort(rng.choice(len(start), n, replace=n > len(start)))
                if n > len(start):
                    parent = np.unique(parent)
                start, dur = start[parent] + dur[parent] // 8, dur[parent] // 2
                n = len(start)
            lanes.append((r, d, start, dur, 1 + rng.integers(0, names, n)))
    return lanes_trace(lanes, tracks, processes, texts)
