"""Reading while the window is made: the trace arrives, what fails arrives too, and nobody waits for what nobody wants."""

from __future__ import annotations

import gc
import threading
import weakref
from pathlib import Path
from typing import Any

import pytest

from hlprof_core.errors import Cancelled, TraceError
from hlprof_core.progress import Progress
from hlprof_gui import read_ahead
from hlprof_gui.read_ahead import ReadAhead
from tests.small_trace import small_trace


def test_the_trace_arrives_once_and_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    traces = [small_trace()]
    there = weakref.ref(traces[0])
    monkeypatch.setattr(read_ahead, "open_trace", lambda path, progress: traces.pop())
    ahead = ReadAhead(Path("t.json"))
    assert ahead.take(Progress()) is there()
    gc.collect()
    assert there() is None


def test_an_error_arrives_where_the_trace_is_taken(tmp_path: Path) -> None:
    ahead = ReadAhead(tmp_path / "missing.json")
    with pytest.raises(TraceError, match=r"missing\.json"):
        ahead.take(Progress())


@pytest.mark.parametrize("way", ["who takes it", "who began it"])
def test_cancelling_stops_the_reading(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, ended, told = threading.Event(), threading.Event(), []

    def read(path: Path, progress: Progress) -> Any:
        try:
            for done in range(10_000):
                progress.report("read", done, 10_000)
                begun.set()
                threading.Event().wait(0.002)
        finally:
            ended.set()

    monkeypatch.setattr(read_ahead, "open_trace", read)
    ahead = ReadAhead(Path("t.json"))
    begun.wait(10)
    taking = Progress(lambda stage, done, total: told.append((stage, total)) or taking.cancel())
    if way == "who began it":
        ahead.cancel()
    with pytest.raises(Cancelled):
        ahead.take(taking)
    assert ended.wait(10)
    assert told[:1] in ([], [("read", 10_000)])
