"""The ruler: round steps, readable labels, exact far from the start."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hlprof_core.trace.ranges import TimeRange
from hlprof_gui.timeline.ticks import anchor_text, build_ruler, decimal_time, nice_step


def labels(start: int, end: int, origin: int = 0, width: int = 1200) -> list[str]:
    return [t.label for t in build_ruler(TimeRange(start, end), origin, width).ticks]


@pytest.mark.parametrize(("ns", "step"), [(0.1, 1), (1, 1), (1.5, 2), (3, 5), (7, 10), (101, 200), (2001, 5000)])
def test_steps_are_round(ns: float, step: int) -> None:
    assert nice_step(ns) == step


def test_labels_have_one_unit_and_the_digits_they_need() -> None:
    assert labels(0, 1_000_000) == [f"{i / 10:.1f} ms" if i else "0.0 ms" for i in range(10)]
    assert labels(0, 100)[:3] == ["0 ns", "10 ns", "20 ns"]
    assert labels(5_000_000, 5_010_000)[0] == "5.000 ms"


def test_labels_count_from_the_start_of_the_trace() -> None:
    assert labels(1_000_000_000_000, 1_000_001_000_000, origin=1_000_000_000_000)[1] == "0.1 ms"


def test_far_from_the_start_labels_count_from_an_anchor() -> None:
    ruler = build_ruler(TimeRange(5_000_000_123, 5_000_000_223), 0, 1200)
    assert ruler.anchor_ns == 5_000_000_100
    assert [t.label for t in ruler.ticks][:2] == ["+30 ns", "+40 ns"]
    assert anchor_text(ruler.anchor_ns) == "5.000\u2009000\u20091 s"


def test_exact_times() -> None:
    assert decimal_time(1_234_567, 1_000_000, 3) == "1.234"
    assert decimal_time(-1_500, 1000, 1) == "-1.5"
    assert decimal_time(12_345_000, 1000, 0) == "12\u2009345"
    assert anchor_text(0) == "0 ns"
    assert anchor_text(2_000) == "2 µs"


@settings(max_examples=100, deadline=None)
@given(st.integers(-(10**12), 10**15), st.integers(10, 10**13), st.integers(-(10**12), 10**15), st.integers(100, 5000))
def test_ticks_are_few_inside_and_evenly_spaced(start: int, length: int, origin: int, width: int) -> None:
    ruler = build_ruler(TimeRange(start, start + length), origin, width)
    assert len(ruler.small) <= width / 100 * 5 + 6
    assert all(start <= t < start + length for t in ruler.small)
    named = [t.time_ns for t in ruler.ticks]
    assert set(named) <= set(ruler.small)
    assert all(b - a == ruler.step_ns for a, b in pairwise(named))
    assert all((t - origin) % ruler.step_ns == 0 for t in named)
    texts = [t.label for t in ruler.ticks]
    assert len(set(texts)) == len(texts)
