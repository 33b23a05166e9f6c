"""A budget of memory: the same trace, with the columns beyond it in files."""

from __future__ import annotations

import importlib
import threading
from pathlib import Path

import click
import numpy as np
import pytest

from hlprof_core._kernels import budget
from hlprof_core.cli.commands import COMMANDS
from hlprof_core.errors import TraceError, UsageError
from hlprof_core.io import cache
from hlprof_core.io.memory_budget import VARIABLE, budget_of, columns_directory, columns_within, set_default_budget
from hlprof_core.io.open import open_trace
from hlprof_core.progress import Progress, Watch, run_watched
from hlprof_core.trace.memory import new_column
from hlprof_core.trace.model import Trace
from hlprof_core.units import parse_size

MIB = 1 << 20


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv(VARIABLE, raising=False)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("budget") / "t.json"
    event = '{"ph":"%s","name":"n%d","cat":"c","pid":1,"tid":%d,"ts":%d,"dur":3,"args":{"k":%d}}'
    target.write_text("[" + ",\n".join(event % ("XXXi"[i % 4], i % 50, i % 5, i * 2, i) for i in range(100_000)) + "]")
    return target


def same(a: Trace, b: Trace) -> bool:
    return all(
        np.array_equal(getattr(getattr(a, table), f), getattr(getattr(b, table), f))
        for table, kind in cache.TABLES.items()
        for f in kind.__struct_fields__
    )


@pytest.mark.parametrize("use_cache", [False, True])
@pytest.mark.parametrize("limit", [0, 2 * MIB])
def test_the_same_trace_from_files(path: Path, use_cache: bool, limit: int) -> None:
    before = budget.usage()
    highest = [0, 0]

    def listen(*_: object) -> None:
        for i, (now, then) in enumerate(zip(budget.usage(), before, strict=True)):
            highest[i] = max(highest[i], now - then)

    trace = open_trace(path, Progress(listen), use_cache, memory=limit)
    assert highest[0] <= limit
    assert highest[1] > 4 * MIB, "what the columns need while they are built"
    assert budget.usage()[0] - before[0] <= limit
    assert not list(columns_directory().iterdir()), "the files have no names"
    assert same(trace, open_trace(path, use_cache=False))
    assert trace.args(70_000) == {"k": int(trace.slices.start_ns[70_000]) // 2000}
    if use_cache:
        assert budget.usage()[1] == before[1], "mapped from the cache"
        assert list(cache.directory().glob("*.columns"))
    del trace
    assert budget.usage() == before


def test_a_large_budget_changes_nothing(path: Path) -> None:
    before = budget.usage()
    trace = open_trace(path, use_cache=False, memory="1G")
    assert budget.usage()[1] == before[1]
    assert len(trace.slices) == 75_000


def test_threads_of_the_opening_keep_within_it_and_nobody_else() -> None:
    before = budget.usage()[1]
    with columns_within(0):
        here = np.ones(MIB, np.uint8)
        beside = run_watched([lambda: new_column(MIB, np.uint8)], lambda: None, Watch(), 1)[0]
        other: list[object] = []
        thread = threading.Thread(target=lambda: other.append(np.ones(MIB, np.uint8)))
        thread.start()
        thread.join()
        assert budget.usage()[1] - before == 2 * MIB
    later = np.ones(MIB, np.uint8)
    assert budget.usage()[1] - before == 2 * MIB
    assert here.sum() == later.sum() == len(beside)
    here.resize(2 * MIB, refcheck=False)
    assert here.sum() == MIB
    assert not budget.in_force()
    here.resize(10, refcheck=False)
    assert here.tolist() == [1] * 10
    assert budget.usage()[1] - before == MIB
    del beside
    assert budget.usage()[1] == before


def test_without_a_folder_the_way_out_is_told(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(TraceError, match="XDG_CACHE_HOME"):
        open_trace(path, memory=MIB)
    assert len(open_trace(path).slices)


def test_without_a_place_on_disk_memory_is_used(tmp_path: Path) -> None:
    before = budget.usage()
    budget.set_budget(str(tmp_path / "absent"), 0)
    handler = budget.enter()
    try:
        array = np.zeros(MIB, np.uint8)
    finally:
        budget.leave(handler)
        budget.set_budget(None, 0)
    assert budget.usage()[1] == before[1]
    assert budget.usage()[0] >= before[0] + MIB
    assert not array.any()
    del array
    assert budget.usage() == before


@pytest.mark.parametrize(("text", "size"), [("0", 0), ("2G", 2 << 30), ("1.5 MiB", 3 << 19), ("7kb", 7 << 10), ("12B", 12)])
def test_sizes(text: str, size: int) -> None:
    assert parse_size(text, "x") == size


@pytest.mark.parametrize("text", ["", "2Q", "-1", "G", "1e9", "1 2"])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(UsageError, match="is no size"):
        parse_size(text, "x")


def test_where_the_default_comes_from(monkeypatch: pytest.MonkeyPatch) -> None:
    assert budget_of(None) is None
    monkeypatch.setenv(VARIABLE, "3M")
    assert budget_of(None) == 3 * MIB
    set_default_budget(5)
    try:
        assert budget_of(None) == 5
        assert budget_of("7K") == 7 << 10
        assert budget_of(0) == 0
    finally:
        set_default_budget(None)


@pytest.mark.parametrize("name", ["view", "info", "events", "report", "query", "convert", "render", "bench"])
def test_every_command_that_opens_traces_has_the_option(name: str) -> None:
    module, _, attribute = next(entry.target for entry in COMMANDS if entry.name == name).partition(":")
    command = getattr(importlib.import_module(module), attribute)
    if isinstance(command, click.Group):
        command = command.commands["open"]
    assert any(p.name == "memory" for p in command.params)
