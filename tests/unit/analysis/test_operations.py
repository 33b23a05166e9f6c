"""Operations and self time: by operator with its device work, or by name of the work itself."""

from __future__ import annotations

from hlprof_core.analysis.catalog import run
from hlprof_core.trace.builder import TraceBuilder
from hlprof_core.trace.model import Origin, Trace
from hlprof_core.trace.ranges import TimeRange


def rows_of(trace: Trace, within: TimeRange | None = None) -> dict:
    return {row["name"]: row for row in run("operations", trace, within).rows}


def test_device_time_follows_links(framework: Trace) -> None:
    rows = rows_of(framework)
    linear, mm = rows["aten::linear"], rows["aten::mm"]
    assert (linear["total_ns"], linear["self_ns"], linear["device_ns"], linear["self_device_ns"]) == (100, 40, 50, 30)
    assert (mm["total_ns"], mm["self_ns"], mm["device_ns"], mm["self_device_ns"]) == (50, 40, 20, 20)


def test_work_without_a_known_operator_keeps_its_name(framework: Trace) -> None:
    rows = rows_of(framework)
    assert rows["lonely_kernel"]["device_ns"] == 8
    assert rows["Memcpy DtoH"]["self_device_ns"] == 10
    assert "gemm_kernel" not in rows
    assert "ProfilerStep#3" not in rows


def test_engine_rows_by_node_name(gaudi: Trace) -> None:
    rows = rows_of(gaudi)
    relu = rows["fc/relu"]
    assert (relu["count"], relu["total_ns"], relu["busy_ns"], relu["engine"]) == (4, 100, 60, "TPC")
    assert (relu["op"], relu["dtype"]) == ("relu_fwd_f32", "float32")
    assert rows["synLaunch"]["device_ns"] == 0
    assert rows["synLaunch"]["total_ns"] == 10


def test_within_counts_only_what_lies_inside(gaudi: Trace) -> None:
    rows = rows_of(gaudi, TimeRange(0, 30))
    assert {name: row["total_ns"] for name, row in rows.items()} == {"copy": 30, "fc/gemm": 10, "synLaunch": 5}


def test_self_time_counts_overlapping_children_once() -> None:
    build = TraceBuilder()
    build.slice(1, 1, 0, 100, "parent")
    build.slice(1, 1, 10, 20, "child a")
    build.slice(1, 1, 20, 30, "child b")
    rows = {row["name"]: row for row in run("self_time", build.finish(Origin("test"))).rows}
    assert rows["parent"]["self_ns"] == 60
    assert rows["child b"]["self_ns"] == 30


def test_any_slices_without_device_or_operators() -> None:
    build = TraceBuilder()
    build.slice(1, 1, 0, 100, "main")
    build.slice(1, 1, 10, 60, "work")
    rows = rows_of(build.finish(Origin("test")))
    assert (rows["main"]["self_ns"], rows["work"]["self_ns"], rows["main"]["device_ns"]) == (40, 60, 0)
