"""The pyramid against the obvious way to merge slices, and what must hold for every level."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hlprof_core._kernels import levels as kernel
from hlprof_core.levels.pyramid import build_pyramid

Lane = list[tuple[int, int]]


@st.composite
def lanes(draw: st.DrawFn) -> list[Lane]:
    """Lanes of (start, length) in order and without overlap; some empty, some of zero length, times negative too."""
    made = []
    for _ in range(draw(st.integers(1, 4))):
        time = draw(st.integers(-(10**9), 10**9))
        lane = []
        for gap, length in draw(st.lists(st.tuples(st.integers(0, 300), st.integers(0, 400)), max_size=60)):
            lane.append((time + gap, length))
            time += gap + length
        made.append(lane)
    return made


def columns(made: list[Lane]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    flat = [s for lane in made for s in lane]
    offsets = np.cumsum([0] + [len(lane) for lane in made])
    return np.array([s[0] for s in flat], np.int64), np.array([s[1] for s in flat], np.int64), offsets.astype(np.int64)


def merged(made: list[Lane], shift: int) -> list[list[tuple[int, int, int, int, int, int]]]:
    """Runs of each lane: start, length, busy, longest length, longest slice, first slice."""
    result, row = [], 0
    for lane in made:
        runs: dict[int, list[int]] = {}
        for i, (start, _) in enumerate(lane):
            runs.setdefault(start >> shift, []).append(i)
        out = []
        for members in runs.values():
            start = lane[members[0]][0]
            end = max(lane[i][0] + lane[i][1] for i in members)
            longest = max(members, key=lambda i: (lane[i][1], -i))
            out.append((start, end - start, sum(lane[i][1] for i in members), lane[longest][1], row + longest, row + members[0]))
        result.append(out)
        row += len(lane)
    return result


@settings(max_examples=80, deadline=None)
@given(lanes(), st.integers(0, 12))
def test_a_level_is_what_merging_by_hand_gives(made: list[Lane], shift: int) -> None:
    start, length, offsets = columns(made)
    counts = np.zeros(len(made), np.int64)
    kernel.count_runs(start, offsets, 0, len(made), shift, counts)
    expected = merged(made, shift)
    assert counts.tolist() == [len(lane) for lane in expected]
    out_offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    n = int(out_offsets[-1])
    out = tuple(np.zeros(n, kind) for kind in (np.int64, np.int64, np.float32, np.float32, np.uint32, np.uint32))
    kernel.merge_runs(start, length, offsets, None, None, None, None, out_offsets, *out, 0, len(made), shift)
    assert list(zip(*(c.tolist() for c in out), strict=True)) == [run for lane in expected for run in lane]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(300, 3000), st.integers(1, 5))
def test_levels_keep_sums_and_shrink(seed: int, rows: int, lane_count: int) -> None:
    rng = np.random.default_rng(seed)
    starts, lengths, offsets = [], [], [0]
    for _ in range(lane_count):
        length = rng.integers(0, 50, rows)
        start = np.cumsum(rng.integers(0, 200, rows) + np.concatenate(([0], length[:-1])))
        starts.append(start)
        lengths.append(length)
        offsets.append(offsets[-1] + rows)
    start, length = np.concatenate(starts), np.concatenate(lengths)
    pyramid = build_pyramid(start, length, np.array(offsets, np.int64))
    assert len(pyramid.levels) > 1
    assert pyramid.size_bytes <= 24 * len(start)
    for finer, level in zip(pyramid.levels, pyramid.levels[1:], strict=False):
        assert len(level) < len(finer)
        assert level.busy_ns is not None
        assert level.longest is not None
        assert level.longest_ns is not None
        assert level.first is not None
        for lane in range(lane_count):
            a, b = level.offsets[lane : lane + 2]
            x, y = offsets[lane : lane + 2]
            assert level.busy_ns[a:b].sum() == pytest.approx(length[x:y].sum())
            assert level.first[a] == x
            assert (level.start_ns[a + 1 : b] >= level.start_ns[a : b - 1] + level.length_ns[a : b - 1]).all()
        assert (length[level.longest] == level.longest_ns).all()
        assert (start[level.first] == level.start_ns).all()


def test_many_threads_give_the_same_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    length = rng.integers(0, 90, 40_000)
    start = np.cumsum(rng.integers(0, 100, 40_000) + length)
    offsets = np.array([0, 10_000, 10_000, 25_000, 40_000], np.int64)
    one = build_pyramid(start, length // 2, offsets)
    monkeypatch.setattr("hlprof_core.levels.pyramid.SMALL", 10)
    monkeypatch.setattr("os.cpu_count", lambda: 3)
    many = build_pyramid(start, length // 2, offsets)
    assert [level.shift for level in one.levels] == [level.shift for level in many.levels]
    for a, b in zip(one.levels[1:], many.levels[1:], strict=True):
        for left, right in zip(a.columns, b.columns, strict=True):
            assert np.array_equal(left, right)


def test_wrong_sizes_are_refused() -> None:
    start, offsets = np.zeros(3, np.int64), np.array([0, 4], np.int64)
    with pytest.raises(ValueError, match="count_runs"):
        kernel.count_runs(start, offsets, 0, 1, 3, np.zeros(1, np.int64))
    with pytest.raises(ValueError, match="rise"):
        kernel.count_runs(start, np.array([0, 2, 1], np.int64), 0, 2, 3, np.zeros(2, np.int64))
    with pytest.raises(TypeError, match="8 bytes"):
        kernel.count_runs(start.astype(np.int32), np.array([0, 3], np.int64), 0, 1, 3, np.zeros(1, np.int64))
    good = np.array([0, 3], np.int64)
    out = (np.zeros(1, np.int64), np.zeros(1, np.int64), *(np.zeros(1, np.float32),) * 2, *(np.zeros(1, np.uint32),) * 2)
    spread = np.array([0, 100, 200], np.int64)
    with pytest.raises(ValueError, match="out_offsets"):
        kernel.merge_runs(spread, start, good, None, None, None, None, np.array([0, 1], np.int64), *out, 0, 1, 2)


def test_empty_inputs_make_a_pyramid_of_one_level() -> None:
    empty = np.empty(0, np.int64)
    assert len(build_pyramid(empty, empty, np.zeros(1, np.int64)).levels) == 1
    assert len(build_pyramid(empty, empty, np.zeros(4, np.int64)).levels) == 1


def test_names_that_differ_in_digits_share_a_hash() -> None:
    texts = [b"", b"gemm_1", b"gemm_27", b"relu", b"42"]
    offsets = np.concatenate(([0], np.cumsum([len(t) for t in texts]))).astype(np.int64)
    out = np.zeros(len(texts), np.uint32)
    kernel.hash_names(b"".join(texts), offsets, out)
    assert out[1] == out[2] != out[3]
    assert out[0] == out[4]
