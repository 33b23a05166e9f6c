"""Reading a file while the window that will show it is still being made."""

from __future__ import annotations

import threading
from pathlib import Path

from hlprof_core.errors import Cancelled
from hlprof_core.progress import LOOK_S, Progress
from hlprof_core.services import open_trace
from hlprof_core.trace.model import Trace


class ReadAhead:
    """Begins at once, in a thread of its own; ``take`` is how a job gets what it has read."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._progress = Progress(self._listen)
        self._stage: tuple[str, int, int] = ("", 0, 0)
        self._trace: Trace | None = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._read, name="hlprof-read-ahead")
        self._thread.start()

    def _listen(self, stage: str, done: int, total: int) -> None:
        self._stage = (stage, done, total)

    def _read(self) -> None:
        try:
            self._trace = open_trace(self._path, self._progress)
        except BaseException as error:  # noqa: BLE001 - raised where it is taken
            self._error = error

    def take(self, progress: Progress) -> Trace:
        """Wait for the trace; tells how far it is, stops with ``progress``, raises what reading raised."""
        while self._thread.is_alive():
            try:
                progress.report(*self._stage)
            except Cancelled:
                self.cancel()
                raise
            self._thread.join(LOOK_S)
        if self._error is not None:
            raise self._error
        assert self._trace is not None
        trace, self._trace = self._trace, None
        return trace

    def cancel(self) -> None:
        """Nobody wants it any longer."""
        self._progress.cancel()
