"""Utilisation, overlap, exposure and idle time of a drawn Gaudi trace; every figure is counted by hand."""

from __future__ import annotations

import pytest

from hlprof_core.analysis.catalog import run
from hlprof_core.errors import AnalysisUnavailable, UnknownName
from hlprof_core.trace.builder import TraceBuilder
from hlprof_core.trace.model import Origin, Trace
from hlprof_core.trace.ranges import TimeRange


def by(rows, *keys: str) -> dict:
    return {tuple(row[k] for k in keys) if len(keys) > 1 else row[keys[0]]: row for row in rows}


def test_busy_time_is_a_union_over_lanes(gaudi: Trace) -> None:
    result = run("utilization", gaudi)
    rows = by(result.rows, "engine", "lane")
    assert rows["TPC", ""]["busy_ns"] == 60
    assert rows["TPC", ""]["lanes"] == 2
    assert rows["TPC", "TPC 0"]["busy_ns"] == 40
    assert rows["TPC", "TPC 1"]["busy_ns"] == 60
    assert rows["MME", ""]["busy_ns"] == rows["DMA", ""]["busy_ns"] == 80
    assert rows["HOST", ""]["busy_ns"] == 10
    assert rows["MME", ""]["busy_share"] == pytest.approx(80 / 180)


def test_overlap_of_pairs(gaudi: Trace) -> None:
    pairs = {(row["a"], row["b"]): row["overlap_ns"] for row in run("overlap", gaudi).rows}
    assert pairs == {("MME", "TPC"): 20, ("MME", "DMA"): 40, ("TPC", "DMA"): 0}


def test_exposed_time_is_hidden_by_no_other_engine(gaudi: Trace) -> None:
    exposed = {row["engine"]: row["exposed_ns"] for row in run("exposure", gaudi).rows}
    assert exposed == {"DMA": 40, "MME": 20, "TPC": 40, "HOST": 0}


def test_device_figures(gaudi: Trace) -> None:
    assert run("device", gaudi).figures == {
        "busy_ns": 160,
        "total_ns": 180,
        "idle_ns": 20,
        "compute_ns": 120,
        "copy_ns": 80,
        "comm_ns": 0,
        "exposed_copy_ns": 40,
        "exposed_comm_ns": 0,
    }


def test_within_cuts_slices(gaudi: Trace) -> None:
    rows = by(run("utilization", gaudi, TimeRange(30, 60)).rows, "engine", "lane")
    assert {k[0]: row["busy_ns"] for k, row in rows.items() if not k[1]} == {"DMA": 10, "MME": 30, "TPC": 10, "HOST": 0}
    assert rows["MME", ""]["busy_share"] == 1


def test_idle_gaps_name_their_neighbours(gaudi: Trace) -> None:
    result = run("idle", gaudi)
    (gap,) = result.rows
    assert gap == {"start_ns": 80, "dur_ns": 20, "host_busy_ns": 0, "before": "fc/relu", "after": "copy"}
    assert result.figures == {"gaps": 1, "idle_ns": 20, "host_busy_ns": 0, "host_idle_ns": 20}


def test_waiting_on_the_host_is_no_work() -> None:
    build = TraceBuilder()
    build.process(1, "MME")
    build.process(2, "Host")
    build.slice(1, 0, 0, 10, "a")
    build.slice(1, 0, 100, 10, "b")
    build.slice(2, 1, 0, 60, "synEventSynchronize")
    build.slice(2, 1, 60, 30, "synLaunch")
    assert run("idle", build.finish(Origin("test"))).figures == {"gaps": 1, "idle_ns": 90, "host_busy_ns": 30, "host_idle_ns": 60}


def test_time_between_sessions_is_not_idle() -> None:
    build = TraceBuilder()
    build.process(1, "MME")
    build.process(2, "Host")
    build.thread(2, 0, "*Profiler sessions")
    for start in (0, 1000):
        build.slice(2, 0, start, 100, f"session at {start}", cat="profiler_session")
        build.slice(1, 0, start + 10, 60, "gemm")
        build.slice(2, 1, start, 7, "synLaunch")
    trace = build.finish(Origin("test"))
    device = run("device", trace).figures
    assert (device["busy_ns"], device["total_ns"], device["idle_ns"]) == (120, 160, 40)
    rows = by(run("utilization", trace).rows, "engine", "lane")
    assert rows["MME", ""]["busy_share"] == pytest.approx(120 / 200)
    assert (rows["HOST", ""]["lanes"], rows["HOST", ""]["busy_ns"]) == (1, 14)


def test_overlapping_slices_of_one_lane_count_once() -> None:
    build = TraceBuilder()
    build.process(1, "MME")
    for start, length in ((0, 10), (5, 10), (6, 2), (30, 5)):
        build.slice(1, 0, start, length, "descriptor")
    row = by(run("utilization", build.finish(Origin("test"))).rows, "engine", "lane")["MME", ""]
    assert row["busy_ns"] == 20


def test_what_a_trace_lacks_is_said() -> None:
    build = TraceBuilder()
    build.slice(1, 1, 0, 10, "main")
    trace = build.finish(Origin("test"))
    with pytest.raises(AnalysisUnavailable, match=r"no work of a device.*hardware trace"):
        run("device", trace)
    with pytest.raises(UnknownName, match="overlap"):
        run("overlp", trace)
