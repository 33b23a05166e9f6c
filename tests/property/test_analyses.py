"""Analyses of random traces against twins that look at every nanosecond."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from hlprof_core.analysis.activity import device_activity
from hlprof_core.analysis.catalog import run
from hlprof_core.analysis.self_time import self_ns
from hlprof_core.analysis.steps import find_steps, split_steps
from hlprof_core.analysis.utilization import track_busy_ns
from hlprof_core.trace.builder import TraceBuilder
from hlprof_core.trace.model import Origin, Trace
from hlprof_core.trace.ranges import TimeRange

ENGINES = ("DMA", "MME", "TPC", "NIC", "Host")
work = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 1), st.integers(0, 50), st.integers(0, 15)), min_size=1, max_size=25)
modest = settings(max_examples=60, deadline=None)


def trace_of(some: list[tuple[int, int, int, int]]) -> Trace:
    build = TraceBuilder()
    for pid, name in enumerate(ENGINES):
        build.process(pid, name)
    for n, (pid, tid, start, length) in enumerate(some):
        build.slice(pid, tid, start, length, f"work {n % 3}")
    return build.finish(Origin("test"))


def painted(trace: Trace, *engines: str, track: int | None = None) -> set[int]:
    s = trace.slices
    rows = [i for i in range(len(s)) if track == s.track[i] or (track is None and trace.tracks[s.track[i]].engine in engines)]
    return {t for i in rows for t in range(s.start_ns[i], s.start_ns[i] + s.dur_ns[i])}


@modest
@given(work)
def test_busy_exposed_and_overlap(some: list[tuple[int, int, int, int]]) -> None:
    trace = trace_of(some)
    device = [e for e in ("DMA", "MME", "TPC", "NIC") if painted(trace, e)]
    activity = device_activity(trace)
    for name in activity.engines:
        others = painted(trace, *(e for e in device if e != name))
        assert activity.engines[name].length_ns == len(painted(trace, name))
        assert activity.exposed(name).length_ns == len(painted(trace, name) - others)
    assert activity.busy.length_ns == len(painted(trace, *device))
    assert track_busy_ns(trace).tolist() == [len(painted(trace, track=t.id)) for t in trace.tracks]
    if any(t.engine in device for t in trace.tracks):
        for row in run("overlap", trace).rows:
            assert row["overlap_ns"] == len(painted(trace, row["a"]) & painted(trace, row["b"]))


@modest
@given(work)
def test_self_time(some: list[tuple[int, int, int, int]]) -> None:
    trace = trace_of(some)
    s = trace.slices
    for i in range(len(s)):
        inside = {t for c in range(len(s)) if s.parent[c] == i for t in range(s.start_ns[c], s.start_ns[c] + s.dur_ns[c])}
        assert self_ns(trace)[i] == len(set(range(s.start_ns[i], s.start_ns[i] + s.dur_ns[i])) - inside)


@modest
@given(work, st.integers(0, 70))
def test_windows_add_up(some: list[tuple[int, int, int, int]], cut: int) -> None:
    trace = trace_of(some)
    halves = [TimeRange(-1, cut), TimeRange(cut, 100)]
    assert sum(track_busy_ns(trace, half) for half in halves).tolist() == track_busy_ns(trace).tolist()
    totals = [sum(row["self_ns"] for row in run("self_time", trace, half).rows) for half in (*halves, None)]
    assert totals[0] + totals[1] == totals[2]


@modest
@given(work)
def test_parts_of_a_step_add_up(some: list[tuple[int, int, int, int]]) -> None:
    trace = trace_of(some)
    steps = find_steps(trace).steps
    for step, split in zip(steps, split_steps(trace, steps), strict=True):
        parts = {name: ns for name, ns in split.items() if name != "total"}
        assert all(ns >= 0 for ns in parts.values())
        assert sum(parts.values()) == split["total"] == step.span.length_ns
        assert parts["kernel"] == len(painted(trace, "MME", "TPC"))
        assert parts["memcpy"] == len(painted(trace, "DMA") - painted(trace, "MME", "TPC"))
