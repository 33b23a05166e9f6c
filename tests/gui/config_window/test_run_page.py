"""The run page: commands in the clipboard, runs of real programs, stopping them, and what they leave."""

from __future__ import annotations

import os
import shlex
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

LEFT = Qt.MouseButton.LeftButton
PATIENCE_MS = 20_000


@pytest.fixture
def page(make_page: Callable[[str], Any], tmp_path: Path) -> Any:
    page = make_page("run")
    folder = tmp_path / "runs"
    folder.mkdir()
    page.form.folder.setFocus()
    page.form.folder.selectAll()
    QTest.keyClicks(page.form.folder, str(folder))
    assert page.plan.folder == folder
    return page


@pytest.fixture
def model(page_context: Any) -> Any:
    return page_context.model


def run(page: Any, qtbot: QtBot) -> None:
    with qtbot.waitSignal(page.run_ended, timeout=PATIENCE_MS):
        QTest.mouseClick(page.run_button, LEFT)


def command(page: Any, *words: str) -> None:
    """Choose to run a command and type it."""
    QTest.mouseClick(page.form.kinds["command"], LEFT)
    page.form.command.setFocus()
    QTest.keyClicks(page.form.command, shlex.join(words))


def script(page: Any, text: str) -> None:
    """Choose to run a Python program of these lines."""
    path = page.plan.folder / "program.py"
    path.write_text(text, encoding="utf-8")
    command(page, sys.executable, str(path))


