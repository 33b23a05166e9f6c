"""Ctrl+C in the terminal closes the windows: Qt's loop alone would never let Python see the signal."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from PySide6.QtCore import QSocketNotifier, QTimer


@contextmanager
def interrupts(close: Callable[[], object]) -> Iterator[None]:
    """While inside, SIGINT and SIGTERM call ``close`` in the GUI thread."""
    receiver, sender = socket.socketpair()
    for end in (receiver, sender):
        end.setblocking(False)

    def later(*_: object) -> None:
        # Python may run this in the middle of a paint: close when that is over.
        QTimer.singleShot(0, close)

    # The signal writes a byte, the notifier wakes the loop, and Python then runs the handler.
    former_fd = signal.set_wakeup_fd(sender.fileno())
    former = {number: signal.signal(number, later) for number in (signal.SIGINT, signal.SIGTERM)}
    notifier = QSocketNotifier(receiver.fileno(), QSocketNotifier.Type.Read)
    notifier.activated.connect(lambda *_: receiver.recv(64))
    try:
        yield
    finally:
        notifier.setEnabled(False)
        for number, handler in former.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(former_fd)
        receiver.close()
        sender.close()
