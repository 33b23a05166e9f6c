"""A user's whole tour through the window, with a million slices: no step keeps the GUI thread from answering."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.gui.watchdog import GENEROUS, LIMIT_S, ROOT

MOST_S = 100


def test_no_step_of_the_tour_blocks(qapp: object, tmp_path: Path) -> None:
    """In a program of its own, where everything is used for the first time."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "tests.gui.tour", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=MOST_S, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "Traceback" not in done.stderr, done.stderr[-3000:]
    told = json.loads(done.stdout.splitlines()[-1])
    allowed = LIMIT_S * 1e3 * GENEROUS * told["factor"]
    late = {step: told["pieces"][step][:3] for step, longest in told["longest_ms"].items() if longest > allowed}
    assert late == {}, f"more than {allowed:.0f} ms of the GUI thread's processor time"
    assert told["steps"] > 80
