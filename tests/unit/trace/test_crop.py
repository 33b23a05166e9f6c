"""Parts of a trace."""

from __future__ import annotations

import pytest

from hlprof_core.errors import UsageError
from hlprof_core.trace.builder import TraceBuilder
from hlprof_core.trace.crop import crop
from hlprof_core.trace.model import Origin, Trace
from hlprof_core.trace.ranges import TimeRange
from tests.drawing import describe, draw


def codes(trace: Trace) -> dict[str, int]:
    return {d.code: d.count for d in trace.diagnostics}


def test_slices_are_clipped_at_the_border_and_it_is_told() -> None:
    trace = draw(
        """
        time   0    10   20   30
        TPC 0  [mm ------][relu]
        TPC 0     [in]
        DMA 0    [copy -]  !mark
        """
    )
    part = crop(trace, TimeRange(12, 24))
    assert describe(part) == ["DMA 0 0 12+8 copy", "TPC 0 0 12+10 mm", "TPC 0 0 22+2 relu", "TPC 0 1 12+2 in"]
    assert part.slices.parent.tolist() == [-1, -1, -1, 1]
    assert part.instants.time_ns.tolist() == [24]
    assert codes(part) == {"crop.clipped": 4}
    assert part.span == TimeRange(12, 24)
    assert part.lanes.offsets.tolist() == [0, 1, 3, 4]


def test_only_some_tracks() -> None:
    trace = draw(
        """
        time         0    10   20   30
        DMA/DMA 0    [copy]
        TPC/TPC 0    [mm ------][relu]
        Host/api     [call]
        """
    )
    part = crop(trace, None, ["TPC *", "Host/*"])
    assert [t.name for t in part.tracks] == ["TPC 0", "api"]
    assert [p.name for p in part.processes] == ["TPC", "Host"]
    assert [part.processes[t.process].name for t in part.tracks] == ["TPC", "Host"]
    assert describe(part) == ["TPC 0 0 0+22 mm", "TPC 0 0 22+12 relu", "api 0 0+12 call"]


def test_a_glob_that_fits_nothing_is_an_error_with_the_names() -> None:
    trace = draw("time 0 10\nTPC 0 [mm]")
    with pytest.raises(UsageError, match=r"'MME\*'.*'TPC 0'"):
        crop(trace, None, ["MME*"])


def test_arrows_need_both_ends_and_counters_keep_their_value() -> None:
    build = TraceBuilder()
    for start in (0, 100, 200):
        build.slice(1, 1, start, 10, f"s{start}")
    for number, (a, b) in enumerate(((0, 100), (100, 200))):
        build.flow("s", 1, 1, a, number)
        build.flow("f", 1, 1, b, number)
    for time, value in ((0, 1.0), (50, 2.0), (150, 3.0), (300, 4.0)):
        build.counter(1, time, "c", {"v": value})
    part = crop(build.finish(Origin("test")), TimeRange(90, 250))
    assert [(part.name(a), part.name(b)) for a, b in zip(part.flows.from_slice, part.flows.to_slice, strict=True)] == [("s100", "s200")]
    assert part.counters.time_ns.tolist() == [90, 150]
    assert part.counters.value.tolist() == [2, 3]
    assert codes(part) == {"crop.flow": 1}


def test_the_arguments_of_an_end_that_is_cut_off_are_gone() -> None:
    build = TraceBuilder()
    build.begin(1, 1, 0, "k", args={"a": 1})
    build.end(1, 1, 100, args={"b": 2})
    trace = build.finish(Origin("test"))
    assert crop(trace, TimeRange(0, 50)).args(0) == {"a": 1}
    assert crop(trace, TimeRange(50, 150)).args(0) == {"a": 1, "b": 2}
