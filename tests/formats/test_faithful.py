"""What a reader must keep: nanoseconds, ids, groups, arrows, series, overlaps, and sizes beyond what anybody draws."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hlprof_core.cli.events import lines
from hlprof_core.io.open import open_trace
from hlprof_core.io.writers import write_trace
from hlprof_core.trace.model import Trace


def opened(folder: Path, events: list[Any] | str, name: str = "t.json") -> Trace:
    (folder / name).write_text(events if isinstance(events, str) else json.dumps(events))
    return open_trace(folder / name, use_cache=False)


def told(trace: Trace, *kinds: str, args: bool = False) -> list[dict[str, Any]]:
    return list(lines(trace, kinds, (None, None), with_args=args))


def codes(trace: Trace) -> dict[str, int]:
    return {d.code: d.count for d in trace.diagnostics}


EPOCH = 1727000000123456789
CSV_HEADER = "Name,Engine,Event type,Timestamp[usec]\n"
NODES_HEADER = "Unit,Node Name,Start time of node,End time of node\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", '[{"ph":"X","ts":1727000000123456.789,"dur":0.001,"pid":1,"tid":1,"name":"k"}]'),
        ("b.json", '[{"ph":"B","ts":"1727000000123456.789","pid":1,"name":"k"},{"ph":"E","ts":1.72700000012345679E15,"pid":1}]'),
        ("c.json", '[{"ph":"X","ts":1727000000123456789e-3,"dur":1e-3,"pid":1,"tid":1,"name":"k"}]'),
        ("d.csv", CSV_HEADER + "k,TPC 0,BEGIN,1727000000123456.789000\nk,TPC 0,END,1727000000123456.790000\n"),
        ("e.csv", NODES_HEADER + "TPC,k,1727000000123456.789000,1727000000123456.790000\n"),
    ],
)
def test_nanoseconds_at_epoch_scale(tmp_path: Path, name: str, text: str) -> None:
    trace = opened(tmp_path, text, name)
    assert [(s["start_ns"], s["dur_ns"]) for s in told(trace, "slice")] == [(EPOCH, 1)]
    write_trace(trace, tmp_path / "again.json")
    write_trace(trace, tmp_path / "again.csv")
    for again in ("again.json", "again.csv"):
        assert [(s["start_ns"], s["dur_ns"]) for s in told(open_trace(tmp_path / again, use_cache=False), "slice")] == [(EPOCH, 1)]


def test_ids_that_look_alike_are_never_merged(tmp_path: Path) -> None:
    tokens = ["1", '"1"', "1.0", "-1", "4294967297", "18446744073709551617", '"0x1"', "true", '"true"', "1e0", '"1.0"']
    events = [f'{{"ph":"i","ts":1,"name":"n","pid":{pid},"tid":{tid}}}' for pid in tokens for tid in tokens]
    trace = opened(tmp_path, f"[{','.join(events)}]")
    assert len(trace.processes) == len(tokens)
    assert len(trace.tracks) == len(tokens) ** 2
    write_trace(trace, tmp_path / "again.json")
    assert len(open_trace(tmp_path / "again.json", use_cache=False).tracks) == len(tokens) ** 2


def test_asynchronous_work_is_grouped_by_category_id_and_scope(tmp_path: Path) -> None:
    """Eight pieces of work that begin together and end in the same order: none ends another's."""
    who: list[dict[str, Any]] = [
        {"id": 1, "cat": "a"}, {"id": 2, "cat": "a"}, {"id": 1, "cat": "b"}, {"id": 1, "cat": "a", "scope": "s"},
        {"id2": {"local": 1}, "cat": "a", "pid": 1}, {"id2": {"local": 1}, "cat": "a", "pid": 2}, {"id2": {"global": 1}, "cat": "a"},
        {"id": "0x1", "cat": "a"},
    ]  # fmt: skip
    both = (("b", 0), ("e", 100))
    events = [{"ph": phase, "ts": at + n, "pid": 1, "tid": 1, "name": "w", **w} for phase, at in both for n, w in enumerate(who)]
    trace = opened(tmp_path, events)
    assert sorted((s["start_ns"], s["dur_ns"]) for s in told(trace, "slice")) == [(1000 * n, 100_000) for n in range(8)]
    assert not codes(trace)
    # Global ids end in another process, local ones do not.
    trace = opened(tmp_path, [
        {"ph": phase, "ts": pid, "pid": pid, "id2": {kind: 5}, "name": kind}
        for kind in ("global", "local") for phase, pid in (("b", 1), ("e", 2))
    ])  # fmt: skip
    assert codes(trace) == {"layout.unfinished": 1, "layout.stray_end": 1}


