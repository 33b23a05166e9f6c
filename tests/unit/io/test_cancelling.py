"""Whoever opens a trace can change their mind at any moment: the opening ends, and nothing of it is left."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hlprof_core.errors import Cancelled
from hlprof_core.io import cache, spill
from hlprof_core.io.open import open_trace
from hlprof_core.levels.pyramid import build_levels
from hlprof_core.progress import Progress
from hlprof_core.trace import completion

EVENTS = 3_000


def some_of_everything() -> Iterator[dict[str, Any]]:
    for i in range(EVENTS // 6):
        row = {"pid": i % 3, "tid": i % 7, "ts": 10 * i, "name": f"n{i % 11}", "id": i}
        yield {"ph": "X", "dur": 9, "args": {"i": i}, **row}
        yield {"ph": "s" if i % 2 else "f", **row}
        yield {"ph": "b" if i % 2 else "e", **row, "cat": "c", "id": i // 2}
        yield {"ph": "C", "args": {"v": i}, **row}
        yield {"ph": "i", **row}
        yield {"ph": "M", "name": "thread_name", "pid": i % 3, "tid": i % 7, "args": {"name": "t"}}


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cancel") / "t.json"
    path.write_text(json.dumps(list(some_of_everything())))
    return path


def left_overs() -> list[Path]:
    folders = spill.text_directory(), cache.directory()
    return [file for folder in folders if folder.is_dir() for file in folder.iterdir() if "tmp" in file.name or "columns" in file.name]


def open_and_cancel(path: Path, at: int) -> tuple[int, bool]:
    """Cancel at the report of that number; how many reports came, and whether the opening ended with them."""
    seen = 0

    def listen(stage: str, done: int, total: int) -> None:
        nonlocal seen
        seen += 1
        if seen == at:
            progress.cancel()

    progress = Progress(listen)
    try:
        open_trace(path, progress)
    except Cancelled:
        return seen, True
    return seen, False


@pytest.mark.parametrize("packed", [False, True])
def test_a_cancel_at_any_report_ends_the_opening_and_leaves_nothing(
    plain: Path, tmp_path: Path, packed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for small in ("io.readers.chrome_json.SMALL", "trace.completion.SMALL"):
        monkeypatch.setattr(f"hlprof_core.{small}", 0)
    monkeypatch.setattr("hlprof_core.trace.pieces.PIECE", 200)
    monkeypatch.setattr("hlprof_core.trace.survey.PIECE", 500)
    path = tmp_path / "t.json.gz" if packed else plain
    if packed:
        path.write_bytes(gzip.compress(plain.read_bytes(), 1))
    reports = len(reports_of(path))
    assert reports > 12
    before, files = threading.active_count(), left_overs()
    tried = 0
    for at in range(1, reports + 1):
        seen, cancelled = open_and_cancel(path, at)
        if not cancelled:  # this time it came through with fewer reports
            assert seen < at
            break
        tried += 1
        assert seen == at, f"{seen - at} reports after the cancel"
        assert threading.active_count() == before
        assert left_overs() == files
    assert tried > reports // 2


def reports_of(path: Path) -> list[tuple[str, int, int]]:
    seen: list[tuple[str, int, int]] = []
    open_trace(path, Progress(lambda *report: seen.append(report)), use_cache=False)
    return seen


def test_each_step_is_reported_and_done_never_falls(plain: Path) -> None:
    seen = [report for report in reports_of(plain) if report[0] == "layout"]
    done = [report[1] for report in seen]
    assert done == sorted(done)
    assert done[-1] == seen[-1][2]
    assert all(0 <= report[1] <= report[2] for report in seen)


def test_small_traces_need_no_threads(plain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What they cost is the start of a thread; the tables are the same."""
    monkeypatch.setattr(completion, "SMALL", 1 << 60)
    alone = open_trace(plain, use_cache=False)
    monkeypatch.setattr(completion, "SMALL", 0)
    together = open_trace(plain, use_cache=False)
    assert alone.slices.start_ns.tolist() == together.slices.start_ns.tolist()
    assert alone.flows.to_slice.tolist() == together.flows.to_slice.tolist()


def test_levels_are_cancelled_too(plain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hlprof_core.levels.pyramid.SMALL", 0)
    trace = open_trace(plain, use_cache=False)
    seen: list[int] = []

    def listen(stage: str, done: int, total: int) -> None:
        seen.append(done)
        if len(seen) == 3:
            progress.cancel()

    progress = Progress(listen)
    before = threading.active_count()
    with pytest.raises(Cancelled):
        build_levels(trace, progress)
    assert len(seen) == 3
    assert threading.active_count() == before
