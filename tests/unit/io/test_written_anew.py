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
from hlprof_core.io.source import FileSource
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


def in_the_middle(file: Path) -> None:
    """Both ends and the length stay."""
    end = 64 << 10
    before, after = events(1).encode(), events(2).encode()
    assert len(before) == len(after) > 3 * end
    with file.open("r+b") as out:
        out.seek(end)
        out.write(after[end:-end])


def with_its_time_set_back(file: Path) -> None:
    status = file.stat()
    rewritten(file)
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


@pytest.mark.parametrize("change", [rewritten, longer, emptied, in_the_middle, with_its_time_set_back])
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


def linked(file: Path) -> None:
    file.with_suffix(".link").hardlink_to(file)
    file.chmod(0o600)


def copied_over(file: Path) -> None:
    """The same bytes written again."""
    file.write_bytes(file.read_bytes())


@pytest.mark.parametrize("change", [replaced, appended, Path.touch, Path.unlink, linked, copied_over])
def test_a_file_whose_bytes_are_still_there_is_read(opened: tuple[Path, Trace], change: Callable[[Path], None]) -> None:
    file, trace = opened
    change(file)
    assert trace.args(7) == {"run": 1, "i": 7}
    assert trace.args(COUNT - 1) == {"run": 1, "i": COUNT - 1}


def test_a_large_file_is_compared_at_places_all_over_it(tmp_path: Path) -> None:
    file = tmp_path / "large.bin"
    file.write_bytes(bytes(8 << 20))
    source = FileSource(file)
    source.hold()
    file.touch()
    assert source.read(5 << 20, 4) == bytes(4)
    with file.open("r+b") as out:
        out.seek(3 << 20)
        out.write(b"x" * (1 << 20))
    with pytest.raises(TraceError, match="changed since it was read"):
        source.read(0, 4)