def test_arrows_bind_as_the_format_says_and_loose_ones_are_counted(tmp_path: Path) -> None:
    def slice_of(name: str, ts: int, tid: int) -> dict[str, Any]:
        return {"ph": "X", "ts": ts, "dur": 10, "pid": 1, "tid": tid, "name": name}

    def mark(phase: str, flow: int, ts: int, tid: int, **more: Any) -> dict[str, Any]:
        return {"ph": phase, "id": flow, "ts": ts, "pid": 1, "tid": tid, "name": "f", "cat": "c", **more}

    trace = opened(tmp_path, [
        slice_of("from", 0, 1), slice_of("around", 20, 2), slice_of("next", 40, 2), slice_of("step", 20, 3),
        mark("s", 1, 5, 1), mark("f", 1, 25, 2),                 # no bp: the next slice of the row
        mark("s", 2, 5, 1), mark("f", 2, 25, 2, bp="e"),         # bp e: the one around it
        mark("s", 3, 5, 1), mark("t", 3, 25, 3), mark("f", 3, 45, 2, bp="e"),
        mark("s", 4, 5, 1),                                      # nobody answers
        mark("f", 5, 25, 2, bp="e"),                             # nobody asked
        mark("s", 6, 500, 1), mark("f", 6, 25, 2, bp="e"),       # begins outside of any slice
        mark("s", 7, 5, 1), mark("f", 7, 25, 2, bp="e", cat="d"),  # another category
    ])  # fmt: skip
    arrows = sorted((f["id"], f["from"]["name"], f["to"]["name"]) for f in told(trace, "flow"))
    assert arrows == [("1", "from", "next"), ("2", "from", "around"), ("3", "from", "step"), ("3", "step", "next")]
    assert codes(trace) == {"layout.unbound_flow": 6}


def test_counters_have_all_their_series(tmp_path: Path) -> None:
    trace = opened(tmp_path, [
        {"ph": "C", "ts": 1, "pid": 1, "name": "mem", "args": {"used": 1, "free": 2.5, "note": "x"}},
        {"ph": "C", "ts": 2, "pid": 1, "name": "mem", "args": {"used": "7", "free": -1e300}},
        {"ph": "C", "ts": 2, "pid": 1, "name": "mem", "id": "0x9", "args": {"used": True}},
        {"ph": "C", "ts": 2, "pid": 2, "name": "mem", "args": {"used": 9007199254740993}},
    ])  # fmt: skip
    values = sorted((c["pid"], c["id"] or "", c["series"], c["time_ns"], c["value"]) for c in told(trace, "counter"))
    assert values == [
        ("1", "", "free", 1000, 2.5), ("1", "", "free", 2000, -1e300), ("1", "", "used", 1000, 1), ("1", "", "used", 2000, 7),
        ("1", "0x9", "used", 2000, 1), ("2", "", "used", 2000, 9007199254740992),
    ]  # fmt: skip
    assert codes(trace) == {"read.text_counter": 1}


def test_slices_that_overlap_keep_their_ends_on_rows_of_their_own(tmp_path: Path) -> None:
    rows = [{"ph": "X", "ts": 10 * n, "dur": 25, "pid": 1, "tid": 1, "name": f"s{n}"} for n in range(6)]
    trace = opened(tmp_path, rows)
    found = sorted((s["start_ns"], s["dur_ns"]) for s in told(trace, "slice"))
    assert found == [(10_000 * n, 25_000) for n in range(6)]
    taken: dict[int, int] = {}
    for s in sorted(told(trace, "slice"), key=lambda s: s["start_ns"]):
        assert s["start_ns"] >= taken.get(s["depth"], 0), "two slices on one row at one time"
        taken[s["depth"]] = s["start_ns"] + s["dur_ns"]
    assert set(codes(trace)) == {"layout.overlap"}


def test_ten_thousand_levels(tmp_path: Path) -> None:
    n = 10_000
    begins = [{"ph": "B", "ts": i, "pid": 1, "tid": 1, "name": f"n{i}"} for i in range(n)]
    trace = opened(tmp_path, [*begins, *({"ph": "E", "ts": n + i, "pid": 1, "tid": 1} for i in range(n))])
    assert int(trace.slices.depth.max()) == n - 1
    found = [(s["depth"], s["start_ns"], s["dur_ns"]) for s in told(trace, "slice")]
    assert found == [(i, 1000 * i, 1000 * (2 * n - 1 - 2 * i)) for i in range(n)]
    assert not codes(trace)
    write_trace(trace, tmp_path / "again.json")
    assert told(open_trace(tmp_path / "again.json", use_cache=False), "slice") == told(trace, "slice")


def test_a_hundred_thousand_tracks(tmp_path: Path) -> None:
    n = 100_000
    events = [f'{{"ph":"X","ts":{i},"dur":1,"pid":{i % 100},"tid":{i},"name":"a"}}' for i in range(n)]
    trace = opened(tmp_path, f"[{','.join(events)}]")
    assert (len(trace.tracks), len(trace.processes), len(trace.slices)) == (n, 100, n)
    assert {(t.pid, t.tid) for t in trace.tracks} == {(str(i % 100), str(i)) for i in range(n)}
    # Each row has the slice that was recorded on it.
    starts = zip(trace.slices.start_ns.tolist(), trace.slices.track.tolist(), strict=True)
    assert all(start == 1000 * int(trace.tracks[track].tid) for start, track in starts)


def test_three_megabytes_of_arguments(tmp_path: Path) -> None:
    large = {"kernel": "x" * 3_000_000, "list": list(range(1000))}
    events = [{"ph": "X", "ts": i, "dur": 1, "pid": 1, "tid": 1, "name": f"n{i}", "args": large if i == 5 else {"i": i}} for i in range(10)]
    trace = opened(tmp_path, events)
    found = {s["name"]: s["args"] for s in told(trace, "slice", args=True)}
    assert found["n5"] == large
    assert found["n6"] == {"i": 6}
    write_trace(trace, tmp_path / "again.hltv")
    again = told(open_trace(tmp_path / "again.hltv", use_cache=False), "slice", args=True)
    assert {s["name"]: s["args"] for s in again} == found
