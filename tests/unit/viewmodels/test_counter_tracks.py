"""Series of one counter: sums at every moment, whatever the times of their samples, and what is stacked at first."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hlprof_core.trace.model import Trace
from hlprof_core.trace.tracks import Process, Series, Track
from hlprof_gui.viewmodels.counter_tracks import TrackCounters, known_counters
from tests.synthetic import lanes_trace

SAMPLES = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 9)), min_size=1, max_size=10, unique_by=lambda s: s[0])


def counter_trace(**series: list[tuple[int, float]]) -> Trace:
    """One counter with these series, samples as (ns, value)."""
    counters = [
        (Series(n, 0, "memory", name), np.array([t for t, _ in sorted(samples)]), np.array([float(v) for _, v in sorted(samples)]))
        for n, (name, samples) in enumerate(series.items())
    ]
    return lanes_trace([], [Track(0, 0, "counter", "memory", "1", "1")], [Process(0, "1", "p")], [], counters=counters)


def held(samples: list[tuple[int, float]], at: int) -> float:
    return next((float(v) for t, v in sorted(samples, reverse=True) if t <= at), 0.0)


@given(SAMPLES, SAMPLES)
def test_the_border_of_a_stack_is_the_sum_at_every_moment(a: list[tuple[int, float]], b: list[tuple[int, float]]) -> None:
    counters = TrackCounters(counter_trace(a=a, b=b), [0, 1])
    lower, upper = counters.levels(is_stacked=True)
    for at in range(45):
        place = int(np.searchsorted(upper.time_ns, at, side="right")) - 1
        total = float(upper.value[place]) if place >= 0 else 0.0
        assert total == held(a, at) + held(b, at)
        place = int(np.searchsorted(lower.time_ns, at, side="right")) - 1
        assert (float(lower.value[place]) if place >= 0 else 0.0) == held(a, at)
    moments = {t for t, _ in a} | {t for t, _ in b}
    assert counters.scale(is_stacked=True) == (0.0, max(held(a, t) + held(b, t) for t in moments))


def test_only_what_has_a_sum_is_stacked_at_first() -> None:
    up, down = [(0, 1.0), (5, 3.0)], [(0, -1.0)]
    assert TrackCounters(counter_trace(read=up, write=up), [0, 1]).is_stacked(is_changed=False)
    assert not TrackCounters(counter_trace(read=up, write=down), [0, 1]).is_stacked(is_changed=False), "below zero"
    assert not TrackCounters(counter_trace(min=up, avg=up, max=up), [0, 1, 2]).is_stacked(is_changed=False), "the same thing three times"
    assert TrackCounters(counter_trace(min=up, avg=up), [0, 1]).is_stacked(is_changed=True)
    assert not TrackCounters(counter_trace(one=up), [0]).is_stacked(is_changed=True)


def test_what_is_no_number_counts_as_nothing() -> None:
    counters = TrackCounters(counter_trace(a=[(0, 1.0), (5, float("nan"))], b=[(0, float("inf")), (5, 2.0)]), [0, 1])
    assert counters.limits == (0.0, 2.0)
    assert counters.levels(is_stacked=True)[-1].value.tolist() == [1.0, 2.0]


def test_values_at_a_time() -> None:
    counters = TrackCounters(counter_trace(a=[(10, 1.0)], b=[(5, 2.0), (20, 4.0)]), [0, 1])
    assert np.isnan(counters.at(4)).all()
    assert counters.at(20) == [1.0, 4.0]
    assert np.isnan(counters.at(7)[0])


def test_they_are_kept_as_long_as_the_trace() -> None:
    trace = counter_trace(a=[(0, 1.0)])
    known = known_counters(trace)
    assert known is known_counters(trace)
    assert known.of(trace, 0) is known.of(trace, 0)
    assert known.ids(7) == []


def test_sums_are_cut_only_where_they_are_farther_than_numbers_go() -> None:
    counters = TrackCounters(counter_trace(a=[(0, 1e308), (5, 1.0)], b=[(0, 0.0), (5, 2.0), (9, 1.7e308)]), [0, 1])
    assert counters.levels(is_stacked=True)[-1].value.tolist() == [1e308, 3.0, 1.7e308]
    counters = TrackCounters(counter_trace(a=[(0, 1.7e308)], b=[(0, 1.7e308)]), [0, 1])
    assert np.isfinite(counters.scale(is_stacked=True)).all()
