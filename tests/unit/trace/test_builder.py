"""Each reading decision of the builder on the smallest trace that shows it."""

from __future__ import annotations

import numpy as np
import pytest

from hlprof_core.trace.args import MemoryText
from hlprof_core.trace.builder import TraceBuilder
from hlprof_core.trace.events import NO_TIME, EventBlock, SampleBlock
from hlprof_core.trace.feed import COLUMNS
from hlprof_core.trace.model import Origin, Trace
from hlprof_core.trace.strings import Strings
from tests.drawing import describe


def finish(build: TraceBuilder) -> Trace:
    return build.finish(Origin("test"))


def told(trace: Trace) -> dict[str, int]:
    return {d.code: d.count for d in trace.diagnostics}


def block(build: TraceBuilder, *events: dict[str, object]) -> EventBlock:
    """Events as a reader gives them."""
    rows = []
    for e in events:
        row = build.row(e.get("pid", 1), e.get("tid", 1))  # type: ignore[arg-type]
        names = [build.intern(str(e.get(key, ""))) for key in ("name", "cat", "id")]
        times = (e.get("ts", NO_TIME), e.get("dur", NO_TIME))
        rows.append((ord(str(e["ph"])), *times, row, *names, *e.get("args", (0, 0)), e.get("flags", 0)))  # type: ignore[misc]
    return EventBlock(*(np.array(column, kind) for column, kind in zip(zip(*rows, strict=True), COLUMNS, strict=True)))


def test_an_end_with_a_name_closes_the_slice_of_that_name_and_what_is_open_inside() -> None:
    build = TraceBuilder()
    build.begin(1, 1, 40, "b")
    build.begin(1, 1, 50, "c")
    build.end(1, 1, 60, "b")
    trace = finish(build)
    assert describe(trace) == ["1 0 40+20 b", "1 1 50+10 c"]
    assert told(trace) == {"layout.closed_by_outer": 1}


def test_an_end_that_nothing_fits_is_counted_and_still_stretches_the_trace() -> None:
    build = TraceBuilder()
    build.begin(1, 1, 0, "alpha")
    build.end(1, 1, 10, "beta")
    trace = finish(build)
    assert describe(trace) == ["1 0 0+10 alpha*"]
    assert told(trace) == {"layout.stray_end": 1, "layout.unfinished": 1}
    assert trace.diagnostics[0].first == ("'beta' at 10 ns, pid 1 tid 1",)


def test_at_one_moment_the_end_of_the_earlier_slice_goes_first() -> None:
    build = TraceBuilder()
    build.begin(1, 1, 0, "p")
    build.begin(1, 1, 10, "q")
    build.end(1, 1, 10, "p")
    build.end(1, 1, 20, "q")
    trace = finish(build)
    assert describe(trace) == ["1 0 0+10 p", "1 0 10+10 q"]
    assert not trace.diagnostics


def test_a_slice_without_duration_keeps_its_own_end() -> None:
    build = TraceBuilder()
    build.begin(1, 1, 0, "outer")
    build.begin(1, 1, 10, "z")
    build.end(1, 1, 10)
    build.end(1, 1, 20)
    assert describe(finish(build)) == ["1 0 0+20 outer", "1 1 10+0 z"]


def test_arguments_of_the_end_stay_apart_and_merge_on_reading() -> None:
    build = TraceBuilder()
    build.begin(1, 1, 0, "k", args={"op": "gemm", "HW event name": "START"})
    build.end(1, 1, 5, "k", args={"HW event name": "END", "more": 1})
    trace = finish(build)
    assert trace.end_args.slice.tolist() == [0]
    assert trace.args(0) == {"op": "gemm", "HW event name": "START", "HW end event name": "END", "more": 1}


def test_a_slice_without_duration_field_ends_with_its_parent() -> None:
    build = TraceBuilder()
    build.slice(1, 1, 730, 20, "b")
    build.slice(1, 1, 740, None, "c")
    build.slice(1, 1, 800, 5, "d")
    build.slice(1, 2, 790, None, "alone")
    trace = finish(build)
    assert describe(trace) == ["1 0 730+20 b", "1 0 800+5 d", "1 1 740+10 c*", "2 0 790+15 alone*"]
    assert told(trace) == {"layout.unfinished": 2}


