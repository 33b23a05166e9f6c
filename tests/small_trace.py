"""A trace small enough to know by heart, with all that the window shows: nesting, arguments, instants, counters, findings."""

from __future__ import annotations

from pathlib import Path

from hlprof_core.trace.builder import TraceBuilder
from hlprof_core.trace.model import Origin, Trace

START_NS = 1_000_000_000


def small_trace(path: Path | None = None, *, base_ns: int | None = None) -> Trace:
    """Two engines and a host thread; times below are ns after ``START_NS``.

    MME 0   0     [fc1/forward 400 ..... [inner 100-200] ]   500 [fc2/forward 300]
    TPC 0   100   [relu 150]  300 [relu 50]
    Host    0     [main 1000: launch 10-60, launch 500-540, sync 600-900]
    """
    b = TraceBuilder()
    b.process("mme", "MME")
    b.process("tpc", "TPC")
    b.process("host", "Host")
    b.thread("mme", 0, "MME 0")
    b.thread("tpc", 0, "TPC 0")
    b.thread("host", 1, "MainThread")
    at = START_NS
    b.slice(
        "mme", 0, at, 400, "fc1/forward", cat="gemm", args={"op": "gemm", "dtype": "bf16", "Recipe name": "train", "shapes": {"a": [2, 3]}}
    )
    b.slice("mme", 0, at + 100, 100, "fc1/inner", args={"op": "part"})
    b.slice("mme", 0, at + 500, 300, "fc2/forward", args={"op": "gemm", "dtype": "bf16"})
    b.slice("tpc", 0, at + 100, 150, "relu", args={"op": "relu_fwd_bf16", "note": 'Ünïcode "quoted"'})
    b.slice("tpc", 0, at + 300, 50, "relu", args={"op": "relu_fwd_bf16"})
    b.slice("host", 1, at, 1000, "main")
    b.slice("host", 1, at + 10, 50, "launch", args={"stream": 1})
    b.slice("host", 1, at + 500, 40, "launch", args={"stream": 2})
    b.slice("host", 1, at + 600, 300, "sync")
    b.instant("host", 1, at + 950, "mark", args={"why": "end"})
    b.counter("host", at + 100, "memory", {"used": 10.0})
    b.counter("host", at + 600, "memory", {"used": 40.0})
    b.log.add("read.bad_ts", "data-loss", "Events without a readable time are left out.", count=3, first=("byte 17",), hint="Record again.")
    return b.finish(Origin("chrome-json", path, 0, base_ns))


def slice_named(trace: Trace, name: str, nth: int = 0) -> int:
    """Id of the nth slice of that name, by start."""
    found = sorted((i for i in range(len(trace.slices)) if trace.name(i) == name), key=lambda i: int(trace.slices.start_ns[i]))
    return found[nth]