def exists(pid: int) -> bool:
    """Whether a process lives (and is not only waiting to be forgotten)."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_lines_are_copied_one_by_one_and_together(page: Any, model: Any, messages: list[str]) -> None:
    model.set("hw.arch", "gaudi2")
    texts = []
    for field, button in zip(page.lines.fields, page.lines.buttons, strict=True):
        QTest.mouseClick(button, LEFT)
        texts.append(field.text())
        assert QGuiApplication.clipboard().text() == field.text()
    assert texts[0].startswith("hl-prof-config -e off --config-filename ")
    assert texts[0].endswith("--gaudi2")
    QTest.mouseClick(page.lines.copy_all, LEFT)
    assert QGuiApplication.clipboard().text() == "\n".join(texts)
    assert messages[-1] == "Copied the lines."


def test_controls_of_a_workload(page: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    form, plan = page.form, page.plan
    form.workload.activated.emit(0)
    assert plan.workload.name == form.workload.currentText() == "dlrm"
    form.iterations.setValue(4)
    form.profiled.setFocus()
    QTest.keyClicks(form.profiled, "2,9")
    assert "outside 1 to 4" in page.status.text()
    assert not page.run_button.isEnabled()
    QTest.keyClick(form.profiled, Qt.Key.Key_Backspace)
    QTest.keyClick(form.profiled, Qt.Key.Key_Backspace)
    assert page.run_button.isEnabled()
    assert "only marked" in page.status.text()
    assert not form.options_box.isVisible()
    QTest.mouseClick(form.more, LEFT)
    assert form.options_box.isVisible()
    form.options["batch"].setFocus()
    QTest.keyClicks(form.options["batch"], "64")
    form.options["dtype"].setCurrentText("bf16")
    form.options["dtype"].activated.emit(1)
    assert plan.options == {"batch": "64", "dtype": "bf16"}
    assert page.lines.fields[2].text().endswith("--iterations 4 --profile-iterations 2 --batch 64 --dtype bf16")
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(tmp_path))
    QTest.mouseClick(form.browse, LEFT)
    assert plan.folder == tmp_path
    page.run_button.setFocus()
    page.refresh()
    assert form.folder.text() == str(tmp_path)
    QTest.mouseClick(form.kinds["command"], LEFT)
    assert form.command.isVisible()
    assert not form.options_box.isVisible()
    assert "Enter a command" in page.status.text()
    QTest.mouseClick(form.kinds["workload"], LEFT)
    assert form.workload.isVisible()


def test_a_workload_runs_under_the_unsaved_document_and_its_trace_opens(page: Any, model: Any, qtbot: QtBot, messages: list[str]) -> None:
    model.set("session.name", "mine")
    model.set("merged.json", True)
    assert not model.path.exists()
    page.plan.set_iterations(3)
    for name, text in (("batch", "16"), ("rows", "1000"), ("top", "64-1"), ("bottom", "64-64"), ("dense", "64")):
        page.plan.set_option(name, text)
    run(page, qtbot)
    assert page.state.outcome == "good", page.log.toPlainText()
    assert "Finished" in page.status.text()
    assert "iterations" in page.log.toPlainText()
    names = [page.files.list.item(row).text().split()[0] for row in range(page.files.list.count())]
    assert "mine.json" in names
    assert any(name.startswith("mine_") and name.endswith(".hltv") for name in names)
    with qtbot.waitSignal(page.trace_wanted) as wanted:
        QTest.mouseClick(page.files.button, LEFT)
    assert wanted.args[0].parent == page.plan.folder
    assert wanted.args[0].is_file()
    assert messages[-1] == f"open {wanted.args[0]}"
    with qtbot.waitSignal(page.trace_wanted):
        page.files.list.itemActivated.emit(page.files.list.currentItem())
    assert not model.path.exists()
    assert page.run_button.isEnabled()
    assert not page.stop_button.isVisible()


def test_the_log_is_live_and_the_window_goes_on(page: Any, qtbot: QtBot) -> None:
    go = page.plan.folder / "go"
    waits = f"while not os.path.exists({str(go)!r}): time.sleep(0.01)"
    script(page, f"import os, time\nprint('first')\n{waits}\nprint('last', os.environ['HABANA_PROFILE'])")
    QTest.mouseClick(page.run_button, LEFT)
    qtbot.waitUntil(lambda: "first" in page.log.toPlainText(), timeout=PATIENCE_MS)
    assert page.state.is_running
    assert page.progress.isVisible()
    assert page.stop_button.isVisible()
    assert not page.run_button.isEnabled()
    assert not page.form.isEnabled()
    qtbot.waitUntil(lambda: "Running" in page.status.text())
    with qtbot.waitSignal(page.run_ended, timeout=PATIENCE_MS):
        go.touch()
    assert "last 1" in page.log.toPlainText()
    assert page.form.isEnabled()
    assert "left no trace" in page.log.toPlainText()
    assert "Ended with exit code 1" in page.status.text()
    assert page.status.property("role") == "error"
    assert page.files.list.count() == 0
    assert not page.files.button.isEnabled()


def test_stopping_stops_everything_that_was_started(page: Any, qtbot: QtBot) -> None:
    program = (
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "print('pid', child.pid, 'whole')\ntime.sleep(600)"
    )
    script(page, program)
    QTest.mouseClick(page.run_button, LEFT)
    qtbot.waitUntil(lambda: "whole" in page.log.toPlainText(), timeout=PATIENCE_MS)
    pid = int(next(line for line in page.log.toPlainText().splitlines() if line.startswith("pid")).split()[1])
    assert exists(pid)
    with qtbot.waitSignal(page.run_ended, timeout=PATIENCE_MS):
        QTest.mouseClick(page.stop_button, LEFT)
    assert page.status.text().startswith("Stopped by you")
    assert not page.status.property("role")
    qtbot.waitUntil(lambda: not exists(pid), timeout=PATIENCE_MS)


def test_what_a_program_leaves_running_is_left_alone(page: Any, qtbot: QtBot) -> None:
    program = (
        "import subprocess, sys\n"
        "quiet = subprocess.DEVNULL\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'], stdout=quiet, stderr=quiet)\n"
        "print('pid', child.pid)"
    )
    script(page, program)
    run(page, qtbot)
    pid = int(next(line for line in page.log.toPlainText().splitlines() if line.startswith("pid")).split()[1])
    assert exists(pid)
    os.kill(pid, signal.SIGKILL)


def test_a_program_that_does_not_listen_is_killed(page: Any, qtbot: QtBot) -> None:
    program = "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('deaf')\ntime.sleep(600)"
    script(page, program)
    QTest.mouseClick(page.run_button, LEFT)
    qtbot.waitUntil(lambda: "deaf" in page.log.toPlainText(), timeout=PATIENCE_MS)
    QTest.mouseClick(page.stop_button, LEFT)
    assert page.stop_button.text() == "Kill"
    assert "Stopping" in page.state.status
    with qtbot.waitSignal(page.run_ended, timeout=PATIENCE_MS):
        QTest.mouseClick(page.stop_button, LEFT)
    assert page.status.text().startswith("Stopped by you")


def test_a_program_that_cannot_be_run(page: Any, qtbot: QtBot) -> None:
    command(page, "no-such-program-here")
    run(page, qtbot)
    assert "Cannot run no-such-program-here" in page.log.toPlainText()
    assert "Ended with exit code 2" in page.status.text()


def test_problems_of_the_document_keep_from_running(page: Any, model: Any) -> None:
    model.set_json('{"Plugins": [{"name": "HwTrace", "values": {"generalOptions": {"traceBufferSize": {"value": "big"}}}}]}')
    assert not page.run_button.isEnabled()
    assert "cannot be used" in page.status.text()
    page.run()
    assert not page.state.is_running
    assert not page.lines.copy_all.isEnabled()


def test_a_closing_window_leaves_no_process(page: Any, qtbot: QtBot) -> None:
    script(page, "import os, time\nprint('pid', os.getpid(), 'whole')\ntime.sleep(600)")
    QTest.mouseClick(page.run_button, LEFT)
    qtbot.waitUntil(lambda: "whole" in page.log.toPlainText(), timeout=PATIENCE_MS)
    pid = int(page.log.toPlainText().split()[1])
    page.shut_down()
    qtbot.waitUntil(lambda: not exists(pid), timeout=PATIENCE_MS)
    assert not page.child.is_running


def test_a_program_that_does_not_start(qtbot: QtBot, qapp: Any, tmp_path: Path) -> None:
    from hlprof_gui.config_window.child_process import ChildProcess

    child = ChildProcess()
    with qtbot.waitSignal(child.failed, timeout=PATIENCE_MS) as failed:
        child.start([str(tmp_path / "none")], tmp_path, {})
    assert failed.args[0]
    assert not child.is_running


def test_a_child_dies_of_a_signal(qtbot: QtBot, qapp: Any, tmp_path: Path) -> None:
    from hlprof_gui.config_window.child_process import ChildProcess

    child = ChildProcess()
    with qtbot.waitSignal(child.ended, timeout=PATIENCE_MS) as ended:
        child.start([sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"], tmp_path, {"X": "1"})
    assert ended.args == [0, 9]


def test_the_log_keeps_its_place_when_scrolled_up(qtbot: QtBot, theme: Any) -> None:
    from hlprof_gui.config_window.log_view import EARLIER, LOG_LINES, LogView

    log = LogView(theme)
    log.resize(300, 120)
    log.show()
    qtbot.waitExposed(log)
    log.append([f"line {n}" for n in range(50)], " 10 %")
    log.append([], " 20 %")
    assert log.toPlainText().splitlines()[-1] == " 20 %"
    assert log.verticalScrollBar().value() == log.verticalScrollBar().maximum()
    log.verticalScrollBar().setValue(3)
    log.append(["done"], "")
    assert log.toPlainText().splitlines()[-2:] == ["line 49", "done"]
    assert log.verticalScrollBar().value() == 3
    for _ in range(5):
        log.append(["x"] * (LOG_LINES // 2), "")
    log.append(["last"], "")
    lines = log.toPlainText().splitlines()
    assert LOG_LINES < len(lines) <= 2 * LOG_LINES
    assert (lines[0], lines[1], lines[-1]) == (EARLIER, "x", "last")
    log.append([f"{n}" for n in range(3 * LOG_LINES)], "")
    lines = log.toPlainText().splitlines()
    assert (lines[0], lines[-1], len(lines)) == (EARLIER, f"{3 * LOG_LINES - 1}", LOG_LINES + 1)
    log.close()
    log.deleteLater()
