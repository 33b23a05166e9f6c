"""Windows upon configurations of their own, closed after the test without a question."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from hlprof_core.config.document import ProfConfig


def make(path: Path, theme: Any) -> Any:
    """A window with settings beside the file."""
    from hlprof_gui.config_window.window import ConfigurationWindow
    from hlprof_gui.notify import Notifier
    from hlprof_gui.settings import Settings

    notifier = Notifier()
    notifier.fault_found.connect(lambda *fault: sys.excepthook(*fault))
    window = ConfigurationWindow(Settings(path.parent / "window.ini"), theme, notifier, path)
    window.resize(1280, 860)
    return window


def close(window: Any) -> None:
    """Close it, whatever is unsaved."""
    if not window.is_closed:
        window.file.may_leave = lambda: True
        window.close()
    window.deleteLater()


@pytest.fixture
def config_file(tmp_path: Path) -> Path:
    """A file with a session name of its own."""
    path = tmp_path / "prof_config.json"
    config = ProfConfig()
    config.set("session.name", "first")
    config.save(path)
    return path


@pytest.fixture
def open_configuration(qtbot: QtBot, theme: Any, tmp_path: Path) -> Iterator[Callable[[Path], Any]]:
    """Shows a file in a window that is active."""
    windows: list[Any] = []

    def show(path: Path) -> Any:
        window = make(path, theme)
        windows.append(window)
        window.show()
        qtbot.waitExposed(window)
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow, timeout=3000)
        return window

    yield show
    for window in windows:
        close(window)
    qtbot.wait(1)


@pytest.fixture
def window(open_configuration: Callable[[Path], Any], config_file: Path) -> Any:
    """A window upon ``config_file``."""
    return open_configuration(config_file)
