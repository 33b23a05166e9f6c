"""Cyclic garbage is collected by the GUI thread alone.

Python would do it in whatever thread makes the next object. Among the garbage are objects of Qt, and those that end in a working thread
while the GUI thread connects signals can stop both for good: one waits for Python's lock, the other for Qt's.
"""

from __future__ import annotations

import gc
from typing import ClassVar

from PySide6.QtCore import QCoreApplication, QObject, QTimer

EVERY_MS = 200


class GarbageCollector(QObject):
    """Looks at Python's own counts and thresholds, and collects what they say."""

    _only: ClassVar[GarbageCollector | None] = None

    @classmethod
    def install(cls) -> None:
        """From now on; the first call counts, and comes from the GUI thread."""
        if cls._only is None:
            cls._only = cls(QCoreApplication.instance())

    def __init__(self, parent: QObject | None) -> None:
        super().__init__(parent)
        gc.disable()
        self._timer = QTimer(self, interval=EVERY_MS)
        self._timer.timeout.connect(self.collect)
        QTimer.singleShot(EVERY_MS, self, self._begin)

    def _begin(self) -> None:
        """What was loaded and built until now stays: it is looked through neither before the first paint nor each time after."""
        gc.freeze()
        self._timer.start()

    def collect(self) -> None:
        """The oldest generation that is due, with those younger than it."""
        for generation in (2, 1, 0):
            if gc.get_count()[generation] > gc.get_threshold()[generation]:
                gc.collect(generation)
                return
