"""Windows upon configurations of their own, closed after the test without a question."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from hlprof_core.config.document import ProfConfig

NEVER_MS = 600_000


def make(path: Path, theme: Any) -> Any:
    """A window with settings beside the file."""
    from hlprof_gui.config_window.window import ConfigurationWindow
    from hlprof_gui.notify import Notifier
    from hlprof_gui.settings import Settings

    notifier = Notifier()
    notifier.fault_found.connect(lambda *fault: sys.excepthook(*fault))
    window = ConfigurationWindow(Settings(path.parent / "window.ini"), theme, notifier, path)
    window.resize(1280, 860)
    window.side.estimate.quiet_ms = NEVER_MS
    window.side.estimate.scale_from(None)
    return window


def let_estimate(window: Any) -> Any:
    """The card of the estimate, asking as it does for people; otherwise each change in a test would cost one."""
    card = window.side.estimate
    card.quiet_ms = 50
    card.scale_from(None)
    return card


def press(window: Any, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.ControlModifier) -> None:
    """A key where the keyboard's focus is."""
    QTest.keyClick(window.focusWidget() or window, key, modifier)


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
        qtbot.waitUntil(window.isActiveWindow, timeout=10_000)
        return window

    yield show
    for window in windows:
        close(window)
    qtbot.wait(1)


@pytest.fixture
def window(open_configuration: Callable[[Path], Any], config_file: Path) -> Any:
    """A window upon ``config_file``."""
    return open_configuration(config_file)


@pytest.fixture
def messages() -> list[str]:
    """What a page by itself told the message bar and asked the window for."""
    return []


@pytest.fixture
def page_context(theme: Any, tmp_path: Path, messages: list[str]) -> Iterator[Any]:
    """The context of a page by itself; the document's file does not exist."""
    from hlprof_gui.config_window.page import PageContext
    from hlprof_gui.jobs import JobRunner
    from hlprof_gui.notify import Notifier
    from hlprof_gui.settings import Settings
    from hlprof_gui.viewmodels.configuration import ConfigurationViewModel
    from hlprof_gui.viewmodels.run_plan import RunPlan

    notifier = Notifier()
    notifier.fault_found.connect(lambda *fault: sys.excepthook(*fault))
    notifier.message_posted.connect(lambda message: messages.append(message.text))
    jobs = JobRunner(notifier)
    model = ConfigurationViewModel(tmp_path / "prof_config.json")
    settings = Settings(tmp_path / "window.ini")
    plan, ask = RunPlan(model), messages.append
    yield PageContext(model, plan, theme, settings, jobs, notifier, lambda path: ask(f"open {path}"), lambda name: ask(f"show {name}"))
    jobs.close()
    jobs.deleteLater()


@pytest.fixture
def make_page(qtbot: QtBot, page_context: Any) -> Iterator[Callable[..., Any]]:
    """Makes the page of an id, in the frame that the window gives it."""
    from hlprof_gui.config_window.page import PAGES
    from hlprof_gui.config_window.page_frame import PageFrame

    frames: list[Any] = []

    def show(page_id: str, width: int = 900, height: int = 760) -> Any:
        entry = next(entry for entry in PAGES if entry.id == page_id)
        frame = PageFrame(entry, page_context)
        frames.append(frame)
        frame.resize(width, height)
        frame.show()
        qtbot.waitExposed(frame)
        frame.activateWindow()
        qtbot.waitUntil(frame.isActiveWindow, timeout=10_000)
        return frame.page

    yield show
    for frame in frames:
        shut_down = getattr(frame.page, "shut_down", None) if isValid(frame.page) else None
        if shut_down is not None:
            shut_down()
        frame.close()
        frame.deleteLater()
    qtbot.wait(1)
