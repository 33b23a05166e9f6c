"""Jobs: results and errors reach the GUI thread, stale ones do not, threads end."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from hlprof_core.errors import HlprofError, TraceError
from hlprof_core.progress import Progress
from hlprof_gui.jobs import UNASKED, JobRunner
from hlprof_gui.notify import Message, Notifier


@pytest.fixture
def notifier() -> Notifier:
    return Notifier()


@pytest.fixture
def jobs(qapp: Any, notifier: Notifier) -> Iterator[JobRunner]:
    runner = JobRunner(notifier)
    yield runner
    runner.close()


def idle(qtbot: QtBot, jobs: JobRunner) -> None:
    qtbot.waitUntil(lambda: jobs.is_idle, timeout=10_000)


def test_a_result_arrives_in_the_gui_thread(jobs: JobRunner, qtbot: QtBot) -> None:
    got: list[Any] = []
    jobs.start("a", "A", lambda p: threading.current_thread().name, lambda r: got.append((r, threading.current_thread())))
    idle(qtbot, jobs)
    assert got[0][0].startswith("hlprof-job")
    assert got[0][1] is threading.main_thread()


def test_errors_go_to_their_handler_or_to_the_bar(jobs: JobRunner, qtbot: QtBot, notifier: Notifier) -> None:
    messages: list[Message] = []
    faults: list[Any] = []
    handled: list[HlprofError] = []
    notifier.message_posted.connect(messages.append)
    notifier.fault_found.connect(lambda kind, error, trace: faults.append(error))

    def fail(error: Exception) -> Any:
        def work(progress: Progress) -> None:
            raise error

        return work

    jobs.start("a", "A", fail(TraceError("x: broken.", hint="Record again.")), lambda r: None)
    jobs.start("b", "B", fail(TraceError("y")), lambda r: None, handled.append)
    jobs.start("c", "C", fail(ZeroDivisionError("defect")), lambda r: None, handled.append)
    idle(qtbot, jobs)
    assert messages == [Message("x: broken.", "Record again.", "error")]
    assert [str(e) for e in handled] == ["y"]
    assert isinstance(faults[0], ZeroDivisionError)


def test_a_newer_job_of_the_same_key_wins(jobs: JobRunner, qtbot: QtBot) -> None:
    got: list[str] = []
    gate = threading.Event()

    def slow(progress: Progress) -> str:
        gate.wait(3)
        return "old"

    jobs.start("a", "A", slow, got.append)
    jobs.start("a", "A", lambda p: "new", got.append)
    gate.set()
    qtbot.waitUntil(lambda: got == ["new"], timeout=10_000)
    qtbot.wait(30)
    assert got == ["new"]


def test_progress_is_seen_and_cancel_stops(jobs: JobRunner, qtbot: QtBot) -> None:
    seen: list[tuple[str, float]] = []
    ended: list[Any] = []
    got: list[Any] = []
    stopped = threading.Event()
    jobs.job_moved.connect(lambda job: seen.append((job.stage, job.share)))
    jobs.job_ended.connect(ended.append)

    def work(progress: Progress) -> None:
        try:
            while True:
                progress.report("reading", 1, 2)
                threading.Event().wait(0.001)
        finally:
            stopped.set()

    jobs.start("a", "A", work, got.append)
    qtbot.waitUntil(lambda: ("reading", 0.5) in seen, timeout=10_000)
    jobs.cancel("a")
    assert stopped.wait(3)
    qtbot.wait(20)
    assert (got, len(ended)) == ([], 1)


def test_partial_results_stream(jobs: JobRunner, qtbot: QtBot) -> None:
    parts: list[int] = []

    def work(progress: Progress, give: Any) -> str:
        for i in range(5):
            give(i)
        return "end"

    done: list[str] = []
    jobs.start_streaming("a", "A", work, parts.append, done.append)
    idle(qtbot, jobs)
    assert (parts, done) == ([0, 1, 2, 3, 4], ["end"])


def test_closing_leaves_no_thread(qapp: Any, notifier: Notifier) -> None:
    runner = JobRunner(notifier)
    runner.start("a", "A", lambda p: [p.check() for _ in iter(int, 1)], lambda r: None)
    runner.close()
    assert not [t for t in threading.enumerate() if t.name.startswith("hlprof-job")]


class Loop(QObject):
    """Garbage that only the cyclic collector finds."""

    def __init__(self) -> None:
        super().__init__()
        self.me = self


def test_objects_of_qt_end_in_the_gui_thread(jobs: JobRunner, qtbot: QtBot) -> None:
    ended: list[threading.Thread] = []
    watched = [weakref.ref(loop, lambda _: ended.append(threading.current_thread())) for loop in (Loop(), Loop())]

    def work(_progress: Progress) -> int:
        return len([[number] for number in range(1_000_000)])  # enough for Python to collect all generations, where it may

    jobs.start("a", "A", work, lambda _: None)
    idle(qtbot, jobs)
    made: list[list[int]] = []

    def is_collected() -> bool:
        made.extend([number] for number in range(1000))
        return len(ended) == len(watched)

    qtbot.waitUntil(is_collected, timeout=10_000)
    assert set(ended) == {threading.main_thread()}


def test_what_the_user_asks_for_waits_for_nothing_unasked(jobs: JobRunner, qtbot: QtBot) -> None:
    go_on = threading.Event()
    for key in sorted(UNASKED):
        jobs.start(key, key, lambda p: go_on.wait(5), lambda _: None)
    got: list[str] = []
    jobs.start("filter", "Filtering", lambda p: "found", got.append)
    qtbot.waitUntil(lambda: got == ["found"], timeout=10_000)
    assert {job.key for job in jobs.running()} == UNASKED
    go_on.set()
    idle(qtbot, jobs)
