"""Long work off the GUI thread: progress, cancel, results and errors delivered back to the GUI thread, stale ones dropped."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from hlprof_core.errors import Cancelled, HlprofError
from hlprof_core.progress import Progress
from hlprof_gui.garbage import GarbageCollector
from hlprof_gui.notify import Notifier, safe

POLL_MS = 40
"""How often the window looks at the progress of running work."""
UNASKED = frozenset(("report", "steps", "argument keys", "statistics.index"))
"""Keys of work that nobody waits for: it has threads of its own, so that what the user asks for never waits behind it."""


class Job:
    """One piece of running work; ``key`` names the place its result goes to (a newer job of the same key replaces it)."""

    def __init__(self, key: str, title: str, done: Callable[[Any], None], failed: Callable[[HlprofError], None] | None) -> None:
        self.key = key
        self.title = title
        self.done = done
        self.failed = failed
        self.part: Callable[[Any], None] | None = None
        self.started = time.monotonic()
        self.stage = ""
        self.share = -1.0
        """Finished share of the stage, -1 when unknown."""
        self.progress = Progress(self._listen)

    def _listen(self, stage: str, done: int, total: int) -> None:
        # Runs in the working thread: two plain attribute writes, read by the GUI's poll.
        self.stage = stage
        self.share = done / total if total > 0 else -1.0

    def cancel(self) -> None:
        """Ask the work to stop; its result will not be delivered."""
        self.progress.cancel()

    @property
    def is_cancelled(self) -> bool:
        return self.progress.is_cancelled


class JobRunner(QObject):
    """Runs jobs in worker threads. ``work(progress)`` returns the result; ``done`` and ``failed`` run in the GUI thread."""

    job_started = Signal(object)
    job_moved = Signal(object)
    """A running job has news in ``stage`` and ``share``."""
    job_ended = Signal(object)
    _finished = Signal(object, object, object)
    _part_ready = Signal(object, object)

    def __init__(self, notifier: Notifier, parent: QObject | None = None, *, threads: int = 3) -> None:
        super().__init__(parent)
        GarbageCollector.install()
        self._notifier = notifier
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="hlprof-job")
        self._spare_pool = ThreadPoolExecutor(2, thread_name_prefix="hlprof-job-unasked")
        self._jobs: dict[str, Job] = {}
        self._closed = False
        self._timer = QTimer(self)
        self._timer.setInterval(POLL_MS)
        self._timer.timeout.connect(self._poll)
        self._finished.connect(self._deliver)
        self._part_ready.connect(self._deliver_part)

    def start(
        self,
        key: str,
        title: str,
        work: Callable[[Progress], Any],
        done: Callable[[Any], None],
        failed: Callable[[HlprofError], None] | None = None,
    ) -> Job:
        """Run ``work``; without ``failed`` a known error goes to the message bar. A running job of the same key is cancelled."""
        return self._launch(Job(key, title, done, failed), work)

    def start_streaming(
        self,
        key: str,
        title: str,
        work: Callable[[Progress, Callable[[Any], None]], Any],
        part: Callable[[Any], None],
        done: Callable[[Any], None],
        failed: Callable[[HlprofError], None] | None = None,
    ) -> Job:
        """Like ``start`` for work that hands over partial results by calling its second argument."""
        job = Job(key, title, done, failed)
        job.part = part
        return self._launch(job, lambda progress: work(progress, lambda result: self._part_ready.emit(job, result)))

    def _launch(self, job: Job, work: Callable[[Progress], Any]) -> Job:
        self.cancel(job.key)
        if self._closed:  # the last signals of a window that closes
            job.cancel()
            return job
        self._jobs[job.key] = job
        self._timer.start()
        self.job_started.emit(job)
        (self._spare_pool if job.key in UNASKED else self._pool).submit(self._work, job, work)
        return job

    def _work(self, job: Job, work: Callable[[Progress], Any]) -> None:
        result: Any = None
        error: BaseException | None = None
        try:
            job.progress.check()
            result = work(job.progress)
        except Exception as problem:  # noqa: BLE001 - carried to the GUI thread, which shows or reports it
            error = problem
        if not self._closed:
            self._finished.emit(job, result, error)

    @Slot(object, object, object)
    @safe
    def _deliver(self, job: Job, result: Any, error: BaseException | None) -> None:
        if self._jobs.get(job.key) is not job:
            return  # cancelled or replaced: that was told when it happened
        del self._jobs[job.key]
        if not self._jobs:
            self._timer.stop()
        self.job_ended.emit(job)
        if job.is_cancelled or isinstance(error, Cancelled):
            return
        if error is None:
            job.done(result)
        elif isinstance(error, HlprofError) and job.failed is not None:
            job.failed(error)
        else:
            self._notifier.handle(type(error), error, error.__traceback__)

    @Slot(object, object)
    @safe
    def _deliver_part(self, job: Job, result: Any) -> None:
        if self._jobs.get(job.key) is job and not job.is_cancelled and job.part is not None:
            job.part(result)

    @safe
    def _poll(self) -> None:
        for job in list(self._jobs.values()):
            self.job_moved.emit(job)

    def cancel(self, key: str) -> None:
        """Stop the running job of that key, if any; it ends without delivering."""
        job = self._jobs.pop(key, None)
        if job is not None:
            job.cancel()
            self.job_ended.emit(job)
        if not self._jobs:
            self._timer.stop()

    def running(self) -> list[Job]:
        return list(self._jobs.values())

    @property
    def is_idle(self) -> bool:
        return not self._jobs

    def close(self) -> None:
        """Cancel everything and wait for the threads to end."""
        self._closed = True
        for job in self._jobs.values():
            job.cancel()
        self._jobs.clear()
        self._timer.stop()
        for pool in (self._pool, self._spare_pool):
            pool.shutdown(wait=True, cancel_futures=True)
