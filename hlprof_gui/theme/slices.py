"""Work in slices: as much of it at a time as nobody feels, then the window answers what came meanwhile."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable

from PySide6.QtCore import QTimer

from hlprof_gui.notify import safe

SLICE_S = 0.01


def rest() -> None:
    """A piece after which the window paints and answers, however little was done in the slice."""


class Slices:
    """Does pieces of work in their order; none of them should take longer than a slice."""

    def __init__(self) -> None:
        self._left: deque[Callable[[], object]] = deque()
        self._timer = QTimer(singleShot=True, interval=0)
        self._timer.timeout.connect(self._go_on)

    @property
    def is_done(self) -> bool:
        return not self._left

    def start(self, pieces: Iterable[Callable[[], object]]) -> None:
        """Do these pieces from the next turn of the event loop on, instead of what is left of earlier ones."""
        self._left = deque(pieces)
        self._timer.start()

    def finish(self) -> None:
        """Do now what is left."""
        while self._left:
            safe(self._left.popleft())()

    @safe
    def _go_on(self) -> None:
        end = time.monotonic() + SLICE_S
        while self._left and time.monotonic() < end:
            piece = self._left.popleft()
            safe(piece)()
            if piece is rest:
                break
        if self._left:
            self._timer.start()
