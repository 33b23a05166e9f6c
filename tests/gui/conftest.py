"""One application, one theme; windows with settings of their own that are closed after each test."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from tests.gui.watchdog import GENEROUS, LIMIT_S, WATCH, compile_program
from tests.machine import machine_factor
from tests.small_trace import small_trace


@pytest.fixture(scope="session", autouse=True)
def _compiled() -> None:
    compile_program()


@pytest.fixture(autouse=True)
def _answering(request: pytest.FixtureRequest) -> Iterator[None]:
    """No window keeps the user waiting in any test: each piece of the GUI thread's work is short, first uses and closing included."""
    WATCH.clear()
    yield
    if request.node.get_closest_marker("software_opengl"):
        return
    # The heap that is looked through for garbage is that of all tests here; the tour has the window's own.
    late = [piece for piece in WATCH.long if piece.cpu_s - piece.collecting_s > LIMIT_S * GENEROUS]
    if late:
        # How fast the machine is matters only now, and how fast it is now.
        allowed = LIMIT_S * GENEROUS * machine_factor()
        late = [str(piece) for piece in late if piece.cpu_s - piece.collecting_s > allowed]
        assert not late, f"The GUI thread did not answer for longer than {allowed * 1e3:.0f} ms of its processor time: {', '.join(late)}"


@pytest.fixture
def theme(qapp: Any) -> Iterator[Any]:
    from hlprof_gui.theme.theme import Theme

    theme = Theme("dark")
    theme.apply(qapp)
    yield theme
    qapp.setStyleSheet("")


@pytest.fixture
def trace_file(tmp_path: Path) -> Path:
    """The small trace as a file."""
    from hlprof_core.io.writers import write_trace

    path = tmp_path / "small.json"
    write_trace(small_trace(), path)
    return path


@pytest.fixture
def make_window(qtbot: QtBot, theme: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Makes windows that are shown and active; exceptions in them fail the test through pytest-qt's hook."""
    from hlprof_gui.main_window import MainWindow
    from hlprof_gui.notify import Notifier
    from hlprof_gui.settings import Settings

    windows = []

    def make(*, is_shown: bool = True) -> Any:
        notifier = Notifier()
        notifier.fault_found.connect(lambda *fault: sys.excepthook(*fault))
        window = MainWindow(Settings(tmp_path / "window.ini"), theme, notifier, backend="image")
        windows.append(window)
        window.resize(1200, 800)
        if not is_shown:
            return window
        window.show()
        qtbot.waitExposed(window)
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow, timeout=10_000)
        return window

    yield make
    for window in windows:
        if not window.is_closed:
            window.keeper.may_ask = False
            window.close()
        if isValid(window):
            window.deleteLater()
    qtbot.wait(1)


@pytest.fixture
def window(make_window: Callable[[], Any]) -> Any:
    """An empty window."""
    return make_window()


def wait_idle(qtbot: QtBot, window: Any) -> None:
    """Until no job runs and nothing is put off."""
    from hlprof_gui.widgets.soon import Soon

    qtbot.waitUntil(lambda: window.jobs.is_idle and not any(s.is_waiting for s in window.findChildren(Soon)), timeout=10_000)


@pytest.fixture
def open_window(window: Any, qtbot: QtBot, trace_file: Path) -> Any:
    """A window on the small trace."""
    window.open_path(trace_file)
    wait_idle(qtbot, window)
    return window
