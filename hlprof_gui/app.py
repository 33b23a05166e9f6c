"""The program around its windows: display check, QApplication, theme, the one exception hook."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from hlprof_core.errors import HlprofError
from hlprof_gui.garbage import GarbageCollector
from hlprof_gui.interrupt import interrupts
from hlprof_gui.notify import Notifier, safe
from hlprof_gui.read_ahead import ReadAhead
from hlprof_gui.settings import Settings, ThemeChoice
from hlprof_gui.theme.theme import Theme

if TYPE_CHECKING:
    from hlprof_gui.config_window.window import ConfigurationWindow
    from hlprof_gui.main_window import MainWindow
    from hlprof_gui.timeline.backend import BackendChoice

SWITCH_S = 0.001
"""How long a working thread may keep the interpreter while the window waits for it; Python's own 5 ms are felt in a frame."""


VIEWER_HINT = "Without one, `hlprof report FILE` and `hlprof render FILE OUT.png` do the same in text and picture."
CONFIGURATION_HINT = "Without one, `hl-prof-config --show` tells the settings, and its options change them."


def check_display(hint: str = VIEWER_HINT) -> None:
    """Refuse where there is no screen: Qt itself would end the process without a word a user understands."""
    if not sys.platform.startswith("linux") or os.environ.get("QT_QPA_PLATFORM"):
        return
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        raise HlprofError("No display found: the window needs a screen.", hint=hint)
    if os.environ.get("DISPLAY") and not os.environ.get("WAYLAND_DISPLAY") and not _answers_x11():
        raise HlprofError(
            f"The display {os.environ['DISPLAY']} does not answer.",
            hint=f"Check DISPLAY (over ssh: `ssh -X`). {hint}",
        )


def _answers_x11() -> bool:
    """Whether an X server takes connections at DISPLAY."""
    import ctypes

    try:
        xcb = ctypes.CDLL("libxcb.so.1")  # the name Qt knows it by too; a search for it starts programs, and takes longer
    except OSError:
        return True  # Qt will say which library is missing
    xcb.xcb_connect.restype = ctypes.c_void_p
    xcb.xcb_connect.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
    xcb.xcb_connection_has_error.argtypes = [ctypes.c_void_p]
    found: list[int | None] = []
    # A server may be silent for ever, as behind a stalled ssh; a main thread that waits for another one still hears Ctrl+C.
    asking = threading.Thread(target=lambda: found.append(xcb.xcb_connect(None, None)), name="display", daemon=True)
    asking.start()
    asking.join()
    # The connection stays: a server that loses its last one starts over, just when Qt comes.
    return not xcb.xcb_connection_has_error(found[0])


def make_application() -> QApplication:
    """The QApplication with the program's name on it; the existing one when there is one."""
    existing = QApplication.instance()
    if isinstance(existing, QApplication):
        return existing
    QCoreApplication.setApplicationName("hlprof")
    QCoreApplication.setOrganizationName("hlprof")
    QGuiApplication.setDesktopFileName("hlprof")
    # One native widget would make windows of all its siblings, the whole view among them.
    QCoreApplication.setAttribute(Qt.ApplicationAttribute.AA_DontCreateNativeWidgetSiblings)
    QGuiApplication.setHighDpiScaleFactorRoundingPolicy(Qt.HighDpiScaleFactorRoundingPolicy.PassThrough)
    made = QApplication(["hlprof"])
    GarbageCollector.install()
    return made


