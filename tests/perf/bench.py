"""Measures every figure that the documentation promises and prints it beside its limit: ./dev bench [start model open read]."""

from __future__ import annotations

import json
import os
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


def read() -> Iterator[Figure]:
    """Reading alone."""
    code = """
import sys, time, hlprof_core as hp
start = time.perf_counter()
hp.open_trace(sys.argv[1], use_cache=False)
print(time.perf_counter() - start)
"""
    path = trace_file(1_000_000)
    times = [float(output(sys.executable, "-c", code, path)) for _ in range(RUNS)]
    yield Figure("open_trace 1 M events", statistics.median(times), "s")
    data = path.read_bytes()
    begin = time.perf_counter()
    data.count(b"\n")
    yield Figure("bytes.count on the same bytes", time.perf_counter() - begin, "s")


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
            print(f"  {figure.what:<34}{figure.value:>10.3f} {figure.unit}{limit}")
            missed += not figure.holds
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
