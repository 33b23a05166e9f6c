"""The recording is saved when the program dies, and the program dies as it would have without us."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

OWN = "signal.signal(signal.SIGTERM, lambda *a: print('mine', flush=True))\n"
IGNORE = "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
FORK = "pid = os.fork()\nif pid == 0: {child}\nos.waitpid(pid, 0)\nprint('parent', flush=True)"
KILL = "os.kill(os.getpid(), signal.SIGTERM)"
GUARD = "import os, signal, sys\nfrom hlprof_core.profiling.exit_guard import ExitGuard\n"
MAKE = "guard = ExitGuard(lambda: print('saved', flush=True))\n"


def ended(code: str) -> tuple[int, str]:
    done = subprocess.run([sys.executable, "-c", GUARD + code], capture_output=True, text=True, timeout=30, check=False)
    return done.returncode, done.stdout


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (MAKE + "raise RuntimeError", (1, "saved\n")),
        (MAKE + "sys.exit(3)", (3, "saved\n")),
        (MAKE + KILL + "\nprint('never')", (-signal.SIGTERM, "saved\n")),
        (MAKE + "os.kill(os.getpid(), signal.SIGHUP)", (-signal.SIGHUP, "saved\n")),
        (MAKE + "guard.finish()\nprint('on')", (0, "saved\non\n")),
        (MAKE + "guard.finish()\n" + KILL, (-signal.SIGTERM, "saved\n")),
        # A signal during the saving waits for its end.
        (
            f"def save():\n    {KILL}\n    print('saved', flush=True)\nExitGuard(save).finish()\nprint('never')",
            (-signal.SIGTERM, "saved\n"),
        ),
        (f"def save():\n    {KILL}\n    print('saved', flush=True)\nguard = ExitGuard(save)", (-signal.SIGTERM, "saved\n")),
        # A program with a handler of its own goes on, and its end saves.
        (OWN + MAKE + KILL + "\nprint('on', flush=True)", (0, "mine\non\nsaved\n")),
        (IGNORE + MAKE + KILL + "\nprint('on', flush=True)", (0, "on\nsaved\n")),
        # A forked child has the hook too, but the recording is its parent's.
        (MAKE + FORK.format(child="sys.exit(0)"), (0, "parent\nsaved\n")),
        (MAKE + FORK.format(child=KILL), (0, "parent\nsaved\n")),
    ],
)
def test_endings(code, expected):
    assert ended(code) == expected
