"""Where steps begin and end, and how their time divides."""

from __future__ import annotations

import pytest

from hlprof_core.analysis.role import is_iteration_mark
from hlprof_core.analysis.steps import find_steps, steps
from hlprof_core.trace.builder import TraceBuilder
from hlprof_core.trace.model import Origin, Trace


def finish(build: TraceBuilder) -> Trace:
    return build.finish(Origin("test"))


def spans(trace: Trace) -> list[tuple[str, int, int]]:
    return [(s.name, s.span.start_ns, s.span.end_ns) for s in find_steps(trace).steps]


def test_launches_of_one_recipe(gaudi: Trace) -> None:
    found = find_steps(gaudi)
    assert found.source == "launch"
    assert spans(gaudi) == [("train #1", 0, 100), ("train #2", 100, 180)]


def test_split_counts_each_part_where_no_earlier_one_is(gaudi: Trace) -> None:
    first = steps(gaudi).rows[0]["split_ns"]
    assert (first["kernel"], first["memcpy"], first["runtime"], first["other"], first["total"]) == (60, 20, 0, 20, 100)


def test_marks_win_over_launches_and_ignore_device_copies(framework: Trace) -> None:
    assert find_steps(framework).source == "mark"
    assert spans(framework) == [("ProfilerStep#3", 0, 200)]
    split = steps(framework).rows[0]["split_ns"]
    assert split == {
        "kernel": 58, "memcpy": 10, "memset": 0, "communication": 42,
        "runtime": 10, "dataloader": 0, "cpu_op": 20, "other": 60, "total": 200,
    }  # fmt: skip


def test_sessions_win_over_marks() -> None:
    build = TraceBuilder()
    build.process(5, "Host")
    build.thread(5, 0, "*Profiler sessions")
    for number, start in ((2, 100), (6, 500)):
        build.slice(5, 0, start, 50, f"iteration {number}", cat="profiler_session")
        build.slice(5, 1, start, 40, f"step {number}")
    trace = finish(build)
    assert find_steps(trace).source == "session"
    assert spans(trace) == [("iteration 2", 100, 150), ("iteration 6", 500, 550)]


def test_each_process_gives_the_marks_of_one_row() -> None:
    build = TraceBuilder()
    for pid in (1, 2):
        build.slice(pid, 1, 0, 10, "ProfilerStep#1")
        build.slice(pid, 1, 10, 10, "ProfilerStep#2")
        build.slice(pid, 9, 2, 5, "ProfilerStep#1")
    assert len(spans(finish(build))) == 4


def test_no_sign_of_steps_is_one_step() -> None:
    build = TraceBuilder()
    build.slice(1, 1, 5, 10, "a")
    build.slice(1, 2, 7, 30, "b")
    trace = finish(build)
    assert find_steps(trace).source == "trace"
    assert spans(trace) == [("whole trace", 5, 37)]


def test_an_empty_trace_has_no_steps() -> None:
    assert spans(finish(TraceBuilder())) == []


def test_a_single_launch_is_no_series() -> None:
    build = TraceBuilder()
    build.process(5, "Host")
    build.slice(5, 1, 0, 5, "synLaunch", args={"Recipe name": "a"})
    build.slice(5, 1, 9, 5, "synLaunch", args={"Recipe name": "b"})
    assert find_steps(finish(build)).source == "trace"


@pytest.mark.parametrize("name", ["ProfilerStep#12", "iteration 3", "train_step 4", "Step 1", "global step: 7"])
def test_names_of_marks(name: str) -> None:
    assert is_iteration_mark(name)


@pytest.mark.parametrize("name", ["step", "ProfilerStep#", "aten::step 3", "bootstep4", "Step 1 of 2"])
def test_names_that_are_no_marks(name: str) -> None:
    assert not is_iteration_mark(name)
