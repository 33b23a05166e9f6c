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
    """Calls ``save`` once when the process that made the guard ends, unless ``release`` came first.

    A handler that the program had installed still runs; without one the process dies of the signal, so that its parent sees why.
    """

    def __init__(self, save: Callable[[], None]) -> None:
        self._save = save
        self._pid = os.getpid()
        self._previous: dict[signal.Signals, Any] = {}
        self._is_released = False
        atexit.register(self._at_exit)
        # Only the main thread may set handlers; elsewhere the exit hook remains.
        if threading.current_thread() is threading.main_thread():
            for number in FATAL_SIGNALS:
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._previous[number] = signal.signal(number, self._on_signal)

    def release(self) -> None:
        """The recording is saved: leave the process as it was."""
        if self._is_released:
            return
        self._is_released = True
        atexit.unregister(self._at_exit)
        if threading.current_thread() is threading.main_thread():
            for number, previous in self._previous.items():
                if signal.getsignal(number) == self._on_signal and previous is not None:
                    signal.signal(number, previous)

    def _at_exit(self) -> None:
        # A forked child inherits the hook, but the recording is its parent's.
        if os.getpid() == self._pid and not self._is_released:
            self._is_released = True
            self._save()

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        previous = self._previous.get(signal.Signals(number))
        if callable(previous):
            # The program handles it: it may go on, and its normal end saves the recording.
            previous(number, frame)
            return
        try:
            self._at_exit()
        finally:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