class Program:
    """All windows of the process, their theme, and what happens when something goes wrong."""

    def __init__(self, settings: Settings | None = None, *, theme: ThemeChoice | None = None, backend: BackendChoice = "auto") -> None:
        self.app = make_application()
        self.settings = settings or Settings()
        self.theme = Theme(theme or self.settings.theme)
        self.theme.apply(self.app)
        QGuiApplication.styleHints().colorSchemeChanged.connect(lambda _: self.theme.follow_system())
        self._backend = backend
        self.windows: list[MainWindow | ConfigurationWindow] = []
        self._viewers: list[MainWindow] = []
        self._told: set[str] = set()

    def open_window(self, path: Path | None = None) -> MainWindow:
        """A window of its own for ``path``, which is read while the window is made."""
        ahead = ReadAhead(path) if path is not None else None
        # What draws timelines is not loaded for configurations, nor the other way round: each kind opens sooner.
        from hlprof_gui.main_window import MainWindow

        window = MainWindow(self.settings, self.theme, self._notifier(), backend=self._backend)
        self._viewers.append(window)
        window.closed.connect(self._viewers.remove)
        window.window_wanted.connect(self.open_window)
        window.configuration_wanted.connect(safe(lambda: self.open_configuration()))
        if path is not None and ahead is not None:
            window.closed.connect(lambda _: ahead.cancel())
            window.open_path(path, ahead)
        self._show(window)
        return window

    def open_configuration(self, path: Path | None = None) -> ConfigurationWindow:
        """A window for the configuration in ``path`` (None: the user's own); the one that shows it already, if there is one."""
        from hlprof_core.config.document import default_path
        from hlprof_gui.config_window.window import ConfigurationWindow

        wanted = (path or default_path()).absolute()
        for window in self.windows:
            if isinstance(window, ConfigurationWindow) and window.model.is_named and window.model.path == wanted:
                window.raise_()
                window.activateWindow()
                return window
        window = ConfigurationWindow(self.settings, self.theme, self._notifier(), wanted)
        window.trace_wanted.connect(self.open_window)
        self._show(window)
        return window

    def interrupt(self) -> None:
        """Close all windows without asking for notes that are unsaved: they are saved where that is possible, and the terminal says so."""
        told = [window.keeper.leave_unasked() for window in self._viewers]
        self.app.closeAllWindows()
        sys.stderr.writelines(f"hlprof: {text}\n" for text in told if text)

    def _notifier(self) -> Notifier:
        notifier = Notifier()
        notifier.fault_found.connect(self._report_fault)
        return notifier

    def _show(self, window: MainWindow | ConfigurationWindow) -> None:
        window.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        window.closed.connect(self.windows.remove)
        self.windows.append(window)
        window.show()

    def hook(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """``sys.excepthook`` of the program: to the front window's bar, or a report of the defect."""
        if not self.windows or not isinstance(error, Exception):
            sys.__excepthook__(kind, error, trace)
            return
        active = [window for window in self.windows if window.isActiveWindow()] or self.windows
        active[0].notifier.handle(kind, error, trace)

    def _report_fault(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        from hlprof_gui.dialogs.fault_report import FaultReport, fault_text  # seldom needed

        text = fault_text(kind, error, trace)
        # A defect in a paint comes with every frame: say it once, in the terminal too.
        if text not in self._told:
            self._told.add(text)
            sys.stderr.write(text)
            FaultReport(text, self.theme, self.windows[0] if self.windows else None).show()


def run(paths: list[Path], *, theme: ThemeChoice | None = None, backend: BackendChoice = "auto") -> int:
    """Open a window for each file (one without any) and stay until the last is closed; returns the exit code."""
    check_display()
    program = Program(theme=theme, backend=backend)
    with _in_charge(program):
        if not paths:
            program.open_window()
        for path in paths:
            program.open_window(path)
        return _stay(program)


def run_configuration(path: Path | None = None) -> int:
    """Open the window for the configuration in ``path`` (None: the user's own) and stay until all are closed; returns the exit code."""
    check_display(CONFIGURATION_HINT)
    program = Program()
    with _in_charge(program):
        program.open_configuration(path)
        return _stay(program)


@contextmanager
def _in_charge(program: Program) -> Iterator[None]:
    """While inside, defects go to the program's windows."""
    sys.excepthook = program.hook
    sys.setswitchinterval(SWITCH_S)
    try:
        yield
    finally:
        sys.excepthook = sys.__excepthook__


def _stay(program: Program) -> int:
    """Until the last window is closed; returns the exit code. From here on Ctrl+C closes the windows.

    Before, a command lets it end the process: a close that is asked for while a window is made would find none, and be lost.
    """
    with interrupts(program.interrupt):
        return program.app.exec()
