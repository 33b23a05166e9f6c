"""The window as a process: opened by the command, closed by an interrupt; without a display the terminal is named instead."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hlprof_core.config.document import ProfConfig
from tests.processes import catches

COMMAND = [sys.executable, "-m", "hlprof_core.cli.hl_prof_config"]


@pytest.mark.xcb
def test_the_command_opens_it_and_an_interrupt_closes_it(tmp_path: Path) -> None:
    if not os.environ.get("DISPLAY"):
        pytest.skip("no display")
    file = tmp_path / "c.json"
    ProfConfig().save(file)
    home = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    command = [*COMMAND, "--gui", "--config-filename", str(file)]
    process = subprocess.Popen(command, env=os.environ | home, stderr=subprocess.PIPE, text=True)
    remembered = tmp_path / "config" / "hlprof" / "window.ini"
    try:
        deadline = time.monotonic() + 30
        # Only the loop of events answers SIGTERM too.
        while not catches(process.pid, signal.SIGTERM) and time.monotonic() < deadline and process.poll() is None:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    finally:
        process.kill()
    assert (process.returncode, errors) == (0, "")
    assert "c.json" in remembered.read_text()


def test_without_a_display_one_line_names_the_terminal(tmp_path: Path) -> None:
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    environment = {k: v for k, v in os.environ.items() if k not in hidden} | {"HOME": str(tmp_path)}
    done = subprocess.run([*COMMAND, "--gui"], env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("hl-prof-config: No display found")
    assert "hl-prof-config --show" in done.stderr
    assert done.stderr.count("\n") == 1
