"""Objects and samples of Chrome traces: from the file through the cache to the lines of ``hlprof events``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import hlprof_core as hp
from hlprof_core.cli.events import lines
from hlprof_core.trace.crop import crop
from hlprof_core.trace.model import Trace
from hlprof_core.trace.ranges import TimeRange


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    file = tmp_path / "t.json"

    def opener(text: str | dict[str, Any]) -> Trace:
        file.write_text(text if isinstance(text, str) else json.dumps(text))
        first, again = hp.open_trace(file), hp.open_trace(file)
        assert told(first, "sample") == told(again, "sample")
        assert told(first, "object") == told(again, "object")
        return again

    return opener


def told(trace: Trace, kind: str) -> list[dict[str, Any]]:
    return list(lines(trace, (kind,), (None, None), with_args=False))


def codes(trace: Trace) -> dict[str, int]:
    return {d.code: d.count for d in trace.diagnostics}


def thing(phase: str, ts: float, **more: Any) -> dict[str, Any]:
    return {"ph": phase, "ts": ts, "pid": 1, "id": "0x10", "name": "node", **more}


def test_an_object_lives_from_creation_to_deletion_in_order_of_time(opened: Any) -> None:
    trace = opened({"traceEvents": [thing("O", 30.5), thing("N", 10), thing("D", 50), thing("O", 20), thing("N", 60)]})
    common = {"kind": "object", "id": "0x10", "name": "node", "pid": "1"}
    assert told(trace, "object") == [
        {**common, "start_ns": 10000, "end_ns": 50000, "snapshots_ns": [20000, 30500]},
        {**common, "start_ns": 60000, "end_ns": None, "snapshots_ns": []},
    ]
    assert not codes(trace)


def test_objects_of_two_processes_are_two_unless_their_id_is_global(opened: Any) -> None:
    trace = opened({"traceEvents": [thing("N", 1), thing("N", 2, pid=2), thing("D", 3, pid=2), thing("D", 4)]})
    assert [(o["pid"], o["end_ns"]) for o in told(trace, "object")] == [("1", 4000), ("2", 3000)]
    shared = {"id": None, "id2": {"global": 7}}
    trace = opened({"traceEvents": [thing("N", 1, **shared), thing("O", 2, pid=2, **shared), thing("D", 3, pid=2, **shared)]})
    assert [(o["id"], o["end_ns"], o["snapshots_ns"]) for o in told(trace, "object")] == [("7@global", 3000, [2000])]


def test_what_cannot_be_an_object_is_counted(opened: Any) -> None:
    trace = opened({"traceEvents": [thing("D", 1), thing("N", 2), thing("N", 3), thing("O", 4) | {"ts": "soon"}]})
    assert codes(trace) == {"read.bad_ts": 1, "layout.stray_delete": 1, "layout.created_again": 1}
    assert [(o["start_ns"], o["end_ns"]) for o in told(trace, "object")] == [(2000, 3000), (3000, None)]


FRAMES = {"1": {"name": "main"}, "2": {"name": "a", "parent": 1}, "3": {"name": "b", "parent": "2"}}


def test_samples_have_exact_times_and_stacks_from_the_root(opened: Any) -> None:
    text = (
        '{"traceEvents":[{"ph":"P","ts":1e0,"pid":"p","tid":5,"name":"s","sf":2},{"ph":"P","ts":3,"pid":"p","stack":["x","y"]}],'
        f'"stackFrames":{json.dumps(FRAMES)},"samples":[{{"ts":1727000000000000.123,"tid":1,"name":"cycles","sf":3,"weight":2.5}}]}}'
    )
    assert told(opened(text), "sample") == [
        {"kind": "sample", "pid": "p", "tid": "5", "time_ns": 1000, "name": "s", "weight": 1, "stack": ["main", "a"]},
        {"kind": "sample", "pid": "p", "tid": "p", "time_ns": 3000, "name": "", "weight": 1, "stack": ["x", "y"]},
        {"kind": "sample", "pid": "0", "tid": "1", "time_ns": 1727000000000000123, "name": "cycles", "weight": 2.5,
         "stack": ["main", "a", "b"]},
    ]  # fmt: skip


def test_a_sample_without_a_process_is_of_the_thread_it_names(opened: Any) -> None:
    events = [{"ph": "X", "pid": pid, "tid": tid, "ts": 1, "dur": 5, "name": "a"} for pid, tid in ((7, 70), (7, 1), (8, 1))]
    samples = [{"cpu": 0, "tid": tid, "ts": 2, "name": "cycles", "weight": 1} for tid in (70, 1, 5)]
    owners = {(sample["pid"], sample["tid"]) for sample in told(opened({"traceEvents": events, "samples": samples}), "sample")}
    assert owners == {("7", "70"), ("0", "1"), ("0", "5")}, "there are two threads 1, and no thread 5"


def test_frames_that_are_missing_or_call_themselves_do_no_harm(opened: Any) -> None:
    frames = {"1": {"name": "a", "parent": 2}, "2": {"name": "b", "parent": 1}, "3": {"name": "c", "parent": 99}}
    samples = [{"ts": 1, "sf": 1}, {"ts": 2, "sf": 7}, {"ts": 3, "sf": 3}, {"sf": 3}, 5]
    trace = opened({"traceEvents": [], "stackFrames": frames, "samples": samples})
    assert [s["stack"] for s in told(trace, "sample")] == [["b", "a"], [], ["c"]]
    assert codes(trace) == {"read.missing_frame": 2, "read.bad_ts": 1, "read.bad_profile": 1}


def test_a_deep_stack_is_read_without_recursion(opened: Any) -> None:
    deep = 10_000
    frames = {str(i): {"name": f"f{i}", "parent": i - 1} if i else {"name": "f0"} for i in range(deep)}
    trace = opened({"traceEvents": [], "stackFrames": frames, "samples": [{"ts": 1, "sf": deep - 1}]})
    assert told(trace, "sample")[0]["stack"] == [f"f{i}" for i in range(deep)]


def test_a_part_of_the_time_has_its_samples_and_objects(opened: Any) -> None:
    trace = opened({"traceEvents": [{"ph": "X", "ts": 0, "dur": 100, "pid": 1, "tid": 1, "name": "x"},
                                    {"ph": "i", "ts": 0, "pid": 2, "tid": 3, "name": "y"}, thing("N", 1), thing("O", 2),
                                    thing("O", 20), thing("D", 30), thing("N", 90)],
                    "samples": [{"ts": t, "pid": 1, "tid": 1} for t in (5, 15, 25)]})  # fmt: skip
    part = crop(trace, TimeRange(10_000, 20_000))
    assert [s["time_ns"] for s in told(part, "sample")] == [15_000]
    assert [o["snapshots_ns"] for o in told(part, "object")] == [[20_000]]
    assert (told(crop(trace, None, ("3",)), "sample"), told(crop(trace, None, ("3",)), "object")) == ([], [])
    assert len(told(crop(trace, None, ("1",)), "sample")) == 3


def slices(trace: Trace) -> dict[str, tuple[Any, Any]]:
    return {line["name"]: (line.get("stack"), line.get("end_stack")) for line in told(trace, "slice")}


def test_slices_have_the_stacks_where_they_begin_and_end(opened: Any) -> None:
    def event(phase: str, ts: int, name: str, **more: Any) -> dict[str, Any]:
        return {"ph": phase, "ts": ts, "pid": 1, "tid": 1, "name": name, **more}

    trace = opened({"traceEvents": [
        event("X", 1, "x", dur=2, sf=2, esf="3"), event("B", 4, "b", stack=["m", "n"]), event("B", 5, "in"),
        event("E", 6, "in", sf=1), event("E", 7, "b", stack=["m", "o"]), event("X", 8, "listed", dur=1, stack=["m"], estack=["m", "z"]),
        event("X", 9, "none", dur=1), event("b", 10, "work", id=1, sf=3), event("e", 11, "work", id=1, sf=2),
        event("i", 12, "mark", sf=1), event("X", 13, "lost", dur=1, sf=99), event("X", 14, "lost too", dur=1, sf=99),
    ], "stackFrames": FRAMES})  # fmt: skip
    assert slices(trace) == {
        "x": (["main", "a"], ["main", "a", "b"]), "b": (["m", "n"], ["m", "o"]), "in": (None, ["main"]), "listed": (["m"], ["m", "z"]),
        "none": (None, None), "work": (["main", "a", "b"], ["main", "a"]), "lost": (None, None), "lost too": (None, None),
    }  # fmt: skip
    assert codes(trace) == {"layout.other_stack": 1, "read.missing_frame": 2}
    part = crop(trace, TimeRange(4_000, 9_000))
    assert (slices(part)["b"], slices(part)["in"]) == ((["m", "n"], ["m", "o"]), (None, ["main"]))


def test_stacks_stay_with_their_slices_over_blocks_and_threads(opened: Any) -> None:
    """So long that several scanners read it; every third slice has a stack."""
    rows = [{"ph": "X", "ts": i, "dur": 1, "pid": 1, "tid": i % 3, "name": f"n{i}", "args": {"pad": "." * 300}}
            | ({"stack": ["main", f"f{i % 7}"]} if i % 3 == 0 else {}) for i in range(30_000)]  # fmt: skip
    trace = opened({"traceEvents": rows})
    found = slices(trace)
    assert all(found[f"n{i}"] == ((["main", f"f{i % 7}"] if i % 3 == 0 else None), None) for i in range(30_000))


def test_dumps_and_clock_marks_are_moments_and_contexts_last(opened: Any) -> None:
    trace = opened({"traceEvents": [
        {"ph": "v", "ts": 1, "pid": 3, "tid": 4, "id": "0x1", "args": {"dumps": {"rss": "7f"}}}, {"ph": "V", "ts": 2, "name": "all"},
        {"ph": "c", "ts": 3, "name": "clock_sync", "args": {"sync_id": "s"}}, {"ph": "c", "ts": 4},
        {"ph": "(", "ts": 5, "id": 1.5, "name": "ctx", "pid": 1}, {"ph": ")", "ts": 9, "id": 1.5, "name": "ctx", "pid": 1},
    ]})  # fmt: skip
    marks = list(lines(trace, ("instant",), (None, None), with_args=True))
    assert sorted((m["time_ns"], m["name"], m["scope"], m["pid"]) for m in marks) == [
        (1000, "memory dump", "process", "3"), (2000, "all", "global", "0"), (3000, "clock_sync", "global", "0"),
        (4000, "clock sync", "global", "0"),
    ]  # fmt: skip
    assert {"dumps": {"rss": "7f"}} in [m["args"] for m in marks]
    assert [(s["name"], s["start_ns"], s["dur_ns"], s["track_kind"]) for s in told(trace, "slice")] == [("ctx", 5000, 4000, "async")]
    assert not codes(trace)


def test_arguments_of_snapshots_and_samples_are_kept(opened: Any) -> None:
    trace = opened({"traceEvents": [thing("N", 1), thing("O", 2, args={"snapshot": {"layers": [1, 2]}}), thing("O", 3),
                                    {"ph": "P", "ts": 4, "pid": 1, "tid": 1, "name": "s", "args": {"cpu": 3}}]})  # fmt: skip
    shown = list(lines(trace, ("object", "sample"), (None, None), with_args=True))
    assert shown[0]["snapshots"] == [{"snapshot": {"layers": [1, 2]}}, {}]
    assert shown[1]["args"] == {"cpu": 3}


@pytest.mark.parametrize("text", ["1.5", "true", '"x"', "-3", "1e400", '{"a":[1]}', "0x10"])
def test_ids_are_any_scalar(opened: Any, text: str) -> None:
    ours = [f'{{"ph":"{phase}","ts":{ts},"id":{text},"name":"w"}}' for phase, ts in (("b", 1), ("e", 4))]
    other = '{"ph":"b","ts":2,"id":7,"name":"w"},{"ph":"e","ts":3,"id":7,"name":"w"}'
    trace = opened(f"[{ours[0]},{ours[1]},{other}]")
    assert sorted((s["start_ns"], s["dur_ns"]) for s in told(trace, "slice")) == [(1000, 3000), (2000, 1000)]
    assert not codes(trace)


def chunk(ts: int, nodes: list[Any], samples: list[int], deltas: list[Any], **more: Any) -> dict[str, Any]:
    data = {"cpuProfile": {"nodes": nodes, "samples": samples}, "timeDeltas": deltas}
    return {"ph": "P", "name": "ProfileChunk", "id": "0x7", "pid": 3, "tid": 99, "ts": ts, "args": {"data": data}} | more


def node(number: int, name: str, parent: int | None = None, **where: Any) -> dict[str, Any]:
    return {"id": number, "callFrame": {"functionName": name, **where}} | ({} if parent is None else {"parent": parent})


def test_profiles_of_v8_are_samples_of_the_thread_they_watch(opened: Any) -> None:
    trace = opened({"traceEvents": [
        chunk(900, [node(4, "", 2, url="a.js", lineNumber=6)], [4, 1], [50, "25.5"]),
        chunk(800, [node(1, "(root)"), node(2, "f", 1)], [2, 2, 8], [10, 5, 1]),
        {"ph": "P", "name": "Profile", "id": "0x7", "pid": 3, "tid": 11, "ts": 700, "args": {"data": {"startTime": 1000}}},
        chunk(5, [node(1, "other") | {"children": [2]}, node(2, "inner")], [2], [2], pid=4),
        {"ph": "P", "name": "Profile", "id": "0x8", "pid": 3, "tid": 11, "ts": 700},
    ]})  # fmt: skip
    shown = [(s["pid"], s["tid"], s["time_ns"], s["name"], s["stack"]) for s in told(trace, "sample")]
    assert shown == [
        ("4", "99", 7_000, "CpuProfile", ["other", "inner"]),
        ("3", "11", 700_000, "Profile", []),
        ("3", "11", 1_010_000, "CpuProfile", ["(root)", "f"]),
        ("3", "11", 1_015_000, "CpuProfile", ["(root)", "f"]),
        ("3", "11", 1_066_000, "CpuProfile", ["(root)", "f", "(anonymous) (a.js:7)"]),
        ("3", "11", 1_091_500, "CpuProfile", ["(root)"]),
    ]
    assert codes(trace) == {"read.bad_sample": 1}
