"""How far long work is, and the way to stop it."""

from __future__ import annotations

import threading
from collections.abc import Callable

from hlprof_core.errors import Cancelled

Listener = Callable[[str, int, int], None]


class Progress:
    """Handed down to long work, which calls ``report`` often (at least every 50 ms).

    ``report(stage, done, total)`` tells the listener (in the working thread) and raises ``Cancelled`` after ``cancel()``.
    """

    def __init__(self, listener: Listener | None = None) -> None:
        self._listener = listener
        self._stop = threading.Event()

    def cancel(self) -> None:
        """Ask the work to stop; safe from any thread."""
        self._stop.set()

    @property
    def is_cancelled(self) -> bool:
        return self._stop.is_set()

    def check(self) -> None:
        """Raise ``Cancelled`` when the work should stop."""
        if self._stop.is_set():
            raise Cancelled()

    def report(self, stage: str, done: int, total: int) -> None:
        """Tell that ``done`` of ``total`` units of ``stage`` are finished; ``total`` 0 means unknown."""
        self.check()
        if self._listener is not None:
            self._listener(stage, done, total)
