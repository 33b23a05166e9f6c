"""A file whose bytes the system does not give is no defect of the program: the window says so in its bar."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from hlprof_gui.app import Program
from hlprof_gui.dialogs.fault_report import FaultReport
from hlprof_gui.settings import Settings

UNREADABLE = Path("/proc/self/mem")


@pytest.mark.skipif(not UNREADABLE.is_file(), reason="no file whose bytes the system refuses")
def test_it_is_told_in_the_bar(qtbot: QtBot, tmp_path: Path) -> None:
    window = Program(Settings(tmp_path / "w.ini"), theme="dark", backend="image").open_window(UNREADABLE)
    qtbot.waitUntil(lambda: bool(window.messages.text), timeout=20_000)
    assert "/proc/self/mem: cannot be read (Input/output error)." in window.messages.text
    assert not [dialog for dialog in QApplication.topLevelWidgets() if isinstance(dialog, FaultReport)]
    window.close()
