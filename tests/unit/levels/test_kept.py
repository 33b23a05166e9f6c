"""Levels in the cache are the ones that were made, and never those of other slices."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from hlprof_core.io import cache
from hlprof_core.io.later import later
from hlprof_core.io.open import open_trace
from hlprof_core.io.writers import write_trace
from hlprof_core.levels import kept
from hlprof_core.levels.pyramid import Pyramid, build_levels
from hlprof_core.trace.model import Trace
from tests.synthetic import busy_trace


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A trace in a file, a cache of its own, and every trace large enough to be worthwhile."""
    monkeypatch.setattr(cache, "directory", lambda: tmp_path / "cache")
    monkeypatch.setattr(kept, "WORTHWHILE", 1)
    path = tmp_path / "trace.json"
    write_trace(busy_trace(20_000), path)
    yield path
    later.finish()  # before the cache is another one


def same(a: Pyramid, b: Pyramid) -> bool:
    return len(a.levels) == len(b.levels) and all(
        x.shift == y.shift and np.array_equal(x.offsets, y.offsets) and all(map(np.array_equal, x.columns, y.columns))
        for x, y in zip(a.levels, b.levels, strict=True)
    )


def test_they_come_back_as_they_were_made(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = kept.open_levels(open_trace(file))
    later.finish()
    monkeypatch.setattr(kept, "build_levels", lambda *_: pytest.fail("made anew"))
    again = open_trace(file)
    levels = kept.open_levels(again)
    assert levels.trace is again
    assert len(made.slices.levels) > 2
    assert same(levels.slices, made.slices)


def keep_levels_of(trace: Trace) -> None:
    kept.open_levels(trace)
    later.finish()


def test_a_file_that_changed_has_levels_of_its_own(file: Path) -> None:
    keep_levels_of(open_trace(file))
    write_trace(busy_trace(21_000), file)
    trace = open_trace(file)
    assert same(kept.open_levels(trace).slices, build_levels(trace).slices)


def test_a_trace_that_was_read_before_the_file_changed_takes_none_of_the_new_ones(file: Path) -> None:
    old = open_trace(file)
    write_trace(busy_trace(21_000), file)
    keep_levels_of(open_trace(file))
    assert same(kept.open_levels(old).slices, build_levels(old).slices)


@pytest.mark.parametrize("change", ["cut", "flipped", "gone"])
def test_damage_costs_time_only(file: Path, change: str) -> None:
    trace = open_trace(file)
    keep_levels_of(trace)
    (held,) = (file.parent / "cache").glob("*.levels.*")
    data = bytearray(held.read_bytes())
    held.unlink()
    if change == "cut":
        held.write_bytes(data[: len(data) // 2])
    elif change == "flipped":
        data[-100] ^= 0xFF
        held.write_bytes(data)
    assert same(kept.open_levels(trace).slices, build_levels(trace).slices)


def test_arrays_that_name_other_slices_are_not_taken(file: Path) -> None:
    trace = open_trace(file)
    arrays = kept._arrays(build_levels(trace).slices)
    arrays["0.longest"] = arrays["0.longest"] + np.uint32(len(trace.slices))
    cache.store_beside(trace, kept.NAME, arrays)
    later.finish()
    assert same(kept.open_levels(trace).slices, build_levels(trace).slices)


def test_small_traces_leave_nothing_behind(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "WORTHWHILE", 1_000_000)
    keep_levels_of(open_trace(file))
    assert not list((file.parent / "cache").glob("*.levels.*"))
