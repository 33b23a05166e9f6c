"""How far long work is, and the way to stop it."""

from __future__ import annotations

import threading
from array import array
from collections.abc import Callable, Sequence
from contextvars import copy_context
from typing import TypeVar

from hlprof_core.errors import Cancelled

Listener = Callable[[str, int, int], None]
T = TypeVar("T")

LOOK_S = 0.02
"""Seconds between two reports while threads work."""


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
            self.check()


class Watch:
    """Shared between threads that work and the one that waits for them: the wish to stop, and how much is done."""

    def __init__(self) -> None:
        self.cells = array("q", (0, 0))
        """For kernels: cell 0 is 1 when they should stop, cell 1 counts what they have done."""

    def stop(self) -> None:
        self.cells[0] = 1

    @property
    def done(self) -> int:
        return self.cells[1]

    def check(self) -> None:
        """For a working thread between two steps: raise ``Cancelled`` when it should stop."""
        if self.cells[0]:
            raise Cancelled()


def run_watched(jobs: Sequence[Callable[[], T]], report: Callable[[], None], watch: Watch, threads: int) -> list[T]:
    """What the jobs return, in their order. They run in threads, with the context variables of this one, which calls ``report`` every few
    milliseconds.

    When ``report`` or a job raises, ``watch`` tells the others to stop, all threads end, and the exception goes on.
    """
    from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait

    with ThreadPoolExecutor(max(1, min(threads, len(jobs))), thread_name_prefix="work") as pool:
        futures = [pool.submit(copy_context().run, job) for job in jobs]
        pending = set(futures)
        try:
            while pending:
                report()
                done, pending = wait(pending, LOOK_S, FIRST_EXCEPTION)
                for future in done:
                    future.result()
        except BaseException:
            watch.stop()
            for future in pending:
                future.cancel()
            raise
    return [future.result() for future in futures]
