"""The cache of opened traces: the same trace in a blink, and never another one."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from hlprof_core.io import cache
from hlprof_core.io.bounded_folder import prune_folder
from hlprof_core.io.open import open_trace
from hlprof_core.io.writers import write_trace
from hlprof_core.trace.builder import TraceBuilder
from hlprof_core.trace.model import Origin, Trace
from tests.drawing import describe


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    build = TraceBuilder()
    build.process(1, "TPC", labels=("accel0",), sort_index=3)
    build.slice(1, 1, 0, 10, "a", args={"x": 1})
    build.begin(1, 1, 20, "b", args={"y": 1})
    build.end(1, 1, 25, "b", args={"z": 2})
    build.begin(1, 1, 30, "open")
    build.instant(1, 1, 5, "mark", args={"m": 1})
    build.counter(1, 3, "c", {"v": 1.5})
    build.flow("s", 1, 1, 0, 1)
    build.flow("f", 1, 1, 20, 1)
    target = tmp_path / "t.json"
    write_trace(build.finish(Origin("test", base_ns=5, properties={"k": [1]})), target)
    return target


def same(a: Trace, b: Trace) -> bool:
    tables = all(
        np.array_equal(getattr(getattr(a, table), f), getattr(getattr(b, table), f))
        for table, kind in cache.TABLES.items()
        for f in kind.__struct_fields__
    )
    plain = ("processes", "tracks", "series", "diagnostics", "extent")
    return tables and all(getattr(a, name) == getattr(b, name) for name in plain) and list(a.strings) == list(b.strings)


def test_the_second_opening_is_the_same_trace(path: Path) -> None:
    first = open_trace(path)
    second = cache.load(path)
    assert second is not None
    assert same(first, second)
    assert second.origin == first.origin
    assert [second.args(i) for i in range(3)] == [{"x": 1}, {"y": 1, "z": 2}, {}]
    assert second.instant_args(0) == {"m": 1}
    assert not second.slices.start_ns.flags.writeable


@pytest.mark.parametrize("suffix", [".json.gz", ".csv", ".hltv"])
def test_arguments_are_found_again_whatever_the_packing(path: Path, suffix: str) -> None:
    packed = path.with_name(f"p{suffix}")
    write_trace(open_trace(path), packed)
    first = open_trace(packed)
    second = cache.load(packed)
    assert second is not None
    assert same(first, second)
    assert [first.args(i) for i in range(len(first.slices))] == [second.args(i) for i in range(len(second.slices))]


def test_a_changed_file_is_read_again(path: Path) -> None:
    open_trace(path)
    status = path.stat()
    path.write_text(path.read_text().replace('"name":"a"', '"name":"A"'))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert cache.load(path) is None
    assert describe(open_trace(path))[0].endswith(" A")
    os.utime(path, ns=(1, 1))
    assert cache.load(path) is None


def test_every_damage_counts_as_absent(path: Path) -> None:
    first = open_trace(path)
    (file,) = cache.directory().glob("*.columns")
    good = file.read_bytes()
    for at in range(0, len(good), 7):
        file.write_bytes(good[:at] + bytes([good[at] ^ 0x55]) + good[at + 1 :])
        known = cache.load(path)
        assert known is None or same(known, first)  # padding carries nothing
    for size in (0, 5, 20, len(good) // 2, len(good) - 1):
        file.write_bytes(good[:size])
        assert cache.load(path) is None
    assert same(open_trace(path), first)
    assert cache.load(path) is not None


def test_another_version_and_other_paths_do_not_count(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_trace(path)
    monkeypatch.setattr(cache, "VERSION", cache.VERSION + 1)
    assert cache.load(path) is None
    monkeypatch.undo()
    assert cache.load(path.with_name("other.json")) is None


def test_the_store_is_bounded_and_the_last_one_used_stays(path: Path) -> None:
    for number in range(3):
        copy = path.with_name(f"{number}.json")
        copy.write_bytes(path.read_bytes())
        open_trace(copy)
        entries = list(cache.directory().glob("*.columns"))
        for entry in entries:
            os.utime(entry, ns=(entry.stat().st_mtime_ns - 10**9, entry.stat().st_mtime_ns - 10**9))
    assert cache.load(path.with_name("0.json")) is not None  # the oldest becomes the youngest
    prune_folder(cache.directory(), "*.columns", 1)
    assert len(list(cache.directory().glob("*.columns"))) == 1
    assert cache.load(path.with_name("0.json")) is not None


def test_a_cache_that_cannot_be_written_costs_nothing_but_time(path: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    trace = open_trace(path)
    assert len(trace.slices) == 3
    assert not cache.store(trace)


def test_a_trace_without_a_file_is_not_kept(tmp_path: Path) -> None:
    assert not cache.store(TraceBuilder().finish(Origin("test")))
    empty = tmp_path / "empty.json"
    empty.write_text(json.dumps({"traceEvents": []}))
    open_trace(empty)
    assert cache.load(empty) is not None
