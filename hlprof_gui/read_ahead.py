"""Reading a file while the window that will show it is still being made."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import TYPE_CHECKING

from hlprof_core.errors import Cancelled
from hlprof_core.progress import LOOK_S, Progress
from hlprof_core.services import open_trace

if TYPE_CHECKING:  # the window of the configuration needs no numpy
    from hlprof_core.trace.model import Trace


class ReadAhead:
    """Begins at once, in a thread of its own; ``take`` is how a job gets what it has read."""

    def __init__(self, path: Path) -> None:
        self._progress = Progress(self._listen)
        self._stage: tuple[str, int, int] = ("", 0, 0)
        thread = ThreadPoolExecutor(1, thread_name_prefix="hlprof-read-ahead")
        self._reading: Future[Trace] = thread.submit(open_trace, path, self._progress)
        thread.shutdown(wait=False)

    def _listen(self, stage: str, done: int, total: int) -> None:
        self._stage = (stage, done, total)

    def take(self, progress: Progress) -> Trace:
        """Wait for the trace; tells how far it is, stops with ``progress``, raises what reading raised. Once: it lets go of the trace."""
        reading = self._reading
        while not reading.done():
            try:
                progress.report(*self._stage)
            except Cancelled:
                self.cancel()
                raise
            wait([reading], LOOK_S)
        del self._reading
        return reading.result()

    def cancel(self) -> None:
        """Nobody wants it any longer."""
        self._progress.cancel()
