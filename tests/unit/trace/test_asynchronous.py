"""Asynchronous work: who is paired with whom, and which track and slot it gets."""

from __future__ import annotations

from hlprof_core.trace.args import MemoryText
from hlprof_core.trace.builder import TraceBuilder
from hlprof_core.trace.model import Origin, Trace
from tests.drawing import describe
from tests.unit.trace.test_builder import block, told


def build_async(*events: tuple[object, ...], text: bytes = b"") -> Trace:
    """Events as (phase, ts, name, id, pid, args)."""
    build = TraceBuilder()
    keys = ("ph", "ts", "name", "id", "pid", "args")
    build.add_events(block(build, *({"cat": "a", **dict(zip(keys, event, strict=False))} for event in events)))
    return build.finish(Origin("test"), MemoryText(text))


def test_names_of_one_id_nest() -> None:
    trace = build_async(("b", 0, "req", 1), ("b", 2, "step", 1), ("n", 3, "mark", 1), ("e", 5, "step", 1), ("e", 10, "req", 1))
    assert describe(trace) == ["req 0 0+10 req", "req 1 2+3 step"]
    assert trace.slices.parent.tolist() == [-1, 0]
    assert [(t.kind, t.tid) for t in trace.tracks] == [("async", "1")]
    assert trace.instants.track.tolist() == [0]
    assert not trace.diagnostics


def test_overlap_of_one_id_pairs_by_name_on_two_rows() -> None:
    trace = build_async(("b", 90, "o1", 5), ("b", 92, "o2", 5), ("e", 95, "o1", 5), ("e", 98, "o2", 5))
    assert describe(trace) == ["o1 0 90+5 o1", "o1 1 92+6 o2"]


def test_other_ids_of_the_same_name_share_a_track_in_slots() -> None:
    spans = ((0, 10, 1), (5, 12, 2), (11, 20, 3))
    trace = build_async(*(e for a, b, i in spans for e in (("b", a, "req", i), ("e", b, "req", i))))
    assert describe(trace) == ["req 0 0+10 req", "req 0 11+9 req", "req 1 5+7 req"]
    assert [t.tid for t in trace.tracks] == [""]


def test_begin_and_end_of_different_processes_meet() -> None:
    trace = build_async(("b", 40, "G", 9, 1), ("e", 50, "G", 9, 2))
    assert describe(trace) == ["G 0 40+10 G"]
    assert trace.tracks[0].pid == "1"


def test_what_never_ends_lasts_to_the_end_and_strays_are_counted() -> None:
    trace = build_async(("b", 0, "open", 1), ("e", 7, "other", 1))
    assert describe(trace) == ["open 0 0+7 open*"]
    assert told(trace) == {"layout.stray_end": 1, "layout.unfinished": 1}


def test_old_steps_become_slices() -> None:
    text = b'{"step":"s1"}{"step":"half"}'
    past = build_async(("F", 560, "a", 72), ("p", 548, "a", 72, 1, (0, 13)), ("S", 524, "a", 72), text=text)
    assert describe(past) == ["a 0 524+36 a", "a 1 524+24 s1"]
    into = build_async(("S", 100, "l", 8), ("T", 104, "l", 8, 1, (13, 15)), ("F", 110, "l", 8), text=text)
    assert describe(into) == ["l 0 100+10 l", "l 1 104+6 half"]


def test_a_mark_without_work_has_a_track_of_its_own() -> None:
    trace = build_async(("n", 5, "c", 71))
    assert [(t.kind, t.name) for t in trace.tracks] == [("async", "c")]
    assert trace.instants.time_ns.tolist() == [5]
