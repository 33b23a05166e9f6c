"""Work that nobody waits for: it runs in a thread of its own. The end of the process waits for it; Ctrl+C then drops it.

Each piece has a key; who needs what it leaves behind waits for that key.
"""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable, Hashable

from hlprof_core.interruption import raising

Work = Callable[[Callable[[], bool]], object]
"""Gets a question to ask often: whether to drop what it does."""


class Later:
    """Pieces of work under way."""

    def __init__(self) -> None:
        self._done: dict[Hashable, threading.Event] = {}
        self._dropped = threading.Event()
        self._lock = threading.Lock()

    def start(self, key: Hashable, work: Work) -> None:
        """Begin it, after what is under way for the same key."""
        done = threading.Event()
        with self._lock:
            before = self._done.get(key)
            self._done[key] = done
        threading.Thread(target=self._run, args=(key, work, before, done), name="later", daemon=True).start()

    def _run(self, key: Hashable, work: Work, before: threading.Event | None, done: threading.Event) -> None:
        try:
            if before is not None:
                before.wait()
            if not self._dropped.is_set():
                work(self._dropped.is_set)
        finally:
            with self._lock:
                if self._done.get(key) is done:
                    del self._done[key]
            done.set()

    def wait(self, key: Hashable) -> None:
        """Until nothing is under way for ``key``; not for the work itself to call."""
        with self._lock:
            done = self._done.get(key)
        if done is not None:
            done.wait()

    def finish(self) -> None:
        """Wait for everything; ``KeyboardInterrupt`` drops it instead, within one step of the work."""
        try:
            with raising():
                self._wait_for_all()
        except KeyboardInterrupt:
            self._dropped.set()
            self._wait_for_all()

    def _wait_for_all(self) -> None:
        # Events, not joins: a join that is interrupted takes its thread for ended.
        with self._lock:
            pending = list(self._done.values())
        for done in pending:
            done.wait()


later = Later()
atexit.register(later.finish)
