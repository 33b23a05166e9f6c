"""The profiler's CSV: columns, arguments, processes by engine class, what is left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from hlprof_core.errors import UnrecognizedFormat
from hlprof_core.io.open import open_trace
from hlprof_core.io.writers import write_trace
from hlprof_core.trace.model import Trace

HEADER = (
    "Name,Trace Source,Engine,Event type,Timestamp[usec],recipeHandle,streamHandle,Recipe ID,Recipe name,Context ID,Device,Operation,"
    "Data Type,HW Event port,HW Event description,SPMU value,"
    "BMON min,BMON avg,BMON max,BMON matches,BMON configured cycles,NIC Packets amount,Misc"
)


def opened(folder: Path, *rows: str, header: str = HEADER) -> Trace:
    path = folder / "hw.csv"
    path.write_text("\n".join((header, *rows)) + "\n")
    return open_trace(path, use_cache=False)


def row(name: str, engine: str, kind: str, time: str, event: str = "", value: str = "", device: str = "accel0", source: str = "HW") -> str:
    return f"{name},{source},{engine},{kind},{time},0x55,0xd9,61055,recipe.g_1,7,{device},gemm,bf16,8,{event},{value},,,,,,,"


def test_pairs_arguments_and_processes(tmp_path: Path) -> None:
    trace = opened(
        tmp_path,
        row("mm", "[HD0] MME", "BEGIN", "554804519.935268", "SB0_START_EVT"),
        row("mm", "[HD0] MME", "END", "554804520.095267", "WB0_END"),
        row("k", "[HD0] TPC 5", "INSTANT", "554804520.1", "TPC_QMAN_CMD_EXE"),
        row("cnt", "[D0] Cache Slice", "COUNTER", "554804520.2", "SPMU", "18446744073709551415"),
        row("x", "[D0] SPDMA 0", "BEGIN", "554804520.3", source="SW"),
        row("x", "[D0] SPDMA 0", "END", "554804520.4", source="SW"),
        row("y", "[D0] SPDMA 0", "BEGIN", "554804520.3", device="accel1"),
        row("y", "[D0] SPDMA 0", "END", "554804520.4", device="accel1"),
    )
    names = [trace.name(i) for i in range(len(trace.slices))]
    mm = names.index("mm")
    assert int(trace.slices.start_ns[mm]) == 554804519935
    assert int(trace.slices.dur_ns[mm]) == 160
    assert trace.args(mm) == {
        "recipeHandle": "0x55", "streamHandle": "0xd9", "Recipe id": 61055, "Recipe name": "recipe.g_1", "Context id": 7, "op": "gemm",
        "dtype": "bf16", "HW event port": 8, "HW event name": "SB0_START_EVT", "HW end event name": "WB0_END",
    }  # fmt: skip
    assert trace.args(names.index("x"))["Trace Source"] == "SW"
    assert {p.name for p in trace.processes} == {"MME", "TPC", "DMA", "Other engines", "DMA (accel1)"}
    assert trace.counters.value.tolist() == [18446744073709551415.0]
    assert trace.diagnostics == ()


def test_a_newer_column_and_another_order(tmp_path: Path) -> None:
    header = "Unique Node ID,Timestamp[usec],Event type,Engine,Name"
    trace = opened(tmp_path, "u1,1.0,BEGIN,TPC 0,k", "u1,2.0,END,TPC 0,k", header=header)
    assert trace.args(0) == {"Unique Node ID": "u1"}
    assert int(trace.slices.dur_ns[0]) == 1000


def test_quoting_bom_crlf_and_a_missing_last_line_end(tmp_path: Path) -> None:
    path = tmp_path / "hw.csv"
    path.write_bytes(b'\xef\xbb\xbfName,Engine,Event type,Timestamp[usec]\r\n"a, ""b""",TPC 1,BEGIN,1\r\n"a, ""b""",TPC 1,END,2')
    trace = open_trace(path, use_cache=False)
    assert trace.name(0) == 'a, "b"'


def test_bad_rows_are_counted_with_their_lines(tmp_path: Path) -> None:
    trace = opened(
        tmp_path,
        row("a", "TPC 0", "BEGIN", "1"),
        row("a", "TPC 0", "END", "2"),
        "too,short",
        row("b", "TPC 0", "BEGIN", "soon"),
        row("b", "TPC 0", "MIDDLE", "3"),
        row("c", "TPC 0", "COUNTER", "3", value="many"),
    )
    assert len(trace.slices) == 1
    told = {d.code: d.first for d in trace.diagnostics}
    assert told == {
        "read.bad_row": ("line 4",),
        "read.bad_ts": ("line 5",),
        "read.unknown_phase": ("line 6",),
        "read.bad_value": ("line 7",),
    }


def test_a_csv_of_something_else_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnrecognizedFormat):
        opened(tmp_path, "1,2", header="a,b")


