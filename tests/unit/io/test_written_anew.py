"""A file that is written anew while a trace of it is open: no argument is of other bytes than those that were read."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from hlprof_core.analysis.filter import filter_mask, read_filter
from hlprof_core.analysis.statistics import group_keys
from hlprof_core.errors import TraceError
from hlprof_core.io.open import open_trace
from hlprof_core.progress import Progress
from hlprof_core.trace.model import Trace

COUNT = 3000


def events(run: int) -> str:
    slices = [
        {"ph": "X", "name": f"op{i % 3}", "pid": 1, "tid": 1, "ts": i * 100, "dur": 50, "args": {"run": run, "i": i}} for i in range(COUNT)
    ]
    return json.dumps(slices)


@pytest.fixture(params=["read", "from the cache"])
def opened(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Trace]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    file = tmp_path / "run.json"
    file.write_text(events(1))
    trace = open_trace(file)
    if request.param == "from the cache":
        trace = open_trace(file)
    assert trace.args(7)["run"] == 1
    return file, trace


def rewritten(file: Path) -> None:
    file.write_text(events(2))


def longer(file: Path) -> None:
    file.write_text(events(20_000))


def emptied(file: Path) -> None:
    file.write_text("[]")


@pytest.mark.parametrize("change", [rewritten, longer, emptied])
def test_other_bytes_are_refused(opened: tuple[Path, Trace], change: Callable[[Path], None]) -> None:
    file, trace = opened
    change(file)
    with pytest.raises(TraceError, match=r"run\.json: changed since it was read\.") as told:
        trace.args(7)
    assert told.value.hint == "Reload it (F5)."


def test_what_is_seen_once_is_seen_for_good(opened: tuple[Path, Trace]) -> None:
    file, trace = opened
    status = file.stat()
    rewritten(file)
    with pytest.raises(TraceError):
        trace.args(7)
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    with pytest.raises(TraceError):
        trace.args(7)


def test_searches_and_statistics_fail(opened: tuple[Path, Trace]) -> None:
    file, trace = opened
    rewritten(file)
    with pytest.raises(TraceError, match="changed"):
        filter_mask(trace, read_filter("args.run=2"))
    with pytest.raises(TraceError, match="changed"):
        group_keys(trace, trace.slices.start_ns.argsort(), "args.run", Progress())


def replaced(file: Path) -> None:
    beside = file.with_suffix(".new")
    rewritten(beside)
    beside.replace(file)


def appended(file: Path) -> None:
    with file.open("a") as end:
        end.write(" " * 1000)


@pytest.mark.parametrize("change", [replaced, appended, Path.touch, Path.unlink])
def test_a_file_whose_bytes_are_still_there_is_read(opened: tuple[Path, Trace], change: Callable[[Path], None]) -> None:
    file, trace = opened
    change(file)
    assert trace.args(7) == {"run": 1, "i": 7}
    assert trace.args(COUNT - 1) == {"run": 1, "i": COUNT - 1}
