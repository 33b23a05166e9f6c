"""The watch over the GUI thread sees what it is there for: work, not waiting; each piece up to the next look for input."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QEventLoop, QObject, QTimer
from pytestqt.qtbot import QtBot

from tests.gui.watchdog import LIMIT_S, WATCH, Piece
from tests.machine import machine_factor, workload


def burn(seconds: float) -> None:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def pieces_of(qtbot: QtBot, work: Callable[[], object]) -> list[Piece]:
    WATCH.clear()
    owner = QObject()
    QTimer.singleShot(0, owner, work)
    qtbot.wait(20)
    found = [piece for piece in WATCH.long if piece.cpu_s > 0.02 and not piece.collecting_s]
    WATCH.clear()  # what is burnt here is not what the tests of windows are about
    return found


def test_work_is_seen(qtbot: QtBot) -> None:
    piece = max(pieces_of(qtbot, lambda: burn(LIMIT_S)), key=lambda piece: piece.cpu_s)
    assert LIMIT_S <= piece.cpu_s < 3 * LIMIT_S
    assert "MetaCall" in piece.what or "Timer" in piece.what


def test_waiting_is_not_work(qtbot: QtBot) -> None:
    assert all(piece.cpu_s < LIMIT_S / 2 for piece in pieces_of(qtbot, lambda: time.sleep(LIMIT_S)))


def test_a_loop_inside_of_an_event_divides_it(qtbot: QtBot) -> None:
    def modal() -> None:
        burn(0.03)
        loop = QEventLoop()
        QTimer.singleShot(5, loop.quit)
        loop.exec()
        burn(0.03)

    found = pieces_of(qtbot, modal)
    assert len(found) == 2
    assert all(0.03 <= piece.cpu_s < 0.055 for piece in found)


def test_the_machine_is_compared_with_itself() -> None:
    assert machine_factor() >= 1
    assert 0.2 < workload() / workload() < 5