def test_overlap_goes_below_and_does_not_push_nested_slices() -> None:
    build = TraceBuilder()
    for name, start, dur in (("outer", 100, 100), ("late", 150, 100), ("inner", 160, 10), ("tail", 250, 50)):
        build.slice(1, 1, start, dur, name)
    trace = finish(build)
    assert describe(trace) == ["1 0 100+100 outer", "1 0 250+50 tail", "1 1 160+10 inner", "1 2 150+100 late"]
    assert trace.slices.parent.tolist() == [-1, -1, 0, -1]
    assert told(trace) == {"layout.overlap": 1}


def test_twins_nest_in_file_order_longer_first() -> None:
    build = TraceBuilder()
    build.slice(1, 1, 0, 5, "short")
    build.slice(1, 1, 0, 50, "twin a")
    build.slice(1, 1, 0, 50, "twin b")
    assert describe(finish(build)) == ["1 0 0+50 twin a", "1 1 0+50 twin b", "1 2 0+5 short"]


def test_rows_out_of_time_order_are_sorted() -> None:
    build = TraceBuilder()
    build.slice(1, 1, 50, 5, "later")
    build.slice(1, 1, 0, 5, "early")
    assert describe(finish(build)) == ["1 0 0+5 early", "1 0 50+5 later"]


def test_a_negative_duration_is_zero_and_counted() -> None:
    build = TraceBuilder()
    build.slice(1, 1, 50, -5, "x")
    trace = finish(build)
    assert describe(trace) == ["1 0 50+0 x"]
    assert told(trace) == {"read.negative_dur": 1}


def test_events_without_a_time_are_left_out_with_their_places() -> None:
    build = TraceBuilder()
    build.add_events(block(build, {"ph": "X", "name": "bad", "dur": 3}, {"ph": "X", "name": "good", "ts": 0, "dur": 3}))
    trace = finish(build)
    assert describe(trace) == ["1 0 0+3 good"]
    (diagnostic,) = trace.diagnostics
    assert (diagnostic.code, diagnostic.severity, diagnostic.first) == ("read.bad_ts", "data-loss", ("'bad', event 0",))


def test_what_has_no_table_is_told() -> None:
    build = TraceBuilder()
    build.add_events(block(build, {"ph": "O", "ts": 0}, {"ph": "N", "ts": 1}, {"ph": "v", "ts": 1}))
    trace = finish(build)
    assert told(trace) == {"layout.not_shown": 3}
    assert "N, O, v" in trace.diagnostics[0].message


def test_a_duration_beyond_int64_ends_at_the_last_moment() -> None:
    build = TraceBuilder()
    build.slice(1, 1, 10, (1 << 63) - 1, "for ever")
    trace = finish(build)
    assert trace.slices.dur_ns.tolist() == [(1 << 63) - 11]


def test_ids_are_opaque() -> None:
    build = TraceBuilder()
    build.slice(1, 1, 0, 1, "number")
    build.slice("1", "1", 0, 1, "text")
    build.slice(1 << 40, -1, 0, 1, "large")
    trace = finish(build)
    assert [(t.pid, t.tid) for t in trace.tracks] == [("1", "1"), ("1", "1"), (str(1 << 40), "-1")]
    assert len(trace.processes) == 3


