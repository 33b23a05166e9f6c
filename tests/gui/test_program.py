"""The program around the window, as a process: help without Qt, no display, defects reported."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from hlprof_gui.app import Program
from hlprof_gui.dialogs.fault_report import FaultReport
from hlprof_gui.settings import RECENT_COUNT, Settings

HLPROF = [sys.executable, "-m", "hlprof_core.cli.main"]


def run(*args: str, **environment: str) -> subprocess.CompletedProcess[str]:
    base = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")}
    return subprocess.run([*HLPROF, *args], capture_output=True, text=True, env=base | environment, timeout=60, check=False)


def test_without_a_display_one_line_says_what_to_do() -> None:
    done = run("view")
    assert done.returncode == 1
    assert done.stderr.startswith("hlprof: No display found")
    assert "hlprof render" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_display_that_does_not_answer_is_told() -> None:
    done = run("view", DISPLAY=":6543")
    assert done.returncode == 1
    assert done.stderr.startswith("hlprof: The display :6543 does not answer")
    assert done.stderr.count("\n") == 1


def test_an_interrupt_ends_the_wait_for_a_display_that_is_silent() -> None:
    with socket.socket() as display:
        display.bind(("127.0.0.1", 0))
        port = display.getsockname()[1]
        display.listen()
        display.settimeout(30)
        base = {k: v for k, v in os.environ.items() if k not in ("WAYLAND_DISPLAY", "QT_QPA_PLATFORM")}
        environment = base | {"DISPLAY": f"127.0.0.1:{port - 6000}"}
        with subprocess.Popen([*HLPROF, "view"], env=environment, stderr=subprocess.PIPE, text=True) as process:
            try:
                with display.accept()[0]:
                    process.send_signal(signal.SIGINT)
                    _, errors = process.communicate(timeout=30)
            finally:
                process.kill()
    assert (process.returncode, errors) == (130, "hlprof: Cancelled.\n")


@pytest.mark.xcb
def test_an_interrupt_closes_the_window_and_keeps_its_layout(trace_file: Path, tmp_path: Path) -> None:
    if not os.environ.get("DISPLAY"):
        pytest.skip("no display")
    home = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    process = subprocess.Popen([*HLPROF, "view", str(trace_file)], env=os.environ | home, stderr=subprocess.PIPE, text=True)
    remembered = tmp_path / "config" / "hlprof" / "window.ini"
    try:
        deadline = time.monotonic() + 30
        while not remembered.exists() and time.monotonic() < deadline and process.poll() is None:
            time.sleep(0.05)  # the list of recent files is written once the trace is shown
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    finally:
        process.kill()
    assert (process.returncode, errors) == (0, "")
    assert "geometry" in remembered.read_text()
    assert "small.json" in remembered.read_text()


def test_help_needs_no_qt() -> None:
    code = "import sys; from hlprof_gui.cli_view import view; view(['--help'], standalone_mode=False); sys.exit('PySide6' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0
    assert "FILES" in done.stdout


def test_a_defect_is_reported_once_and_the_window_stays(qtbot: QtBot, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = Program(Settings(tmp_path / "w.ini"), theme="dark", backend="image")
    window = program.open_window()
    for _ in range(3):
        try:
            raise KeyError("a defect")
        except KeyError:
            program.hook(*sys.exc_info())  # type: ignore[arg-type]
    reports = [d for d in QApplication.topLevelWidgets() if isinstance(d, FaultReport) and d.isVisible()]
    assert len(reports) == 1
    assert "KeyError: 'a defect'" in reports[0].report.toPlainText()
    assert "KeyError" in capsys.readouterr().err
    assert window.isVisible()
    reports[0].close()
    window.close()
    assert program.windows == []


def test_recent_files_are_bounded_unique_and_exist(qapp: Any, tmp_path: Path) -> None:
    settings = Settings(tmp_path / "w.ini")
    files = [tmp_path / f"{i}.json" for i in range(RECENT_COUNT + 3)]
    for file in files:
        file.touch()
        settings.add_recent(file)
    settings.add_recent(files[-2])
    assert settings.recent_files[:2] == [files[-2], files[-1]]
    assert len(settings.recent_files) == RECENT_COUNT
    files[-1].unlink()
    assert files[-1] not in settings.recent_files
    settings.sync()
    assert Settings(tmp_path / "w.ini").recent_files == settings.recent_files
    settings._store.setValue("window/theme", "pink")
    assert settings.theme == "system"


LATE = """
import importlib.abc, sys, threading
late = []
class Watch(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if threading.current_thread() is not threading.main_thread() and name.partition(".")[0] in ("hlprof_gui", "PySide6", "shiboken6"):
            late.append(name)
        return None
sys.meta_path.insert(0, Watch())
from pathlib import Path
from PySide6.QtTest import QTest
from hlprof_gui.app import Program
from hlprof_gui.settings import Settings
made = Program(Settings(Path(sys.argv[2]) / "w.ini"), theme="dark", backend="image")
window = made.open_window(Path(sys.argv[1]))
while window.state.trace is None or window.jobs.running():
    QTest.qWait(10)
for dock in window.docks:
    dock.show()
    dock.raise_()
    QTest.qWait(20)
while window.jobs.running():
    QTest.qWait(10)
window.close()
made.open_configuration(Path(sys.argv[2]) / "c.json")
QTest.qWait(500)
print(*late)
"""


def test_modules_of_the_window_load_in_its_thread(trace_file: Path, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", LATE, trace_file, tmp_path], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == [], "PySide makes types when a module is loaded, which must not happen in two threads"


LOADED = """
import builtins, gc
from hlprof_gui.loading import load_qt
load_qt()
import hlprof_gui.app
from shibokensupport.feature import pyside_feature_dict
print(builtins.__import__ is builtins.__orig_import__, gc.isenabled(), any(name.startswith("hlprof") for name in pyside_feature_dict))
"""


def test_pyside_reads_the_source_of_no_module() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["True", "False", "False"]


ALONE = """
import os
from hlprof_gui.loading import BLAS_THREADS, load_numpy
before = os.environ.get(BLAS_THREADS)
load_numpy()
import numpy
print(len(os.listdir("/proc/self/task")), os.environ.get(BLAS_THREADS) == before)
"""


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="threads are counted in /proc")
@pytest.mark.parametrize("wanted", [None, "1"])
def test_numpy_is_loaded_without_threads_and_others_may_have_theirs(wanted: str | None) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    environment |= {"OPENBLAS_NUM_THREADS": wanted} if wanted else {}
    done = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True, timeout=60, check=True, env=environment)
    assert done.stdout.split() == ["1", "True"]
