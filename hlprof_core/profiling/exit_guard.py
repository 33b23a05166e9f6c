"""Saves a recording when the program dies: at interpreter exit, and on signals that would kill it without one."""

from __future__ import annotations

import atexit
import os
import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

FATAL_SIGNALS = (signal.SIGTERM, signal.SIGHUP)


class ExitGuard:
    """Calls ``save`` once: at ``finish``, or when the process that made the guard dies before.

    A handler that the program had installed still runs; without one the process dies of the signal, so that its parent sees why.
    A signal that comes while ``save`` works waits until it is done.
    """

    def __init__(self, save: Callable[[], None]) -> None:
        self._save = save
        self._pid = os.getpid()
        self._previous: dict[signal.Signals, Any] = {}
        self._is_done = False
        self._is_saving = False
        self._waiting: int | None = None
        atexit.register(self._at_exit)
        # Only the main thread may set handlers; elsewhere the exit hook remains.
        if threading.current_thread() is threading.main_thread():
            for number in FATAL_SIGNALS:
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._previous[number] = signal.signal(number, self._on_signal)

    def finish(self) -> None:
        """Save now and leave the process as it was before."""
        self._save_once()
        atexit.unregister(self._at_exit)
        if threading.current_thread() is threading.main_thread():
            for number, previous in self._previous.items():
                if signal.getsignal(number) == self._on_signal and previous is not None:
                    signal.signal(number, previous)
        self._deliver()

    def _save_once(self) -> None:
        if not self._is_done:
            self._is_done = self._is_saving = True
            try:
                self._save()
            finally:
                self._is_saving = False

    def _deliver(self) -> None:
        """Send the signal that had to wait."""
        if self._waiting is not None:
            os.kill(self._pid, self._waiting)

    def _at_exit(self) -> None:
        # A forked child inherits the hook, but the recording is its parent's.
        if os.getpid() == self._pid:
            self._save_once()
            self._deliver()

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        previous = self._previous.get(signal.Signals(number))
        if callable(previous):
            # The program handles it: it may go on, and its normal end saves the recording.
            previous(number, frame)
            return
        if self._is_saving and os.getpid() == self._pid:
            self._waiting = number
            return
        try:
            if os.getpid() == self._pid:
                self._save_once()
        finally:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
