"""Filters and statistics: how soon they answer at five million events, in a process that does nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator

from figures import ENVIRONMENT, Figure, trace_file

CODE = """
import json, sys, time
import hlprof_core as hp
from hlprof_core.analysis.filter import FilterEngine, read_filter
from hlprof_core.analysis.name_statistics import NameStatistics
from hlprof_core.analysis.statistics import statistics
from hlprof_core.levels.name_index import build_name_index
from hlprof_core.trace.ranges import TimeRange

trace = hp.open_trace(sys.argv[1])
found = {}

def best(what, work, runs=5):
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append((time.perf_counter() - start) * 1e3)
    found[what] = min(times)

start = time.perf_counter()
index = build_name_index(trace)
found["index of names"] = (time.perf_counter() - start) * 1e3

def typed():
    engine = FilterEngine(trace, index)
    for text in ("g", "ge", "gem", "gemm"):
        index.count(engine.names(read_filter(text)))

best("count four letters typed", typed)
marked = FilterEngine(trace, index).names(read_filter("gemm"))
best("list a million by name", lambda: index.slices(marked))
rare = FilterEngine(trace, index).names(read_filter("wait"))
best("list thousands by name", lambda: index.slices(rare))
best("four columns", lambda: FilterEngine(trace, index).match(read_filter("name:gemm dur>5us engine:MME,TPC -cat:host")))
engine = FilterEngine(trace, index)
wanted = read_filter("engine:MME args.dtype=bf16")
best("an argument of one engine", lambda: engine.mask(wanted), 2)
start = time.perf_counter()
fast = NameStatistics(index)
found["index of durations"] = (time.perf_counter() - start) * 1e3
span, worst = trace.span, 0.0
for first, last in ((0.0, 1.0), (0.1, 0.9), (0.4, 0.6), (0.5, 0.55)):
    window = TimeRange(span.start_ns + int(span.length_ns * first), span.start_ns + int(span.length_ns * last))
    best("window", lambda: fast.statistics(window))
    worst = max(worst, found.pop("window"))
found["statistics by name, slowest window"] = worst
best("statistics by row, whole trace", lambda: statistics(trace, by="track"), 2)
print(json.dumps(found))
"""
LIMITS = {"count four letters typed": 16.0, "list thousands by name": 16.0, "statistics by name, slowest window": 20.0}


def filtering() -> Iterator[Figure]:
    """Filters and statistics at 5 M events."""
    done = subprocess.run([sys.executable, "-c", CODE, trace_file(5_000_000)], check=True, capture_output=True, text=True, env=ENVIRONMENT)
    for what, value in json.loads(done.stdout).items():
        yield Figure(what, value, "ms", LIMITS.get(what))
