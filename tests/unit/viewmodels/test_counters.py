"""Counters in a stretch of time, against a slow look at every nanosecond."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hlprof_core.trace.ranges import TimeRange
from hlprof_core.trace.tracks import Process, Series, Track
from hlprof_gui.viewmodels.counters import CounterTable, compact, value_ticks
from tests.synthetic import lanes_trace

SAMPLES = st.lists(st.tuples(st.integers(0, 60), st.integers(-5, 9)), min_size=1, max_size=12, unique_by=lambda s: s[0])


def trace_of(*series: list[tuple[int, float]]):
    counters = []
    for number, samples in enumerate(series):
        ordered = sorted(samples)
        times, values = np.array([s[0] for s in ordered]), np.array([float(s[1]) for s in ordered])
        counters.append((Series(number, 0, "memory", f"s{number}", ""), times, values))
    return lanes_trace([], [Track(0, 0, "counter", "memory", "1", "1")], [Process(0, "1", "p")], [], counters=counters)


@given(SAMPLES, SAMPLES, st.integers(0, 70), st.integers(1, 40))
def test_as_every_nanosecond_says(a: list[tuple[int, float]], b: list[tuple[int, float]], start: int, length: int) -> None:
    table = CounterTable(trace_of(a, b))
    told = table.summary(TimeRange(start, start + length))
    for number, samples in enumerate((a, b)):
        held = [next((v for t, v in sorted(samples, reverse=True) if t <= at), None) for at in range(start, start + length + 1)]
        known = [v for v in held[:-1] if v is not None]
        assert np.isnan(told.last[number]) == (held[-1] is None)
        if held[-1] is not None:
            assert told.last[number] == held[-1]
            assert told.least[number] == min(v for v in held if v is not None)
            assert told.most[number] == max(v for v in held if v is not None)
        if known:
            assert told.mean[number] == pytest.approx(sum(known) / len(known))
        assert told.samples[number] == sum(start < t <= start + length for t, _ in samples)


def test_values_that_are_none_do_not_spoil_the_others() -> None:
    table = CounterTable(trace_of([(0, 4.0), (10, float("nan")), (20, 8.0)]))
    told = table.summary(TimeRange(0, 30), cursor_ns=25)
    assert (told.least[0], told.most[0], told.last[0]) == (4.0, 8.0, 8.0)
    assert np.isfinite(told.mean[0])


@given(st.floats(-1e12, 1e12), st.floats(1e-6, 1e12), st.integers(2, 8))
def test_ticks_are_round_and_hold_all_values(low: float, length: float, count: int) -> None:
    high = low + length
    ticks = value_ticks(low, high, count)
    if not high - low > 1e-9 * max(abs(low), abs(high)):
        return
    step = ticks[1] - ticks[0]
    assert ticks[0] <= low + step * 1e-6
    assert ticks[-1] >= high - step * 1e-6
    assert 2 <= len(ticks) <= count + 3


def test_numbers_in_few_letters() -> None:
    texts = [compact(v) for v in (0.0, 2.5, 999.0, 1000.0, -1234567.0, 3.2e12)]
    assert texts == ["0", "2.5", "999", "1 k", "-1.23 M", "3.2 T"]
    assert compact(1_234_567.0, 5) == "1.2346 M"
    edges = [compact(v) for v in (999.4, 999.6, -999.6, 999.6e3, 999.9e9, 9.99e14, 1e15, 1e308, float("inf"))]
    assert edges == ["999", "1 k", "-1 k", "1 M", "1 T", "999 T", "1e+15", "1e+308", "inf"]


@pytest.mark.parametrize("few", [0, 4096])
def test_the_largest_values_spoil_no_mean(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hlprof_gui.viewmodels.counters.FEW", few)
    large = [(0, -1e308), (10, 1e308), (20, 1e308), (30, -1e308), (40, 0.0)]
    table = CounterTable(trace_of(large, [(0, 1.0), (10, 3.0), (20, 5.0), (40, 5.0)]))
    told = table.summary(TimeRange(0, 40))
    assert told.mean == pytest.approx([0.0, 3.5], abs=1e294)
    assert told.mean[1] == pytest.approx(3.5)
    assert table.summary(TimeRange(10, 30)).mean[0] == pytest.approx(1e308)
    assert table.summary(TimeRange(25, 50)).mean.tolist() == pytest.approx([-2e307, 5.0])


@pytest.mark.parametrize("few", [0, 4096])
def test_what_is_small_after_large_values_keeps_its_mean(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums of values times nanoseconds are longer than what a number holds."""
    monkeypatch.setattr("hlprof_gui.viewmodels.counters.FEW", few)
    second = 1_000_000_000
    large = [(i * second, 1e14 + i) for i in range(20)]
    small = [(i * 10, 0.25) for i in range(20)]
    table = CounterTable(trace_of([*large, *((20 * second + t, 0.25) for t, _ in small)], small))
    told = table.summary(TimeRange(20 * second + 40, 20 * second + 120))
    assert (told.least[0], told.mean[0], told.most[0]) == (0.25, 0.25, 0.25)
    assert table.summary(TimeRange(5, 105)).mean[1] == pytest.approx(0.25)


def test_ticks_of_the_largest_and_smallest_values() -> None:
    ticks = value_ticks(-1e308, 1e308, 5)
    assert len(ticks) > 2
    assert (ticks[0], ticks[-1]) == (-1e308, 1e308)
    assert np.isfinite(value_ticks(0.0, 1.7e308, 4)).all()
    assert value_ticks(0.0, 5e-324, 4) == [0.0]
    assert value_ticks(-1.79e308, 1.79e308, 4)
