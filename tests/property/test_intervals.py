"""Sets of time against a slow twin that paints every nanosecond."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hlprof_core.analysis import intervals
from hlprof_core.trace.ranges import TimeRange

FAR = 2**61
pieces = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 12)), max_size=25)
modest = settings(max_examples=100, deadline=None)


def painted(some: list[tuple[int, int]]) -> set[int]:
    return {t for start, length in some for t in range(start, start + length)}


def merged(some: list[tuple[int, int]], shift: int = 0) -> intervals.Intervals:
    start = np.array([s for s, _ in some], np.int64) + shift
    return intervals.merge(start, start + np.array([n for _, n in some], np.int64))


def times(some: intervals.Intervals) -> set[int]:
    return {t for start, end in some.to_list() for t in range(start, end)}


def assert_well_formed(some: intervals.Intervals) -> None:
    assert (some.end_ns > some.start_ns).all()
    assert (some.start_ns[1:] > some.end_ns[:-1]).all()
    assert some.start_ns.dtype == some.end_ns.dtype == np.int64


@modest
@given(pieces)
def test_merge_covers_the_same_time(some: list[tuple[int, int]]) -> None:
    result = merged(some)
    assert_well_formed(result)
    assert times(result) == painted(some)
    assert result.length_ns == len(painted(some))


@modest
@given(pieces, pieces)
def test_set_algebra(a: list[tuple[int, int]], b: list[tuple[int, int]]) -> None:
    left, right = merged(a), merged(b)
    for result, expected in (
        (intervals.intersection(left, right), painted(a) & painted(b)),
        (intervals.union(left, right), painted(a) | painted(b)),
        (intervals.difference(left, right), painted(a) - painted(b)),
    ):
        assert_well_formed(result)
        assert times(result) == expected


@modest
@given(pieces, st.integers(-5, 70), st.integers(0, 40))
def test_gaps_and_clip_share_a_stretch(some: list[tuple[int, int]], start: int, length: int) -> None:
    stretch = TimeRange(start, start + length)
    inside = set(range(start, start + length))
    assert times(intervals.clip(merged(some), stretch)) == painted(some) & inside
    assert times(intervals.gaps(merged(some), stretch)) == inside - painted(some)


@modest
@given(pieces)
def test_exact_far_from_zero(some: list[tuple[int, int]]) -> None:
    """A float would lose these nanoseconds."""
    result = merged(some, shift=FAR)
    assert {t - FAR for t in times(result)} == painted(some)


@modest
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 60), st.integers(0, 12)), max_size=30), st.sampled_from([0, FAR]))
def test_union_length_by_key(rows: list[tuple[int, int, int]], shift: int) -> None:
    key = np.array([k for k, _, _ in rows], np.int64)
    start = np.array([s for _, s, _ in rows], np.int64) + shift
    end = start + np.array([n for _, _, n in rows], np.int64)
    expected = [len(painted([(s, n) for k, s, n in rows if k == wanted])) for wanted in range(5)]
    assert intervals.union_length_by_key(key, start, end, 5).tolist() == expected


def test_union_length_by_key_of_an_enormous_span() -> None:
    """Keys times span exceed 64 bits, so the keys are taken one by one."""
    key = np.array([0, 1, 1], np.int64)
    start = np.array([0, 2**60, 2**60 + 1], np.int64)
    end = np.array([2**61, 2**60 + 5, 2**60 + 7], np.int64)
    assert intervals.union_length_by_key(key, start, end, 4).tolist() == [2**61, 7, 0, 0]


def test_touching_intervals_become_one() -> None:
    assert merged([(0, 5), (5, 5)]).to_list() == [(0, 10)]
