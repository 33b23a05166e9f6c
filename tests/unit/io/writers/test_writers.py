"""What each format looks like, and that a file appears whole or not at all."""

from __future__ import annotations

import csv
import json
import tarfile
import zipfile
from pathlib import Path

import pytest

from hlprof_core.analysis.export import export_database
from hlprof_core.errors import ExportError, UsageError
from hlprof_core.io.open import open_trace
from hlprof_core.io.writers import write_trace
from hlprof_core.io.writers.gaudi_csv import COLUMNS, NODE_ID
from hlprof_core.trace.args import MemoryText
from hlprof_core.trace.builder import TraceBuilder
from hlprof_core.trace.model import Origin, Trace
from tests.rank_trace import rank_trace

BEGIN = {"op": "gemm", "dtype": "bf16", "Recipe name": "g_1", "Recipe id": 61055, "Context id": 7}
BEGIN |= {"HW event name": "START", "HW event port": 1}


@pytest.fixture
def trace() -> Trace:
    build = TraceBuilder()
    build.process(1, "MME", labels=("accel0",), sort_index=2)
    build.thread(1, 0, "[HD0] MME")
    build.begin(1, 0, 554804527286, "conv", cat="HE 8", args={**BEGIN, "recipeHandle": "0x55ce"})
    build.end(1, 0, 554804546101, "conv", args={"HW event name": "WB0_END", "HW event port": 18})
    build.instant(1, 0, 554804546200, "conv", args={"HW event name": "MARK"})
    build.counter(1, 554804546300, "[8] pressure", {"value": 18446744073709551415.0}, counter_id="[HD0] TPC 1")
    build.slice(5, 9, 554804527000, 200, "synLaunch", args=b'{"loss":NaN,"x":"\xc3\xa9"}')
    build.flow("s", 5, 9, 554804527000, 3)
    build.flow("f", 1, 0, 554804527286, 3)
    return build.finish(Origin("test", base_ns=17, properties={"displayTimeUnit": "ms", "traceEvents": "no", "otherData": {"v": 1}}))


