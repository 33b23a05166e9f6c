"""Around a slice: row neighbours, parent, children, self time."""

from __future__ import annotations

from hlprof_gui.state.neighbours import children, first_child, neighbour, parent, self_ns
from tests.small_trace import slice_named, small_trace


def test_rows_and_nesting() -> None:
    trace = small_trace()
    main, first, second, sync = (slice_named(trace, *n) for n in (("main", 0), ("launch", 0), ("launch", 1), ("sync", 0)))
    assert neighbour(trace, first, 1) == second
    assert neighbour(trace, second, -1) == first
    assert neighbour(trace, sync, 1) is None
    assert neighbour(trace, main, 1) is None, "the next row is not the same row"
    assert parent(trace, first) == main
    assert parent(trace, main) is None
    assert sorted(children(trace, main)) == [first, second, sync]
    assert first_child(trace, main) == first
    assert first_child(trace, first) is None


def test_self_time_is_what_no_child_covers() -> None:
    trace = small_trace()
    assert self_ns(trace, slice_named(trace, "main")) == 1000 - 50 - 40 - 300
    assert self_ns(trace, slice_named(trace, "fc1/forward")) == 300
    assert self_ns(trace, slice_named(trace, "sync")) == 300
