"""Where flow events bind."""

from __future__ import annotations

from hlprof_core.trace.builder import TraceBuilder
from hlprof_core.trace.model import Origin, Trace


def arrows(build: TraceBuilder) -> list[tuple[str, str]]:
    trace = build.finish(Origin("test"))
    return [(trace.name(a), trace.name(b)) for a, b in zip(trace.flows.from_slice, trace.flows.to_slice, strict=True)]


def two_rows() -> TraceBuilder:
    build = TraceBuilder()
    build.slice(1, 1, 100, 50, "send")
    build.slice(1, 2, 300, 50, "recv")
    build.slice(1, 2, 400, 10, "next")
    return build


def test_an_end_binds_to_the_next_slice_unless_it_says_enclosing() -> None:
    build = two_rows()
    build.flow("s", 1, 1, 120, 1)
    build.flow("f", 1, 2, 310, 1, enclosing=False)
    build.flow("s", 1, 1, 130, 2)
    build.flow("f", 1, 2, 310, 2)
    assert sorted(arrows(build)) == [("send", "next"), ("send", "recv")]


def test_a_step_binds_to_the_slice_around_it_else_to_the_next() -> None:
    build = two_rows()
    build.flow("s", 1, 1, 120, 1)
    build.flow("t", 1, 2, 310, 1, enclosing=False)
    build.flow("f", 1, 2, 390, 1, enclosing=False)
    build.flow("s", 1, 1, 120, 2)
    build.flow("t", 1, 2, 360, 2, enclosing=False)
    assert sorted(arrows(build)) == [("recv", "next"), ("send", "next"), ("send", "recv")]


def test_a_launch_without_duration_is_found() -> None:
    build = TraceBuilder()
    build.slice(1, 1, 0, 100, "op")
    build.slice(1, 1, 20, 0, "launch")
    build.slice(2, 1, 50, 5, "kernel")
    build.flow("s", 1, 1, 20, 1)
    build.flow("f", 2, 1, 50, 1)
    assert arrows(build) == [("launch", "kernel")]


def test_one_start_with_many_ends_is_a_fan() -> None:
    build = two_rows()
    build.flow("s", 1, 1, 120, 1)
    build.flow("f", 1, 2, 300, 1)
    build.flow("f", 1, 2, 400, 1)
    assert sorted(arrows(build)) == [("send", "next"), ("send", "recv")]


def test_the_start_comes_first_even_against_the_clock() -> None:
    build = TraceBuilder()
    build.slice(1, 1, 100, 10, "launch")
    build.slice(2, 1, 90, 5, "kernel")
    build.flow("f", 2, 1, 90, 1)
    build.flow("s", 1, 1, 100, 1)
    assert arrows(build) == [("launch", "kernel")]


def test_ids_of_other_categories_are_other_flows() -> None:
    build = two_rows()
    build.flow("s", 1, 1, 120, 1, cat="c1")
    build.flow("f", 1, 2, 310, 1, cat="c2")
    assert arrows(build) == []


def test_marks_without_a_slice_are_told() -> None:
    build = two_rows()
    build.flow("s", 1, 1, 50, 5)
    build.flow("f", 1, 2, 305, 5)
    trace: Trace = build.finish(Origin("test"))
    assert [(d.code, d.severity, d.count) for d in trace.diagnostics] == [("layout.unbound_flow", "notice", 2)]