def test_chrome_json_keeps_the_form_of_each_event(trace: Trace, tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    assert write_trace(trace, path) == ()
    text = path.read_text("utf-8")
    data = json.loads(text)
    assert (data["displayTimeUnit"], data["otherData"], data["baseTimeNanoseconds"]) == ("ms", {"v": 1}, 17)
    phases = [e["ph"] for e in data["traceEvents"]]
    assert "".join(phases).lstrip("M") == "XsBfEiC"
    begin, end = (next(e for e in data["traceEvents"] if e["ph"] == ph) for ph in "BE")
    assert begin["args"] == {**BEGIN, "recipeHandle": "0x55ce"}
    assert end["args"] == {"HW event name": "WB0_END", "HW event port": 18}
    assert '"ts":554804546.101' in text  # exact, no float in between
    assert '"args":{"loss":NaN,"x":"é"}' in text  # as the file had it
    assert '"value":18446744073709551616' in text


def test_equal_traces_give_equal_packed_files(trace: Trace, tmp_path: Path) -> None:
    for suffix in (".json.gz", ".hltv"):
        first, second = tmp_path / f"a{suffix}", tmp_path / f"b{suffix}"
        write_trace(trace, first)
        write_trace(trace, second)
        assert first.read_bytes() == second.read_bytes()
        assert first.read_bytes()[:2] == b"\x1f\x8b"


def test_csv_has_the_columns_and_rows_of_the_profiler(trace: Trace, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    lost = write_trace(trace, path)
    text = path.read_text("ascii")
    header, *rows = csv.reader(text.splitlines())
    assert tuple(header) == COLUMNS
    assert len(header) == 23
    table = [dict(zip(header, row, strict=True)) for row in rows]
    assert [r["Event type"] for r in table] == ["BEGIN", "END", "BEGIN", "END", "INSTANT", "COUNTER"]
    begin, end = table[2], table[3]
    assert (begin["Name"], begin["Engine"], begin["Trace Source"], begin["Device"]) == ("conv", "[HD0] MME", "HW", "accel0")
    assert (begin["Timestamp[usec]"], end["Timestamp[usec]"]) == ("554804527.286000", "554804546.101000")
    assert (begin["Operation"], begin["Recipe ID"], begin["Context ID"], begin["recipeHandle"]) == ("gemm", "61055", "7", "0x55ce")
    assert (begin["HW Event description"], begin["HW Event port"]) == ("START", "1")
    assert (end["HW Event description"], end["HW Event port"], end["Operation"]) == ("WB0_END", "18", "gemm")
    counter = table[5]
    assert (counter["Name"], counter["Engine"], counter["SPMU value"]) == ("[8] pressure", "[HD0] TPC 1", "18446744073709551616")
    assert {d.code for d in lost} == {"export.flows", "export.args", "export.categories"}


def test_csv_grows_a_column_for_node_ids(tmp_path: Path) -> None:
    build = TraceBuilder()
    build.slice(1, "TPC 0", 0, 5, "relu", args={NODE_ID: 12})
    path = tmp_path / "t.csv"
    write_trace(build.finish(Origin("test")), path)
    header, first, _ = csv.reader(path.read_text().splitlines())
    assert (header[23], first[23]) == (NODE_ID, "12")


def test_csv_read_again_is_the_same_hardware(trace: Trace, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    write_trace(trace, path)
    again = open_trace(path, use_cache=False)
    number = next(i for i in range(len(again.slices)) if again.name(i) == "conv")
    assert (int(again.slices.start_ns[number]), int(again.slices.dur_ns[number])) == (554804527286, 18815)
    assert again.args(number)["HW end event name"] == "WB0_END"


def test_csv_keeps_calls_apart_that_nest_and_tells_hardware_that_does(tmp_path: Path) -> None:
    """A function that calls itself keeps its ends; two nodes of one name and context on an engine cannot be told apart."""

    def again(tid: str) -> tuple[list[tuple[int, int]], dict[str, int]]:
        build = TraceBuilder()
        build.thread(1, tid, tid)
        build.slice(1, tid, 0, 9000, "f")
        build.slice(1, tid, 1000, 2000, "f")
        lost = write_trace(build.finish(Origin("test")), tmp_path / "t.csv")
        slices = open_trace(tmp_path / "t.csv", use_cache=False).slices
        return sorted(zip(slices.start_ns.tolist(), slices.dur_ns.tolist(), strict=True)), {d.code: d.count for d in lost}

    assert again("python") == ([(0, 9000), (1000, 2000)], {})
    assert again("TPC 0") == ([(0, 3000), (1000, 8000)], {"export.overlap": 2})


def test_csv_keeps_rows_of_one_name_apart_and_tells_marks_of_asynchronous_work(tmp_path: Path) -> None:
    build = TraceBuilder()
    for pid, name in ((1, "server"), (2, "client"), (3, "client")):
        build.process(pid, name)
        build.thread(pid, 7, "main")
        build.slice(pid, 7, 1000 * pid, 5000, "f")
    told = {d.code: d for d in write_trace(build.finish(Origin("test")), tmp_path / "t.csv")}
    assert told["export.rows"].first == ("main (client)", "main (3 #2)")
    again = open_trace(tmp_path / "t.csv", use_cache=False)
    assert {t.name for t in again.tracks} == {"main", "main (client)", "main (3 #2)"}
    assert again.slices.dur_ns.tolist() == [5000] * 3
    events = [{"ph": phase, "name": name, "id": 1, "ts": ts} for ts, (phase, name) in enumerate((("b", "a"), ("n", "m"), ("e", "a")))]
    (tmp_path / "a.json").write_text(json.dumps(events))
    told = {d.code: d for d in write_trace(open_trace(tmp_path / "a.json", use_cache=False), tmp_path / "t.csv")}
    assert told["export.async"].count == 2


@pytest.mark.parametrize("container", ["tar", "zip"])
def test_archive_holds_the_trace_and_what_it_is_given(trace: Trace, tmp_path: Path, container: str) -> None:
    path = tmp_path / "t.hltv"
    write_trace(trace, path, extras={"prof-data/config/prof_config.json": b"{}"}, container=container)
    if container == "zip":
        with zipfile.ZipFile(path) as archive:
            members = archive.namelist()
    else:
        with tarfile.open(path, "r:gz") as archive:
            members = archive.getnames()
    assert members == ["prof-data/config/prof_config.json", "prof-data/hlprof/trace.json"]
    assert len(open_trace(path, use_cache=False).slices) == len(trace.slices)


def test_members_stay_inside(trace: Trace, tmp_path: Path) -> None:
    path = tmp_path / "t.hltv"
    for name in ("../x", "/x", "prof-data/hlprof/trace.json"):
        with pytest.raises(ExportError, match="member"):
            write_trace(trace, path, extras={name: b""})
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_suffix_names_the_known_ones(trace: Trace, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"\.json\.gz"):
        write_trace(trace, tmp_path / "t.xyz")


def test_what_stood_there_survives_a_failure(trace: Trace, tmp_path: Path) -> None:
    class Gone(MemoryText):
        def read(self, offset: int, length: int) -> bytes:
            raise OSError(5, "Input/output error")

    path = tmp_path / "t.json"
    path.write_text("before")
    broken = Trace(**{**{name: getattr(trace, name) for name in trace.__struct_fields__}, "args_text": Gone()})
    with pytest.raises(ExportError, match="Input/output error"):
        write_trace(broken, path)
    assert path.read_text() == "before"
    assert [p.name for p in tmp_path.iterdir()] == ["t.json"]


def test_a_folder_that_is_not_there_is_named(trace: Trace, tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="No such file"):
        write_trace(trace, tmp_path / "missing" / "t.json")
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(ExportError, match="is a directory"):
        write_trace(trace, tmp_path / "folder.json")


def test_ids_that_look_alike_stay_apart(tmp_path: Path) -> None:
    build = TraceBuilder()
    build.slice(1, 1, 0, 1, "number")
    build.slice("1", 1, 0, 1, "text")
    path = tmp_path / "t.json"
    write_trace(build.finish(Origin("test")), path)
    assert len(open_trace(path, use_cache=False).processes) == 2


def test_a_chain_of_arrows_survives(tmp_path: Path) -> None:
    build = TraceBuilder()
    for number, name in enumerate("abcd"):
        build.slice(1, number, 10 * number, 5, name)
    for phase, number in (("s", 0), ("t", 1), ("t", 2), ("f", 3)):
        build.flow(phase, 1, number, 10 * number, 7)
    path = tmp_path / "t.json"
    write_trace(build.finish(Origin("test")), path)
    assert [e["ph"] for e in json.loads(path.read_text())["traceEvents"] if e["ph"] in "stf"] == ["s", "t", "t", "f"]
    again = open_trace(path, use_cache=False)
    pairs = zip(again.flows.from_slice, again.flows.to_slice, strict=True)
    assert sorted((again.name(a), again.name(b)) for a, b in pairs) == [("a", "b"), ("b", "c"), ("c", "d")]


def test_an_arrow_to_a_slice_with_a_child_at_its_start_finds_it_again(tmp_path: Path) -> None:
    build = TraceBuilder()
    build.slice(1, 1, 0, 5, "launch")
    build.slice(2, 1, 100, 50, "outer")
    build.flow("s", 1, 1, 0, 7)
    build.flow("f", 2, 1, 99, 7, enclosing=False)
    build.slice(2, 1, 100, 10, "inner")
    path = tmp_path / "t.json"
    write_trace(build.finish(Origin("test")), path)
    again = open_trace(path, use_cache=False)
    assert again.name(int(again.flows.to_slice[0])) == "outer"


def test_asynchronous_work_is_written_as_such(tmp_path: Path) -> None:
    source, target = tmp_path / "a.json", tmp_path / "b.json"
    events = [("b", "req", 0), ("b", "step", 2), ("n", "mark", 3), ("e", "step", 5), ("e", "req", 10)]
    events += [("b", "open", 11), ("b", "dot", 12), ("e", "dot", 12)]
    source.write_text(json.dumps([{"ph": p, "name": n, "cat": "a", "id": 1, "pid": 1, "tid": 1, "ts": t} for p, n, t in events]))
    trace = open_trace(source, use_cache=False)
    write_trace(trace, target)
    again = open_trace(target, use_cache=False)
    for name in ("start_ns", "dur_ns", "depth", "track", "parent", "flags"):
        assert getattr(again.slices, name).tolist() == getattr(trace.slices, name).tolist()
    assert [(t.kind, t.name) for t in again.tracks] == [(t.kind, t.name) for t in trace.tracks]
    assert again.instants.track.tolist() == trace.instants.track.tolist()


def test_an_open_slice_stays_open_where_it_keeps_its_length(tmp_path: Path) -> None:
    build = TraceBuilder()
    build.begin(1, 1, 0, "open")
    build.instant(1, 2, 10, "last")
    path = tmp_path / "t.json"
    write_trace(build.finish(Origin("test")), path)
    assert [e["ph"] for e in json.loads(path.read_text())["traceEvents"] if e["ph"] != "M"] == ["B", "i"]
    build = TraceBuilder()
    build.begin(1, 1, 0, "open")
    build.end(1, 1, 10, "stray")
    write_trace(build.finish(Origin("test")), path)
    assert open_trace(path, use_cache=False).slices.dur_ns.tolist() == [10]


def test_times_at_both_ends_of_the_clock_are_written(tmp_path: Path) -> None:
    build, most = TraceBuilder(), (1 << 63) - 1
    build.slice(1, 1, -most, 5, "first")
    build.slice(1, 1, most - 5, 5, "last")
    trace = build.finish(Origin("test"))
    for name in ("t.json", "t.csv", "t.hltv"):
        write_trace(trace, tmp_path / name)
        again = open_trace(tmp_path / name, use_cache=False).slices
        assert (again.start_ns.tolist(), again.dur_ns.tolist()) == ([-most, most - 5], [5, 5])
    export_database(trace, tmp_path / "t.sqlite")
    export_database(trace, tmp_path / "t.parquet")


def test_objects_samples_and_stacks_are_written_or_told(tmp_path: Path) -> None:
    source = tmp_path / "objects.json"
    source.write_text(
        '[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":"a","stack":["m"]},{"ph":"N","pid":1,"tid":1,"ts":1,"name":"o","id":"0x1"},'
        '{"ph":"P","pid":1,"tid":1,"ts":2,"name":"s"}]'
    )
    trace = open_trace(source, use_cache=False)
    assert write_trace(trace, tmp_path / "out.json") == ()
    again = open_trace(tmp_path / "out.json", use_cache=False)
    assert (len(again.objects), len(again.stack_samples), len(again.slice_stacks)) == (1, 1, 1)
    told = {d.code: d.count for d in write_trace(trace, tmp_path / "out.csv")}
    assert told == {"export.objects": 1, "export.samples": 1, "export.stacks": 1}
    for database in ("out.sqlite", "out.parquet"):
        told = {d.code: d.count for d in export_database(trace, tmp_path / database)}
        assert told == {"export.objects": 1, "export.samples": 1, "export.stacks": 1}


def test_processes_of_three_files_with_one_id_stay_three(tmp_path: Path) -> None:
    build = TraceBuilder()
    for label in ("a", "b", "c", "d"):
        build.begin_member(label)
        build.process(1, f"python {label}")
        build.slice(1, 1, 0, 5, label)
    trace = build.finish(Origin("test"))
    lost = write_trace(trace, tmp_path / "t.json")
    assert [(d.code, d.severity, d.count) for d in lost] == [("export.ids", "notice", 2)]
    again = open_trace(tmp_path / "t.json", use_cache=False)
    assert [(p.pid, p.name, p.labels) for p in again.processes] == [
        ("1", "python a", ("a",)), ("1", "python b", ("b",)), ("1 #3", "python c", ("c",)), ("1 #4", "python d", ("d",)),
    ]  # fmt: skip


def test_ranks_that_one_file_cannot_keep_are_told(tmp_path: Path) -> None:
    ranks = rank_trace()
    told = {d.code: (d.severity, d.count) for d in write_trace(ranks, tmp_path / "all.json")}
    assert told["export.ranks"] == ("data-loss", sum(track.rank >= 0 for track in ranks.tracks))
    one = tmp_path / "one.json"
    one.write_text('{"distributedInfo":{"rank":3},"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":"a"}]}')
    assert write_trace(open_trace(one, use_cache=False), tmp_path / "again.json") == ()
    assert [track.rank for track in open_trace(tmp_path / "again.json", use_cache=False).tracks] == [3]
