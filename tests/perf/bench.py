"""Measures every figure that the documentation promises and prints it beside its limit: ./dev bench [GROUP...] [--peers]."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator

from configuring import configure
from figures import BIN, ENVIRONMENT, ROOT, Figure, output, seconds, trace_file
from filtering import filtering
from peers import peers
from reading import read
from viewing import view

GEMM_ROWS = ROOT / "tests" / "unit" / "synapse" / "timing" / "data" / "gemm_gaudi.csv"


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


GROUPS: dict[str, Callable[[], Iterator[Figure]]] = {
    "start": start, "model": model, "open": open_, "read": read, "filter": filtering, "view": view, "configure": configure,
    "peers": peers,
}  # fmt: skip


def machine_factor() -> float:
    """Machines that are shared change their speed within minutes: what a figure was measured at."""
    return float(subprocess.run([sys.executable, "-m", "tests.machine"], check=True, capture_output=True, text=True, cwd=ROOT).stdout)


USUAL = ("start", "model", "open", "read", "filter", "view", "configure")


def main(words: list[str]) -> int:
    """Print the groups asked for; 1 when a figure misses its limit."""
    names = [w for w in words if w != "--peers"]
    unknown = [n for n in names if n not in GROUPS]
    if unknown:
        print(f"bench: no group {', '.join(unknown)}; there are {', '.join(GROUPS)}, and --peers for the last.", file=sys.stderr)
        return 2
    names = names or list(USUAL)
    if "--peers" in words and "peers" not in names:
        names.append("peers")
    missed = 0
    for name in names:
        print(f"{name}: {GROUPS[name].__doc__}")
        speeds = [machine_factor()]
        for figure in GROUPS[name]():
            print(figure, flush=True)
            missed += not figure.holds
            speeds.append(machine_factor())
        print(f"  Meanwhile a fixed workload took {min(speeds):.2f} to {max(speeds):.2f} times as long as where the limits were set.")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
