"""The order of processes and tracks."""

from __future__ import annotations

from hlprof_core.trace.builder import TraceBuilder
from hlprof_core.trace.model import Origin, Trace


def finish(build: TraceBuilder, **properties: object) -> Trace:
    return build.finish(Origin("test", properties=properties))


def test_sort_indexes_decide_and_count_as_zero_when_missing() -> None:
    build = TraceBuilder()
    for pid, index in ((10, 100), (20, None), (40, -5)):
        build.process(pid, sort_index=index)
    for tid, index in ((11, 10), (12, 20), (13, None), (14, -3)):
        build.thread(10, tid, sort_index=index)
    trace = finish(build)
    assert [p.pid for p in trace.processes] == ["40", "20", "10"]
    assert [t.tid for t in trace.tracks] == ["14", "13", "11", "12"]


def test_engines_of_a_native_trace_come_in_the_order_of_the_profiler() -> None:
    build = TraceBuilder()
    for pid, name in enumerate(("***Host", "*TPC (accel0)", "*MME (accel0)", "*PDMA (accel0)", "python")):
        build.slice(pid, 0, 0, 1, "x")
        build.process(pid, name)
    assert [p.name for p in finish(build).processes] == ["*PDMA (accel0)", "*MME (accel0)", "*TPC (accel0)", "***Host", "python"]


def test_without_engines_processes_come_as_they_appear() -> None:
    build = TraceBuilder()
    for pid in (7, 3, 5):
        build.slice(pid, 0, 0, 1, "x")
    assert [p.pid for p in finish(build).processes] == ["7", "3", "5"]


def test_lanes_are_sorted_by_their_numbers_and_threads_by_tid_with_the_main_thread_first() -> None:
    build = TraceBuilder()
    for tid, name in enumerate(("[HD0] TPC 10", "[HD0] TPC 2", "[HD1] TPC 0", "[HD0] MME")):
        build.thread(0, 100 - tid, name)
    for tid in (31, 9, "worker", 20):
        build.slice(20, tid, 0, 1, "x")
    trace = finish(build)
    assert [t.name for t in trace.tracks] == ["[HD0] MME", "[HD0] TPC 2", "[HD0] TPC 10", "[HD1] TPC 0", "20", "9", "31", "worker"]


def test_threads_come_before_asynchronous_work_and_counters() -> None:
    build = TraceBuilder()
    build.counter(1, 0, "c", {"v": 1.0})
    build.slice(1, 1, 0, 1, "x")
    assert [t.kind for t in finish(build).tracks] == ["thread", "counter"]


def test_the_last_name_wins_and_labels_add_up() -> None:
    build = TraceBuilder()
    build.process(5, "first life", labels=("blue", "green"))
    build.process(5, "second life", labels=("blue",))
    build.thread(5, 1, "old")
    build.thread(5, 1, "new")
    trace = finish(build)
    assert (trace.processes[0].name, trace.processes[0].labels, trace.tracks[0].name) == ("second life", ("blue", "green"), "new")


def test_the_rank_is_what_the_file_states() -> None:
    build = TraceBuilder()
    build.slice(1, 1, 0, 1, "x")
    assert finish(build, distributedInfo={"rank": 34}).tracks[0].rank == 34
    build = TraceBuilder()
    build.slice(1, 1, 0, 1, "x")
    assert finish(build).tracks[0].rank == -1
