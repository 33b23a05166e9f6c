"""Ctrl+C while a program starts: one line and its exit code, whatever is loaded or made at that moment, and no file is left half."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PRESSING = """
import os, signal, sys
from importlib.abc import MetaPathFinder

class Press(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == moment:
            os.kill(os.getpid(), signal.SIGINT)

entry, moment = sys.argv[1:3]
sys.meta_path.insert(0, Press())
sys.argv[:3] = [entry]
from importlib import import_module
import_module(entry).main()
"""
"""Runs a program in which Ctrl+C is pressed when it begins to load a certain module: no clock has to meet the moment."""
HLPROF, CONFIG, WORKLOAD = "hlprof_core.cli.main", "hlprof_core.cli.hl_prof_config", "hlprof_core.workloads.__main__"
NAMES = {HLPROF: "hlprof", CONFIG: "hl-prof-config", WORKLOAD: "python -m hlprof_core.workloads"}
MOMENTS = [
    (HLPROF, "view t.json", "hlprof_core.cli.hlprof_command click hlprof_gui.cli_view numpy"),
    (HLPROF, "view t.json", "PySide6 shiboken6 PySide6.QtCore PySide6.QtGui PySide6.QtWidgets"),
    (HLPROF, "view t.json", "hlprof_gui.theme.theme hlprof_gui.main_window hlprof_gui.timeline.view"),
    (HLPROF, "", "click PySide6.QtCore hlprof_gui.main_window"),
    (HLPROF, "report t.json", "hlprof_core.cli.hlprof_command click hlprof_core.cli.report numpy hlprof_core.report.text"),
    (HLPROF, "events t.json", "click hlprof_core.cli.events orjson"),
    (HLPROF, "render t.json new.png", "click hlprof_gui.cli_render numpy PySide6.QtCore hlprof_gui.timeline.picture"),
    (HLPROF, "bench open t.json", "click hlprof_gui.cli_bench numpy PySide6.QtCore hlprof_gui.timeline.view"),
    (CONFIG, "--show", "hlprof_core.cli.prof_config_command hlprof_core.config.schema"),
    (CONFIG, "--gui", "PySide6.QtCore PySide6.QtWidgets hlprof_gui.config_window.window hlprof_gui.config_window.page"),
    (WORKLOAD, "dlrm", "hlprof_core.workloads.main hlprof_core.synapse.api"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    events = ",".join(f'{{"ph":"X","pid":1,"tid":1,"ts":{2 * i},"dur":1,"name":"work {i}"}}' for i in range(500))
    (tmp_path / "t.json").write_text(f"[{events}]")
    return tmp_path


def start(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    home = {"HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache"), "XDG_CONFIG_HOME": str(folder / "config")}
    environment = {**os.environ, **home, "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-c", PRESSING, *words]
    return subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize(
    ("entry", "words", "moment"), [(entry, words, moment) for entry, words, moments in MOMENTS for moment in moments.split()]
)
def test_a_start_ends_with_one_line(folder: Path, entry: str, words: str, moment: str) -> None:
    said = start(folder, entry, moment, *words.split())
    assert (said.returncode, said.stderr, said.stdout) == (130, f"{NAMES[entry]}: Cancelled.\n", "")
    assert sorted(path.name for path in folder.iterdir() if path.is_file()) == ["t.json"]
