"""Work that nobody waits for: it runs in a thread of its own. The end of the process waits for it; Ctrl+C then drops it.

Each piece has a key; who needs what it leaves behind waits for that key.
"""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable, Hashable

Work = Callable[[Callable[[], bool]], object]
"""Gets a question to ask often: whether to drop what it does."""


class Later:
    """Pieces of work under way."""

    def __init__(self) -> None:
        self._threads: dict[Hashable, threading.Thread] = {}
        self._dropped = threading.Event()
        self._lock = threading.Lock()

    def start(self, key: Hashable, work: Work) -> None:
        """Begin it, after what is under way for the same key."""
        with self._lock:
            before = self._threads.get(key)
            thread = threading.Thread(target=self._run, args=(key, work, before), name="later", daemon=True)
            self._threads[key] = thread
            thread.start()

    def _run(self, key: Hashable, work: Work, before: threading.Thread | None) -> None:
        try:
            if before is not None:
                before.join()
            if not self._dropped.is_set():
                work(self._dropped.is_set)
        finally:
            with self._lock:
                if self._threads.get(key) is threading.current_thread():
                    del self._threads[key]

    def wait(self, key: Hashable) -> None:
        """Until nothing is under way for ``key``."""
        with self._lock:
            thread = self._threads.get(key)
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def finish(self) -> None:
        """Wait for everything; ``KeyboardInterrupt`` drops it instead, within one step of the work."""
        try:
            self._join_all()
        except KeyboardInterrupt:
            self._dropped.set()
            self._join_all()

    def _join_all(self) -> None:
        with self._lock:
            threads = list(self._threads.values())
        for thread in threads:
            thread.join()


later = Later()
atexit.register(later.finish)
