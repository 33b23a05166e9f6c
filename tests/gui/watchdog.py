"""Watches the GUI thread: an application that notes how much processor time each piece of its work takes.

A piece is the handling of one event, up to the next look of an event loop (also one inside of it) for input. What a piece takes is
processor time of that thread: a machine that is busy with something else does not make it longer.
"""

from __future__ import annotations

import compileall
import gc
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QAbstractEventDispatcher, QEvent, QObject
from PySide6.QtWidgets import QApplication

ROOT = Path(__file__).resolve().parents[2]
LIMIT_S = 0.05
"""Nobody feels less between an action and what comes of it."""
GENEROUS = 2
"""Tests allow so many times the limit: caches of processors are shared with whatever else runs."""


@dataclass(frozen=True, slots=True)
class Piece:
    """``what`` was handled; ``cpu_s`` processor time, ``collecting_s`` of it for garbage, ``wall_s`` real time."""

    what: str
    cpu_s: float
    wall_s: float
    collecting_s: float = 0.0

    def __str__(self) -> str:
        return f"{self.cpu_s * 1e3:.0f} ms for {self.what}"


class Watch:
    """The pieces worth mentioning since ``clear``."""

    def __init__(self, floor_s: float = 0.01) -> None:
        self.floor_s = floor_s
        self.long: list[Piece] = []
        self.count = 0
        self.began: Callable[[], object] = lambda: None
        self.ended: Callable[[Piece], object] = lambda piece: None
        self._cpu = self._wall = self._collecting = self._collected_from = 0.0
        self._thread = threading.get_ident()
        self._what: tuple[QObject, QEvent | str] | None = None
        self.is_open = False
        """Whether a piece runs. Asked for each event, of which a window has thousands."""

    def begin(self, receiver: QObject, event: QEvent | str) -> None:
        self._what, self.is_open = (receiver, event), True
        self.began()
        self._collecting = 0.0
        self._cpu, self._wall = time.thread_time(), time.perf_counter()

    def look(self) -> None:
        """An event loop looks for input: the piece that runs ends here, what follows is another one."""
        if self._what is not None:
            self._note()
            self.began()
            self._cpu, self._wall = time.thread_time(), time.perf_counter()

    def collects(self, phase: str, _info: dict[str, int]) -> None:
        """For ``gc.callbacks``."""
        if threading.get_ident() == self._thread:
            now = time.thread_time()
            if phase == "stop":
                self._collecting += now - self._collected_from
            self._collected_from = now

    def end(self) -> None:
        self._note()
        self._what, self.is_open = None, False

    def _note(self) -> None:
        cpu, collecting = time.thread_time() - self._cpu, self._collecting
        self._collecting = 0.0
        self.count += 1
        if cpu >= self.floor_s and self._what is not None:
            receiver, event = self._what
            # By its class only: the receiver may be gone.
            what = f"{event.type().name if isinstance(event, QEvent) else event} of {type(receiver).__name__}"
            piece = Piece(what, cpu, time.perf_counter() - self._wall, collecting)
            self.long.append(piece)
            self.ended(piece)

    def clear(self) -> None:
        self.long.clear()
        self.count = 0

    @property
    def longest(self) -> Piece | None:
        return max(self.long, key=lambda piece: piece.cpu_s, default=None)


WATCH = Watch()
HANDLE = QApplication.notify
gc.callbacks.append(WATCH.collects)


class WatchedApplication(QApplication):
    """Handles events as any application does, under the eyes of ``WATCH``."""

    def __init__(self, words: list[str]) -> None:
        super().__init__(words)
        loop = QAbstractEventDispatcher.instance()
        QEvent.Type.None_.name  # noqa: B018 - PySide makes its enums when they are asked for the first time
        # Each turn of a loop tells one of these before it looks for input.
        loop.aboutToBlock.connect(WATCH.look)
        loop.awake.connect(WATCH.look)

    def notify(self, receiver: QObject, event: QEvent) -> bool:
        if WATCH.is_open:
            return HANDLE(self, receiver, event)
        WATCH.begin(receiver, event)
        try:
            return HANDLE(self, receiver, event)
        finally:
            WATCH.end()


def compile_program() -> None:
    """Installed programs come compiled: that Python compiles a file when it is imported first is no work of the window's."""
    for package in ("hlprof_core", "hlprof_gui"):
        compileall.compile_dir(ROOT / package, quiet=2)
