"""What a figure is, the files that are measured, and the machine's ways: shared by the benches."""

from __future__ import annotations

import gzip
import os
import shutil
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
GENERATOR = ROOT.parent / "shared" / "bench" / "gen_trace.py"
DATA = ROOT / ".cache" / "bench"
RUNS = 5
ENVIRONMENT = {k: v for k, v in os.environ.items() if k not in ("PYTHONDONTWRITEBYTECODE", "HLPROF_MEMORY")}
"""Modules compiled once, as on any machine that does not forbid it; nothing that is set for us."""


WATCHED = """
class Watched(program.QApplication):
    # How much processor time the handling of one event takes: what a user who clicks meanwhile has to wait at least.
    busy, depth = [0.0], 0
    def notify(self, receiver, event):
        begun, Watched.depth = time.thread_time(), Watched.depth + 1
        try:
            return super().notify(receiver, event)
        finally:
            Watched.depth -= 1
            if not Watched.depth:
                Watched.busy.append((time.thread_time() - begun) * 1e3)

program.QApplication = Watched
"""
"""For a program that has ``hlprof_gui.app`` as ``program`` and has made no application yet: ``Watched.busy`` in ms."""


@dataclass(frozen=True)
class Figure:
    """``limit`` None: only shown. ``at_least``: the value must not be below the limit instead of not above. ``note`` takes the place of a
    value that is not to be had."""

    what: str
    value: float
    unit: str
    limit: float | None = None
    at_least: bool = False
    note: str = ""

    @property
    def holds(self) -> bool:
        return self.limit is None or bool(self.note) or (self.value >= self.limit if self.at_least else self.value <= self.limit)

    def __str__(self) -> str:
        if self.note:
            return f"  {self.what:<40}{'-':>10} {self.note}"
        sign = "≥" if self.at_least else "≤"
        limit = "" if self.limit is None else f"  ({sign} {self.limit:g} {self.unit}{'' if self.holds else ', MISSED'})"
        return f"  {self.what:<40}{self.value:>10.3f} {self.unit}{limit}"


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
