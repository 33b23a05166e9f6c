"""A trace of several ranks, whose rows have the same names on each, and two processes with a row of the same name."""

from __future__ import annotations

import zipfile
from pathlib import Path

from hlprof_core.io.writers import write_trace
from hlprof_core.trace.builder import TraceBuilder
from hlprof_core.trace.model import Origin, Trace

RANKS = 3


def rank_trace() -> Trace:
    """MME 0, TPC 0, TPC 1, a host thread and a counter of each rank; ``worker`` of two more processes of the last."""
    b = TraceBuilder()
    for rank in range(RANKS):
        b.begin_member(f"rank{rank}.json", rank)
        _fill(b, rank)
    return b.finish(Origin("chrome-json", None, 0, None))


def write_ranks(folder: Path) -> Path:
    """The same as an archive of a file for each rank, ``ranks.zip``."""
    archive = folder / "ranks.zip"
    with zipfile.ZipFile(archive, "w") as members:
        for rank in range(RANKS):
            b = TraceBuilder()
            _fill(b, rank)
            file = folder / f"rank{rank}.json"
            write_trace(b.finish(Origin("chrome-json", None, 0, None)), file)
            members.write(file, file.name)
            file.unlink()
    return archive


def _fill(b: TraceBuilder, rank: int) -> None:
    b.process("host", "Host")
    b.process("mme", "MME")
    b.process("tpc", "TPC")
    b.thread("mme", 0, "MME 0")
    b.thread("tpc", 0, "TPC 0")
    b.thread("tpc", 1, "TPC 1")
    b.thread("host", 1, "MainThread")
    at = 100 * rank
    b.slice("mme", 0, at, 400, "gemm")
    b.slice("mme", 0, at + 100, 100, "inner")
    b.slice("tpc", 0, at + 100, 150, "relu")
    b.slice("tpc", 1, at + 300, 50, "relu")
    b.slice("host", 1, at, 1000, "main")
    b.instant("host", 1, at + 950, "mark")
    b.counter("host", at + 100, "memory", {"used": 10.0 + rank})
    if rank == RANKS - 1:
        for pid in ("feeder", "saver"):
            b.process(pid, pid.title())
            b.thread(pid, 7, "worker")
            b.slice(pid, 7, at + 500, 300, "work")
