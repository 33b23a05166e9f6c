"""Work that waits until the window has handled what came before; the last wish counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject, QTimer

from hlprof_gui.notify import safe


class Soon(QObject):
    """One piece of work at a time; gone with its parent."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._work: Callable[[], object] | None = None
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self._run)

    @property
    def is_waiting(self) -> bool:
        return self._timer.isActive()

    def start(self, work: Callable[[], object]) -> None:
        self._work = work
        self._timer.start()

    def start_all(self, pieces: Sequence[Callable[[], object]]) -> None:
        """Each of these in a turn of its own, the first one now."""
        pieces[0]()
        if len(pieces) > 1:
            self.start(partial(self.start_all, pieces[1:]))

    def stop(self) -> None:
        """Forget what waits."""
        self._work = None
        self._timer.stop()

    @safe
    def _run(self) -> None:
        work, self._work = self._work, None
        if work is not None:
            work()