def test_samples_make_series_in_time_order_and_gaps_are_no_points() -> None:
    build = TraceBuilder()
    build.counter(1, 30, "mem", {"used": 5.0})
    build.counter(1, 0, "mem", {"used": 10.0, "free": -4.0})
    build.counter(2, 7, "mem", {"used": 99.0})
    build.counter(1, 3, "q", {"v": 1.0}, counter_id="0x1")
    build.counter(1, 5, "mem", {"free": float("nan")})
    trace = finish(build)
    c = trace.counters
    samples = [
        (trace.tracks[s.track].pid, trace.tracks[s.track].name, s.series, c.time_ns[a:b].tolist(), c.value[a:b].tolist())
        for s, a, b in zip(trace.series, c.offsets[:-1], c.offsets[1:], strict=True)
    ]
    assert samples == [
        ("1", "mem", "used", [0, 30], [10, 5]),
        ("1", "mem", "free", [0], [-4]),
        ("2", "mem", "used", [7], [99]),
        ("1", "q [0x1]", "v", [3], [1]),
    ]
    assert trace.span.end_ns == 30


def test_a_sample_without_time_is_counted() -> None:
    build = TraceBuilder()
    row, name = build.row(1, 1), build.intern("c")
    columns = ([NO_TIME, 1], [row] * 2, [name] * 2, [name] * 2, [0, 0], [1.0, 2.0])
    kinds = (np.int64, np.uint32, np.uint32, np.uint32, np.uint32, np.float64)
    build.add_samples(SampleBlock(*(np.array(c, k) for c, k in zip(columns, kinds, strict=True))))
    trace = finish(build)
    assert len(trace.counters) == 1
    assert told(trace) == {"read.bad_ts": 1}


def test_adopted_strings_and_rows_given_one_by_one_mix() -> None:
    build = TraceBuilder()
    texts = Strings.of(["", "gemm", "cat"])
    build.adopt_strings(bytes(texts.data), texts.offsets)
    first = block(build, {"ph": "X", "name": "gemm", "ts": 0, "dur": 5, "args": (3, 7)})
    build.add_events(first)
    build.slice(1, 1, 10, 5, "relu", args={"a": 1})
    build.add_events(block(build, {"ph": "X", "name": "gemm", "ts": 20, "dur": 5}))
    trace = build.finish(Origin("test"), MemoryText(b'...{"b":2}'))
    assert [trace.name(i) for i in range(3)] == ["gemm", "relu", "gemm"]
    assert [trace.args(i) for i in range(3)] == [{"b": 2}, {"a": 1}, {}]
    with pytest.raises(ValueError, match="once"):
        build.adopt_strings(bytes(texts.data), texts.offsets)


def test_slices_beyond_the_deepest_row_are_left_out_and_told() -> None:
    count = 65540
    build = TraceBuilder()
    row, name = build.row(1, 1), build.intern("deep")
    n = np.arange(count)
    zero = np.zeros(count, np.uint32)
    names = np.full(count, name, np.uint32)
    columns = (np.full(count, ord("X"), np.uint8), n, 2 * (count - n), np.full(count, row, np.uint32), names, zero, zero)
    build.add_events(EventBlock(*columns, zero.astype(np.uint64), zero, zero.astype(np.uint8)))
    trace = finish(build)
    assert len(trace.slices) == 65536
    assert int(trace.slices.depth.max()) == 65535
    assert told(trace) == {"layout.too_deep": 4}


def test_columns_are_frozen_and_small() -> None:
    build = TraceBuilder()
    build.slice(1, 1, 0, 1, "x")
    trace = finish(build)
    with pytest.raises(ValueError, match="read-only"):
        trace.slices.start_ns[0] = 1
    assert sum(getattr(trace.slices, name).itemsize for name in trace.slices.__struct_fields__) <= 60


def test_an_empty_trace() -> None:
    trace = finish(TraceBuilder())
    assert (len(trace.slices), len(trace.tracks), trace.span.length_ns) == (0, 0, 0)


@pytest.mark.parametrize(("last", "told"), [(9_200_000_000_000_000_000, 1), (200_000_000_000_000_000, 0)])
def test_events_that_no_window_holds_together_are_told(last: int, told: int) -> None:
    build = TraceBuilder()
    build.slice(1, 1, -9_000_000_000_000_000_000, 5, "early")
    build.slice(1, 1, last, 5, "late")
    found = [d.count for d in build.finish(Origin("test")).diagnostics if d.code == "layout.too_far"]
    assert sum(found) == told
