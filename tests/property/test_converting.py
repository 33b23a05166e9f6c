"""What ``hlprof convert`` writes is read again as it was, in each format as far as it can hold it; what it cannot hold is told."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hlprof_core.analysis.export import export_database
from hlprof_core.cli.events import lines
from hlprof_core.io.open import open_trace
from hlprof_core.io.writers import write_trace
from hlprof_core.trace.crop import crop
from hlprof_core.trace.model import Trace
from hlprof_core.trace.ranges import TimeRange

KINDS = ("slice", "instant", "counter", "flow", "sample", "object")
FRAMES = {"1": {"name": "main"}, "2": {"name": "a", "parent": "1"}, "3": {"name": "b", "parent": 2}, "4": {"name": "main", "parent": "3"}}
IDS = st.sampled_from([1, 2, "1", "io"])
STACK = st.one_of(st.none(), st.sampled_from([1, "2", 3, "4"]), st.lists(st.sampled_from(["x", "y", 'q"']), max_size=3))
ARGS = st.one_of(st.none(), st.just({"op": "gemm", "x": [1.5, None]}), st.just({}))
MICROS = st.one_of(st.integers(0, 12), st.integers(0, 40).map(lambda n: n / 8), st.just(1727000000000000))


@st.composite
def event(draw: st.DrawFn) -> dict[str, Any]:
    phase = draw(st.sampled_from("XXBEEbeniCPNODvc()stf"))
    found: dict[str, Any] = {"ph": phase, "ts": draw(MICROS), "pid": draw(IDS), "tid": draw(IDS), "name": draw(st.sampled_from("abü"))}
    if phase in "NODP":  # these tables know processes by the text of their ids
        found |= {"pid": draw(st.sampled_from([1, 2, "io"])), "tid": 1}
    if phase == "X":
        found |= {"dur": draw(MICROS) % 20, "cat": draw(st.sampled_from(["", "k"]))}
    for key in ("sf", "esf") if phase == "X" else ("sf",) if phase in "BEbeP" else ():
        stack = draw(STACK)
        if stack is not None:
            found[{"sf": "stack", "esf": "estack"}[key] if isinstance(stack, list) else key] = stack
    if phase in "benNOD()stf":
        found["id"] = draw(st.sampled_from([1, "0x2"]))
        found["cat"] = "k"
    if phase == "C":
        found["args"] = {"v": draw(st.sampled_from([1, 2.5]))}
    elif (args := draw(ARGS)) is not None and phase not in "stf":
        found["args"] = args
    if phase == "P" and draw(st.booleans()):
        found["weight"] = draw(st.sampled_from([1, 0.5, 7]))
    if phase == "f":
        found["bp"] = "e"
    return found


def told(trace: Trace) -> Counter[str]:
    """All of a trace; ``id`` of arrows may get a number behind it where one id made several chains, names of async rows an id."""
    found: Counter[str] = Counter()
    for line in lines(trace, KINDS, (None, None), with_args=True):
        if line["kind"] == "flow":
            line.pop("id")
        if line.get("track_kind") == "async" or line["kind"] == "instant":
            line.pop("tid")
            line.pop("thread")
        found[json.dumps(line, sort_keys=True)] += 1
    return found


def opened(folder: Path, events: list[dict[str, Any]]) -> Trace:
    source = folder / "source.json"
    last = {"ph": "i", "ts": 1727000000000900, "pid": 1, "tid": 1, "name": "last"}  # so that open slices end with something that is written
    source.write_text(json.dumps({"traceEvents": [*events, last], "stackFrames": FRAMES}))
    return open_trace(source, use_cache=False)


QUIET = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.parametrize("suffix", [".json", ".json.gz", ".hltv"])
@QUIET
@given(events=st.lists(event(), max_size=10))
def test_chrome_json_holds_all(suffix: str, tmp_path: Path, events: list[dict[str, Any]]) -> None:
    trace = opened(tmp_path, events)
    path = tmp_path / f"again{suffix}"
    assert write_trace(trace, path) == ()
    assert told(open_trace(path, use_cache=False)) == told(trace)


@QUIET
@given(events=st.lists(event(), max_size=10), borders=st.tuples(st.integers(-100, 14000), st.integers(0, 9000)))
def test_a_part_is_written_as_it_is(tmp_path: Path, events: list[dict[str, Any]], borders: tuple[int, int]) -> None:
    """Arrows within the part are kept, and those over its border counted."""
    trace = opened(tmp_path, events)
    part = crop(trace, TimeRange(borders[0], sum(borders)))
    assert write_trace(part, tmp_path / "part.json") == ()

    def without_rows(of: Trace) -> Counter[str]:
        """Rows of a part are those of the whole; read by themselves some are not needed."""
        found: Counter[str] = Counter()
        for line, count in told(of).items():
            found[json.dumps({k: v for k, v in json.loads(line).items() if k not in ("depth", "unfinished")}, sort_keys=True)] += count
        return found

    assert without_rows(open_trace(tmp_path / "part.json", use_cache=False)) == without_rows(part)
    s, f = trace.slices, trace.flows
    end_ns, low, high = s.start_ns + s.dur_ns, borders[0], sum(borders)
    is_in = ((s.start_ns < high) & (end_ns > low)) | ((s.dur_ns == 0) & (s.start_ns >= low) & (s.start_ns <= high))
    halves = int((is_in[f.from_slice] != is_in[f.to_slice]).sum())
    assert {d.code: d.count for d in part.diagnostics}.get("crop.flow", 0) == halves
    assert len(part.flows) == int((is_in[f.from_slice] & is_in[f.to_slice]).sum())


@QUIET
@given(events=st.lists(event(), max_size=10))
def test_csv_holds_hardware_events_and_tells_the_rest(tmp_path: Path, events: list[dict[str, Any]]) -> None:
    """Names, times and known arguments of thread slices by row; what is written twice is the same."""
    trace = opened(tmp_path, events)
    path = tmp_path / "again.csv"
    lost = {d.code for d in write_trace(trace, path)}
    again = open_trace(path, use_cache=False)

    def rows(of: Trace) -> Counter[Any]:
        slices = [s for s in lines(of, ("slice",), (None, None), with_args=True) if s["track_kind"] != "async"]
        return Counter((s["thread"], s["name"], s["start_ns"], s["dur_ns"], s["args"].get("op")) for s in slices)

    def values(of: Trace) -> Counter[Any]:
        return Counter((c["time_ns"], c["value"]) for c in lines(of, ("counter",), (None, None), with_args=False))

    s = trace.slices
    if not lost & {"export.overlap", "export.rows"}:
        assert rows(again) == rows(trace)
    assert values(again) == values(trace)
    is_async = [trace.tracks[t].kind == "async" for t in (*s.track.tolist(), *trace.instants.track.tolist())]
    beside = (("export.async", sum(is_async)), ("export.flows", len(trace.flows)), ("export.samples", len(trace.stack_samples)),
              ("export.objects", len(trace.objects)), ("export.stacks", len(trace.slice_stacks)))  # fmt: skip
    assert all((code in lost) == (count > 0) for code, count in beside)
    write_trace(again, tmp_path / "twice.csv")
    assert rows(open_trace(tmp_path / "twice.csv", use_cache=False)) == rows(again)


@settings(QUIET, max_examples=15)
@given(events=st.lists(event(), max_size=10))
def test_databases_hold_their_tables(tmp_path: Path, events: list[dict[str, Any]]) -> None:
    trace = opened(tmp_path, events)
    s = trace.slices
    want = sorted((trace.name(k), int(s.start_ns[k]), int(s.dur_ns[k]), int(s.depth[k]), int(s.track[k])) for k in range(len(s)))
    told_sqlite = {d.code for d in export_database(trace, tmp_path / "t.sqlite")}
    with closing(sqlite3.connect(tmp_path / "t.sqlite")) as database:
        got = database.execute("SELECT name, start_ns, dur_ns, depth, track_id FROM slices").fetchall()
        counts = [database.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("instants", "counters", "flows", "tracks")]
    assert sorted(got) == want
    assert counts == [len(trace.instants), len(trace.counters), len(trace.flows), len(trace.tracks)]
    told_parquet = {d.code for d in export_database(trace, tmp_path / "t.parquet")}
    rows = duckdb.execute(f"SELECT name, start_ns, dur_ns, depth, track_id FROM '{tmp_path}/t.parquet'").fetchall()
    assert sorted(rows) == want
    beside = {"export.samples": len(trace.stack_samples), "export.objects": len(trace.objects), "export.stacks": len(trace.slice_stacks)}
    assert all((code in told_sqlite) == (code in told_parquet) == (count > 0) for code, count in beside.items())
    tables = {"export.instants": len(trace.instants), "export.counter": len(trace.counters), "export.arrows": len(trace.flows)}
    assert all((code in told_parquet) == (count > 0) for code, count in tables.items())
