"""Reading: how fast, in how much memory, how soon again."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from figures import ENVIRONMENT, RUNS, Figure, packed_file, trace_file

BUDGET = 64 << 20

READ_CODE = """
import json, sys, time
import hlprof_core as hp
from hlprof_core.io.readers.reader import readers
from hlprof_core.analysis.filter import FilterEngine, read_filter
from hlprof_core.levels.pyramid import build_levels
from hlprof_core.progress import Progress

def status(key):
    return next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith(key))

readers()
base, anonymous, gap, last = status("VmRSS"), status("RssAnon"), 0.0, time.perf_counter()
peak_anonymous = anonymous
memory = int(sys.argv[3]) if sys.argv[3] else None

def listen(stage, done, total):
    global gap, last, peak_anonymous
    now = time.perf_counter()
    gap, last = max(gap, now - last), now
    if memory:
        peak_anonymous = max(peak_anonymous, status("RssAnon"))

start = time.perf_counter()
trace = hp.open_trace(sys.argv[1], Progress(listen), use_cache=sys.argv[2] == "cache", memory=memory)
open_s = time.perf_counter() - start
gap = max(gap, time.perf_counter() - last)
peak, resident = status("VmHWM") - base, status("VmRSS") - base
levels = build_levels(trace)
with_levels = status("VmRSS") - base
engine, wanted = FilterEngine(trace), read_filter('args:"no such text in any argument"')
engine.prepare_arguments()
start = time.perf_counter()
for _ in engine.stream(wanted, engine.match(wanted)):
    pass
search_s = time.perf_counter() - start
events = len(trace.slices) + len(trace.instants) + len(trace.counters) + len(trace.flows)
figures = {"open": open_s, "peak": peak / events, "resident": resident / events, "levels": with_levels / events, "gap": gap}
print(json.dumps({**figures, "anonymous": peak_anonymous - anonymous, "search": search_s}))
"""


def read_once(path: Path, mode: str, cache: str, memory: int | None = None) -> dict[str, float]:
    """One opening in a process of its own; ``mode`` is cache or no-cache, ``memory`` the budget in bytes."""
    command = [sys.executable, "-c", READ_CODE, str(path), mode, str(memory or "")]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env={**ENVIRONMENT, "XDG_CACHE_HOME": cache})
    return dict(json.loads(done.stdout))


def scan_figures(path: Path) -> Iterator[Figure]:
    """The scan kernel against counting line ends in the same bytes, one after the other in each round."""
    from hlprof_core.io.readers.event_scan import scan_events
    from hlprof_core.io.source import MemorySource
    from hlprof_core.progress import Progress

    data = path.read_bytes()
    first = data.index(b"[") + 1
    scans, counts = [], []
    for _ in range(RUNS):
        start = time.perf_counter()
        scan_events(MemorySource(data), first, Progress(), 2)
        middle = time.perf_counter()
        data.count(b"\n")
        scans.append(middle - start)
        counts.append(time.perf_counter() - middle)
    yield Figure("scan on two threads", len(data) / statistics.median(scans) / 1e9, "GB/s", 0.8, at_least=True)
    yield Figure("  times bytes.count on the same bytes", statistics.median(a / b for a, b in zip(scans, counts, strict=True)), "x", 2)


def read() -> Iterator[Figure]:
    """Reading alone: page cache warm, a process for each opening, medians."""
    small, large = trace_file(1_000_000), trace_file(5_000_000)
    yield from scan_figures(small)
    for path, title, limit, runs in ((small, "1 M", 0.6, RUNS), (large, "5 M", 3.2, 3)):
        with tempfile.TemporaryDirectory() as cache:
            told = [read_once(path, "no-cache", cache) for _ in range(runs)]
            figure = {key: statistics.median(t[key] for t in told) for key in told[0]}
            yield Figure(f"open_trace {title} events", figure["open"], "s", limit)
            yield Figure("  peak an event", figure["peak"], "B", 110)
            yield Figure("  resident an event", figure["resident"], "B", 60)
            yield Figure("  the same with levels of detail", figure["levels"], "B", 85)
            yield Figure("  longest time between reports", figure["gap"], "s", 0.05)
            yield Figure("  search through all arguments", figure["search"], "s", 1.2 if path == large else None)
            yield Figure("  opened and kept in the cache", read_once(path, "cache", cache)["open"], "s", limit)
            yield Figure("  reopened", statistics.median(read_once(path, "cache", cache)["open"] for _ in range(3)), "s", 0.1)
    with tempfile.TemporaryDirectory() as cache:
        told = read_once(large, "no-cache", cache, BUDGET)
    yield Figure(f"open_trace 5 M events, --memory {BUDGET >> 20}M", told["open"], "s")
    yield Figure("  peak of anonymous memory", told["anonymous"] / 2**20, "MiB", 2 * BUDGET / 2**20)
    packed, times = packed_file(small), []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as cache:
            times.append(read_once(packed, "cache", cache)["open"])
    yield Figure("open_trace 1 M events, gzip", statistics.median(times), "s", 0.9)