def test_the_published_node(samples: Path) -> None:
    trace = open_trace(samples / "gaudi" / "debug_hw_prof_accel0_001.csv", use_cache=False)
    mme = [i for i in range(len(trace.slices)) if trace.tracks[int(trace.slices.track[i])].engine == "MME"]
    start = min(int(trace.slices.start_ns[i]) for i in mme)
    end = max(int(trace.slices.start_ns[i] + trace.slices.dur_ns[i]) for i in mme)
    assert (len(mme), start, end) == (8, 554804527286, 554804546100)


def test_counters_of_bus_monitors_have_their_series(tmp_path: Path) -> None:
    fields = dict.fromkeys(HEADER.split(","), "")
    fields |= {"Name": "bus", "Engine": "HBM 0", "Event type": "COUNTER", "Timestamp[usec]": "1.5", "BMON min": "1", "BMON avg": "2.5",
               "BMON max": "4", "BMON matches": "9"}  # fmt: skip
    trace = opened(tmp_path, ",".join(fields.values()))
    write_trace(trace, tmp_path / "again.csv")
    for found in (trace, open_trace(tmp_path / "again.csv", use_cache=False)):
        values = {(s.name, s.series): float(found.counters.value[found.counters.offsets[s.id]]) for s in found.series}
        assert values == {("bus", "Min"): 1.0, ("bus", "Avg"): 2.5, ("bus", "Max"): 4.0, ("bus", "Match"): 9.0}
        assert not found.diagnostics


def pair(name: str, kind: str, time: str, context: int, event: str = "", source: str = "HW") -> str:
    fields = dict.fromkeys(HEADER.split(","), "")
    fields |= {"Name": name, "Trace Source": source, "Engine": "[HD0] MME", "Event type": kind, "Timestamp[usec]": time}
    fields |= {"Context ID": str(context), "HW Event description": event}
    return ",".join(fields.values())


def found(trace: Trace) -> list[tuple[str, int, int, object]]:
    s = trace.slices
    rows = [(trace.name(i), int(s.start_ns[i]), int(s.dur_ns[i]), trace.args(i).get("Context id")) for i in range(len(s))]
    return sorted(rows, key=lambda r: r[1:])


def test_nodes_in_flight_at_once_end_where_they_say(tmp_path: Path) -> None:
    """The next node begins before the last one has ended, also one of the same name."""
    trace = opened(
        tmp_path, pair("a", "BEGIN", "1", 1, "START"), pair("b", "BEGIN", "2", 2), pair("a", "END", "3", 1, "WB0_END"),
        pair("a", "BEGIN", "4", 3), pair("b", "END", "5", 2), pair("a", "BEGIN", "6", 4), pair("a", "END", "7", 3),
        pair("a", "END", "9", 4),
    )  # fmt: skip
    assert found(trace) == [("a", 1000, 2000, 1), ("b", 2000, 3000, 2), ("a", 4000, 3000, 3), ("a", 6000, 3000, 4)]
    assert {d.code: d.count for d in trace.diagnostics} == {"layout.overlap": 2}
    first = next(i for i in range(len(trace.slices)) if trace.slices.start_ns[i] == 1000)
    assert (trace.args(first)["HW event name"], trace.args(first)["HW end event name"]) == ("START", "WB0_END")


def test_nested_nodes_and_lost_ends_are_as_in_other_formats(tmp_path: Path) -> None:
    nested = opened(tmp_path, pair("a", "BEGIN", "1", 1), pair("b", "BEGIN", "2", 2), pair("b", "END", "3", 2), pair("a", "END", "4", 1))
    assert found(nested) == [("a", 1000, 3000, 1), ("b", 2000, 1000, 2)]
    assert not nested.diagnostics
    # The end of b is lost: it ends with what is around it. An end of another context ends the innermost slice of its name.
    lost = opened(tmp_path, pair("a", "BEGIN", "1", 1), pair("b", "BEGIN", "2", 2), pair("a", "END", "4", 1))
    assert found(lost) == [("a", 1000, 3000, 1), ("b", 2000, 2000, 2)]
    other = opened(tmp_path, pair("a", "BEGIN", "1", 1), pair("a", "BEGIN", "2", 2), pair("a", "END", "3", 9), pair("a", "END", "4", 1))
    assert found(other) == [("a", 1000, 3000, 1), ("a", 2000, 1000, 2)]


def test_software_rows_nest(tmp_path: Path) -> None:
    """A function that calls itself: the inner call returns first."""
    times = (("BEGIN", "1"), ("BEGIN", "2"), ("END", "3"), ("END", "9"))
    rows = {source: opened(tmp_path, *(pair("f", kind, time, 1, source=source) for kind, time in times)) for source in ("SW", "HW")}
    assert [r[1:3] for r in found(rows["SW"])] == [(1000, 8000), (2000, 1000)]
    assert [r[1:3] for r in found(rows["HW"])] == [(1000, 2000), (2000, 7000)]
