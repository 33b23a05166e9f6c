"""Other viewers on the same files in the same sitting. They are installed from PyPI and npm into .cache/peers, Chromium by the system.

Their clock runs from the request for the trace to their own word that it is loaded: their start is not counted. Ours is open_trace without
the cache. One of ours runs before and after each of theirs.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from figures import ENVIRONMENT, ROOT, Figure, trace_file
from reading import read_once

PEERS = ROOT / ".cache" / "peers"
PYTHON = PEERS / "python" / "bin" / "python"
PYPI = ("viztracer>=1.1,<2", "HolisticTraceAnalysis>=0.5,<0.6")
NPM = ("speedscope@1", "puppeteer-core@24", "webcomponents.js@0.7.24")
DEBIAN = {"chromium": "chromium", "node": "nodejs", "npm": "npm"}
HERE = Path(__file__).parent


@dataclass(frozen=True)
class Match:
    peer: str
    title: str
    events: int
    factor: float | None
    """So many times faster we want to be; None: it is known not to manage this file."""
    timeout_s: int


MATCHES = (
    Match("perfetto", "Perfetto UI", 1_000_000, 15, 300),
    Match("speedscope", "speedscope", 1_000_000, 10, 300),
    Match("catapult", "catapult (chrome://tracing)", 1_000_000, 10, 300),
    Match("hta", "HolisticTraceAnalysis", 1_000_000, 10, 300),
    Match("perfetto", "Perfetto UI", 5_000_000, 20, 600),
)


def install() -> None:
    """Whatever of it is missing; ends the program with what to do where that is not possible."""
    missing = [package for program, package in DEBIAN.items() if shutil.which(program) is None]
    if missing:
        if os.geteuid() != 0 or shutil.which("apt-get") is None:
            raise SystemExit(f"bench: the peers need {', '.join(missing)}; an administrator installs them.")
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        _install("apt-get", "-q", "update")
        _install("apt-get", "-q", "-y", "install", "--no-install-recommends", *missing, env=quiet)
    if not PYTHON.exists():
        _install(sys.executable, "-m", "venv", str(PEERS / "python"))
    if _viztracer() is None or not _has_hta():
        _install(str(PYTHON), "-m", "pip", "install", "-q", "--disable-pip-version-check", *PYPI)
    if not all((PEERS / "node" / "node_modules" / name.rpartition("@")[0]).is_dir() for name in NPM):
        (PEERS / "node").mkdir(parents=True, exist_ok=True)
        _install("npm", "install", "--prefix", str(PEERS / "node"), "--no-audit", "--no-fund", "--silent", *NPM)


def _install(*command: str, env: dict[str, str] | None = None) -> None:
    print(f"  installing: {' '.join(command[:4])} ...", file=sys.stderr)
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    if done.returncode:
        raise SystemExit(f"bench: {' '.join(command)} failed: {done.stderr.strip()[-500:]}")


def _viztracer() -> Path | None:
    """Where it is installed."""
    return next((PEERS / "python" / "lib").glob("python*/site-packages/viztracer"), None)


def _has_hta() -> bool:
    return any((PEERS / "python" / "lib").glob("python*/site-packages/hta"))


def measure(match: Match, path: Path) -> dict[str, object]:
    """``load_s``, or ``failed`` and why."""
    if match.peer == "hta":
        command = [str(PYTHON), str(HERE / "peer_hta.py"), str(path)]
    else:
        command = [shutil.which("node") or "node", str(HERE / "peer_web.mjs"), match.peer, str(path), str(match.timeout_s)]
    places = {"PEERS": str(PEERS), "VIZTRACER": str(_viztracer()), "CHROMIUM": shutil.which("chromium") or ""}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, env={**ENVIRONMENT, **places}, timeout=match.timeout_s + 120
        )
    except subprocess.TimeoutExpired:
        return {"failed": f"not loaded after {match.timeout_s} s"}
    last = done.stdout.strip().splitlines()[-1:] or [""]
    if done.returncode or not last[0].startswith("{"):
        return {"failed": (done.stderr.strip().splitlines() or ["ended without a word"])[-1][:200]}
    return dict(json.loads(last[0]))


def peers() -> Iterator[Figure]:
    """Other viewers, each between two openings of ours: seconds, and how many times faster we are."""
    install()
    with tempfile.TemporaryDirectory() as cache:
        for match in MATCHES:
            path = trace_file(match.events)
            ours = [read_once(path, "no-cache", cache)["open"]]
            told = measure(match, path)
            ours += [read_once(path, "no-cache", cache)["open"] for _ in range(2)]
            size = f"{match.events // 1_000_000} M"
            yield Figure(f"open_trace {size} events", statistics.median(ours), "s")
            if "failed" in told:
                yield Figure(f"  {match.title}", 0, "s", note=f"gave up: {told['failed']}")
                continue
            load, peak = float(str(told["load_s"])), float(str(told["peak_bytes"]))
            yield Figure(f"  {match.title}", load, "s")
            yield Figure("    its memory above an empty page" if match.peer != "hta" else "    its memory", peak / 2**20, "MiB")
            yield Figure("    we are faster by", load / statistics.median(ours), "x", match.factor, at_least=True)
