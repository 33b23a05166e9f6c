"""A program as a child of the window, in a process group of its own, so that stopping it stops everything it started."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, QTimer, Signal

from hlprof_gui.notify import safe

FLUSH_MS = 60
"""How often what the program printed is handed on."""
PATIENCE_MS = 2000
"""How long a closing window waits for the program to save."""


class ChildProcess(QObject):
    """Runs one program at a time; output and errors come as one stream of bytes."""

    printed = Signal(bytes)
    ended = Signal(int, int)
    """Arguments: exit code, and the number of the signal that killed it or 0."""
    failed = Signal(str)
    """It could not be started; the argument says why."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._process: QProcess | None = None
        self._group = 0
        self._is_stopping = False
        self._timer = QTimer(self, interval=FLUSH_MS)
        self._timer.timeout.connect(self._read)

    @property
    def is_running(self) -> bool:
        return self._process is not None

    def start(self, words: Sequence[str], folder: Path, variables: Mapping[str, str]) -> None:
        """Start it; ``variables`` come on top of the window's own environment."""
        assert self._process is None, "one at a time"
        environment = QProcessEnvironment.systemEnvironment()
        for name, value in variables.items():
            environment.insert(name, value)
        process = QProcess(self)
        process.setProgram(words[0])
        process.setArguments(list(words[1:]))
        process.setWorkingDirectory(str(folder))
        process.setProcessEnvironment(environment)
        process.setProcessChannelMode(QProcess.ProcessChannelMode.MergedChannels)
        process.setStandardInputFile(QProcess.nullDevice())
        modes = QProcess.UnixProcessParameters()
        modes.flags = QProcess.UnixProcessFlag.CreateNewSession | QProcess.UnixProcessFlag.ResetSignalHandlers
        process.setUnixProcessParameters(modes)
        process.finished.connect(self._finish)
        process.errorOccurred.connect(self._trouble)
        self._process, self._is_stopping = process, False
        process.start()
        self._group = process.processId()
        if self._process is not None:
            self._timer.start()

    def stop(self) -> None:
        """Ask the program and what it started to end (SIGTERM): it may still save."""
        self._is_stopping = True
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it all at once."""
        self._is_stopping = True
        self._signal(signal.SIGKILL)

    def shut_down(self) -> None:
        """The window goes: let what runs save what it has, but not for long, and do not come back to it."""
        process = self._process
        if process is not None:
            process.finished.disconnect(self._finish)
            process.errorOccurred.disconnect(self._trouble)
            self.stop()
            if not process.waitForFinished(PATIENCE_MS):
                self.kill()
                process.waitForFinished(PATIENCE_MS)
            self.kill()
            self._forget()

    def _signal(self, number: signal.Signals) -> None:
        if self._group > 0:
            try:
                os.killpg(self._group, number)
            except ProcessLookupError:
                return  # it ended by itself a moment ago; ``ended`` follows

    @safe
    def _read(self) -> None:
        if self._process is not None:
            data = self._process.readAllStandardOutput().data()
            if data:
                self.printed.emit(bytes(data))

    @safe
    def _finish(self, code: int, status: QProcess.ExitStatus) -> None:
        self._read()
        if self._is_stopping:
            # What it started goes with it; at an end of its own it may leave something running, as in a shell.
            self._signal(signal.SIGKILL)
        self._forget()
        if status == QProcess.ExitStatus.CrashExit:
            self.ended.emit(0, code)
        else:
            self.ended.emit(code, 0)

    @safe
    def _trouble(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart and self._process is not None:
            reason = self._process.errorString()
            self._forget()
            self.failed.emit(reason)

    def _forget(self) -> None:
        self._timer.stop()
        if self._process is not None:
            self._process.deleteLater()
        self._process, self._group = None, 0
