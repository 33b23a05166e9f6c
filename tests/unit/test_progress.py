"""Threads that are followed while they work, and stopped when nobody wants them."""

from __future__ import annotations

import threading
import time

import pytest

from hlprof_core.errors import Cancelled
from hlprof_core.progress import Progress, Watch, run_watched


def test_results_come_in_the_order_of_the_jobs() -> None:
    def job(number: int) -> int:
        time.sleep(0.01 * (3 - number))
        return number

    assert run_watched([lambda n=n: job(n) for n in range(3)], lambda: None, Watch(), 3) == [0, 1, 2]  # type: ignore[misc]


def test_a_cancel_stops_the_jobs_and_leaves_no_thread() -> None:
    progress, watch = Progress(), Watch()
    before = threading.active_count()
    begun = threading.Event()

    def job() -> None:
        begun.set()
        while True:
            watch.check()
            time.sleep(0.001)

    def report() -> None:
        if begun.is_set():
            progress.cancel()
        progress.report("work", watch.done, 10)

    with pytest.raises(Cancelled):
        run_watched([job, job, job], report, watch, 2)
    assert threading.active_count() == before


def test_the_failure_of_one_job_ends_all() -> None:
    watch = Watch()

    def broken() -> None:
        raise ValueError("no")

    def endless() -> None:
        while not watch.cells[0]:
            time.sleep(0.001)

    with pytest.raises(ValueError, match="no"):
        run_watched([endless, broken], lambda: None, watch, 2)


def test_reports_come_while_a_job_is_silent() -> None:
    reports: list[float] = []
    heard = threading.Event()

    def report() -> None:
        reports.append(time.perf_counter())
        if len(reports) >= 3:
            heard.set()

    assert run_watched([lambda: heard.wait(20)], report, Watch(), 1) == [True]
