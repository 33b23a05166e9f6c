"""Measures every figure that the documentation promises and prints it beside its limit: ./dev bench [start model open read]."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
GENERATOR = ROOT.parent / "shared" / "bench" / "gen_trace.py"
DATA = ROOT / ".cache" / "bench"
GEMM_ROWS = ROOT / "tests" / "unit" / "synapse" / "timing" / "data" / "gemm_gaudi.csv"
RUNS = 5
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
"""Modules compiled once, as on any machine that does not forbid it."""


@dataclass(frozen=True)
class Figure:
    """``limit`` None: only shown. ``at_least``: the value must not be below the limit instead of not above."""

    what: str
    value: float
    unit: str
    limit: float | None = None
    at_least: bool = False

    @property
    def holds(self) -> bool:
        return self.limit is None or (self.value >= self.limit if self.at_least else self.value <= self.limit)


def trace_file(events: int) -> Path:
    """A generated trace of that many events, made once."""
    path = DATA / f"e{events}.json"
    if not path.exists():
        if not GENERATOR.exists():
            raise SystemExit(f"bench: the trace generator {GENERATOR} is not here; nothing to open.")
        DATA.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        subprocess.run([sys.executable, GENERATOR, str(events), part], check=True, stdout=subprocess.DEVNULL)
        part.rename(path)
    path.read_bytes()  # into the page cache
    return path


def seconds(*command: str | Path) -> float:
    """Median wall time of a command."""
    times = []
    for _ in range(RUNS + 1):  # the first one compiles what is new
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ROOT, env=ENVIRONMENT)
        times.append(time.perf_counter() - start)
    return statistics.median(times[1:])


def output(*command: str | Path) -> str:
    """What a command prints."""
    return subprocess.run(command, check=True, capture_output=True, text=True, env=ENVIRONMENT).stdout


def start() -> Iterator[Figure]:
    """How long commands take to answer."""
    yield Figure("hlprof --help", seconds(BIN / "hlprof", "--help"), "s", 0.3)
    yield Figure("hl-prof-config --help", seconds(BIN / "hl-prof-config", "--help"), "s", 0.3)
    yield Figure("second ./dev setup", seconds(ROOT / "dev", "setup"), "s", 3)


def model() -> Iterator[Figure]:
    """The device model against published figures."""
    said = output(BIN / "hlprof", "predict", "dlrm", "--json")
    published_ms = 25.35
    iteration_ms = json.loads(said)["iteration_ns"] / 1e6
    yield Figure("DLRM medium fp32 iteration", iteration_ms, "ms")
    yield Figure("  off the published 25.35 ms", abs(iteration_ms / published_ms - 1) * 100, "%", 10)
    rows = output(BIN / "hlprof", "predict", "gemm", "--csv", GEMM_ROWS).splitlines()
    header = rows[0].split(",")
    measured, modelled = header.index("us_per_gemm"), header.index("model_us")
    errors = [abs(float(r[modelled]) / float(r[measured]) - 1) * 100 for r in (line.split(",") for line in rows[1:])]
    yield Figure(f"GEMM rows ({len(errors)}), mean error", statistics.fmean(errors), "%", 2)
    yield Figure("GEMM rows, largest error", max(errors), "%")


def open_() -> Iterator[Figure]:
    """Opening and drawing 1 M events / 300 MB, cache cold, page cache warm."""
    path = trace_file(1_000_000)
    runs = []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as cache:
            command = ["xvfb-run", "-a", "-s", "-screen 0 1600x1000x24 +extension GLX", BIN / "hlprof", "bench", "open", path, "--json"]
            done = subprocess.run(command, check=True, capture_output=True, text=True, env={**ENVIRONMENT, "XDG_CACHE_HOME": cache})
            runs.append(json.loads(done.stdout))

    def median(pick: Callable[[dict], float]) -> float:
        return statistics.median(pick(r) for r in runs)

    yield Figure("read 1 M events", median(lambda r: r["read_s"]), "s")
    yield Figure("first frame 1 M events", median(lambda r: r["first_frame_s"]), "s", 1.5)
    yield Figure("frame median", median(lambda r: r["frame_ms"]["median"]), "ms")
    yield Figure("frame p99", median(lambda r: r["frame_ms"]["p99"]), "ms", 16.7)
    yield Figure("peak memory", median(lambda r: r["peak_rss_bytes"]) / 2**20, "MiB")
    yield Figure("resident a slice", median(lambda r: r["resident_bytes_per_slice"]), "B")


READ_CODE = """
import json, sys, time
import hlprof_core as hp
from hlprof_core.io.readers.reader import readers
from hlprof_core.levels.args_search import search_args
from hlprof_core.levels.pyramid import build_levels
from hlprof_core.progress import Progress

def status(key):
    return next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith(key))

readers()
base, gap, last = status("VmRSS"), 0.0, time.perf_counter()

def listen(stage, done, total):
    global gap, last
    now = time.perf_counter()
    gap, last = max(gap, now - last), now

start = time.perf_counter()
trace = hp.open_trace(sys.argv[1], Progress(listen), use_cache=sys.argv[2] == "cache")
open_s = time.perf_counter() - start
gap = max(gap, time.perf_counter() - last)
peak, resident = status("VmHWM") - base, status("VmRSS") - base
levels = build_levels(trace)
with_levels = status("VmRSS") - base
start = time.perf_counter()
for _ in search_args(trace, "no such text in any argument"):
    pass
search_s = time.perf_counter() - start
events = len(trace.slices) + len(trace.instants) + len(trace.counters) + len(trace.flows)
print(json.dumps({"open": open_s, "peak": peak / events, "resident": resident / events, "levels": with_levels / events, "gap": gap, "search": search_s}))
"""


def read_once(path: Path, mode: str, cache: str) -> dict[str, float]:
    """One opening in a process of its own; ``mode`` is cache or no-cache."""
    command = [sys.executable, "-c", READ_CODE, str(path), mode]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env={**ENVIRONMENT, "XDG_CACHE_HOME": cache})
    return dict(json.loads(done.stdout))


def packed_file(path: Path) -> Path:
    """The same trace as gzip, made once."""
    packed = path.with_suffix(".json.gz")
    if not packed.exists():
        part = packed.with_suffix(".part")
        with path.open("rb") as text, gzip.open(part, "wb", 6) as out:
            shutil.copyfileobj(text, out, 1 << 20)
        part.rename(packed)
    packed.read_bytes()  # into the page cache
    return packed


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
    packed, times = packed_file(small), []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as cache:
            times.append(read_once(packed, "cache", cache)["open"])
    yield Figure("open_trace 1 M events, gzip", statistics.median(times), "s", 0.9)


GROUPS: dict[str, Callable[[], Iterator[Figure]]] = {"start": start, "model": model, "open": open_, "read": read}


def main(names: list[str]) -> int:
    """Print the groups asked for; 1 when a figure misses its limit."""
    unknown = [n for n in names if n not in GROUPS]
    if unknown:
        print(f"bench: no group {', '.join(unknown)}; there are {', '.join(GROUPS)}.", file=sys.stderr)
        return 2
    missed = 0
    for name in names or GROUPS:
        print(f"{name}: {GROUPS[name].__doc__}")
        for figure in GROUPS[name]():
            sign = "≥" if figure.at_least else "≤"
            limit = "" if figure.limit is None else f"  ({sign} {figure.limit:g} {figure.unit}{'' if figure.holds else ', MISSED'})"
            print(f"  {figure.what:<40}{figure.value:>10.3f} {figure.unit}{limit}")
            missed += not figure.holds
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
