"""The buffer of synProfilerGetTrace: records, texts wherever the recording process had them, and what is lost with a cut."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hlprof_core.cli.events import lines
from hlprof_core.errors import UnrecognizedFormat
from hlprof_core.io.open import open_trace
from hlprof_core.io.readers.syn_layout import nanoseconds
from hlprof_core.trace.model import Trace
from tests.unit.io.readers.syn_packer import Packer, extended


def opened(folder: Path, data: bytes) -> Trace:
    path = folder / "buffer.bin"
    path.write_bytes(data)
    return open_trace(path, use_cache=False)


def told(trace: Trace, *kinds: str) -> list[dict[str, Any]]:
    return list(lines(trace, kinds, (None, None), with_args=True))


def codes(trace: Trace) -> dict[str, int]:
    return {d.code: d.count for d in trace.diagnostics}


def packed() -> Packer:
    p = Packer()
    p.add("M", "process_name", pid=2, meta=("*MME (accel0)", None))
    p.add("M", "thread_name", pid=2, tid=1, meta=("[HD0] MME", "device"))
    extra = {"HW event name": "SB0_START_EVT", "port": 8, "share": 0.5, "handle": (1 << 64) - 1}
    args = {"dtype": "bf16", "op": "conv", "recipe": 61055, "graph": "graph.g_1", "stream": 0xD9, "event": 0xE0, "extra": extra}
    p.add("B", "g_1_conv_0", 554804527286214, cat="SP 8", pid=2, tid=1, context=77, args=args)
    p.add("E", "g_1_conv_0", 554804546100000, pid=2, tid=1, context=77, args={"extra": {"HW event name": "WB0_END"}})
    p.add("X", "synLaunch", 554804500000001, dur_ns=2500, cat="runtime", pid=5, tid=9)
    p.add("i", "mark", 554804500000002, pid=5, tid=9)
    p.add("C", "[8] Back pressure", 554804520000000, cat="SPMU", pid=3, tid=4, value=18446744073709551415)
    p.add("C", "BMON", 554804521000000, pid=3, tid=4, counter=(1.5, 9.0, 4.0, 12))
    return p


def test_records_become_rows_slices_counters_and_arguments(tmp_path: Path) -> None:
    trace = opened(tmp_path, packed().pack())
    assert (trace.origin.format, trace.origin.properties["parserVersion"]) == ("syn-buffer", 7)
    conv, launch = sorted(told(trace, "slice"), key=lambda line: line["name"])
    assert (conv["process"], conv["thread"], conv["pid"], conv["tid"]) == ("*MME (accel0)", "[HD0] MME", "2", "1")
    assert (conv["start_ns"], conv["dur_ns"], conv["cat"]) == (554804527286214, 18813786, "SP 8")
    assert conv["args"] == {
        "dtype": "bf16", "op": "conv", "Recipe name": "graph.g_1", "Recipe id": 61055, "Context id": 77, "streamHandle": "0xd9",
        "eventHandle": "0xe0", "HW event name": "SB0_START_EVT", "port": 8, "share": 0.5, "handle": (1 << 64) - 1,
        "HW end event name": "WB0_END",
    }  # fmt: skip
    assert (launch["start_ns"], launch["dur_ns"], launch["pid"], launch["tid"]) == (554804500000001, 2500, "5", "9")
    assert {t.name: t.engine for t in trace.tracks}["[HD0] MME"] == "MME"
    assert [(m["name"], m["time_ns"]) for m in told(trace, "instant")] == [("mark", 554804500000002)]
    values = {(c["name"], c["series"]): (c["id"], c["value"]) for c in told(trace, "counter")}
    assert values == {
        ("[8] Back pressure", "value"): ("4", 1.8446744073709552e19), ("BMON", "Min"): ("4", 1.5), ("BMON", "Max"): ("4", 9),
        ("BMON", "Avg"): ("4", 4), ("BMON", "Match"): ("4", 12),
    }  # fmt: skip
    assert not codes(trace)


@pytest.mark.parametrize("base", [0, 16, 0x5555_0000_0000, 0x7FFF_FFFF_0000])
def test_texts_are_found_wherever_the_buffer_lay(tmp_path: Path, base: int) -> None:
    first, other = packed(), packed()
    other.base = base
    assert told(opened(tmp_path, other.pack()), "slice") == told(opened(tmp_path, first.pack()), "slice")


def test_a_packed_buffer_is_read_too(tmp_path: Path) -> None:
    assert told(opened(tmp_path, gzip.compress(packed().pack())), "slice") == told(opened(tmp_path, packed().pack()), "slice")


def test_a_cut_buffer_gives_what_is_left_and_says_so(tmp_path: Path) -> None:
    whole = packed().pack()
    without_texts = opened(tmp_path, whole[: 208 * 6 + 100])
    assert len(without_texts.slices) == 2
    assert {"read.truncated", "read.bad_text"} <= set(codes(without_texts))
    without_tail = opened(tmp_path, whole[:-20])
    assert "synLaunch" in {s["name"] for s in told(without_tail, "slice")}
    assert "read.truncated" in codes(without_tail)


def test_texts_outside_of_the_buffer_and_bad_times_are_told(tmp_path: Path) -> None:
    p = packed()
    data = bytearray(p.pack())
    data[4 * 208 : 4 * 208 + 8] = (1).to_bytes(8, "little")
    trace = opened(tmp_path, bytes(data))
    assert codes(trace) == {"read.bad_text": 1}
    assert [d.first for d in trace.diagnostics] == [("record 4, byte 832",)]


def test_other_binary_files_are_no_buffers(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    for size in (16, 223, 1000, 100_000):
        with pytest.raises(UnrecognizedFormat):
            opened(tmp_path, b"\x01" + rng.bytes(size))
    with pytest.raises(UnrecognizedFormat):
        opened(tmp_path, b"\x01" + bytes(4096))


@settings(max_examples=200, deadline=None)
@given(st.integers(-(1 << 62), 1 << 62))
def test_times_are_exact_to_the_nanosecond(time_ns: int) -> None:
    from fractions import Fraction

    values = np.frombuffer(extended(Fraction(time_ns, 1000)), "V16")
    assert nanoseconds(values) == [time_ns]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("BEXiC"), st.text("ab\u77e9 ", max_size=5), st.integers(0, 1 << 60), st.integers(0, 5),
                          st.one_of(st.none(), st.text("xyz", max_size=3))), min_size=1, max_size=12),
       st.sampled_from([0x10, 0x7F00_0000_0000]))  # fmt: skip
def test_what_is_packed_is_read(tmp_path_factory: pytest.TempPathFactory, rows: list[Any], base: int) -> None:
    """Against the same events as JSON."""
    p, events = Packer(base), []
    for phase, name, time_ns, tid, op in rows:
        p.add(phase, name, time_ns, dur_ns=5, tid=tid, **({"value": 3, "cat": "SPMU"} if phase == "C" else {"args": {"op": op or None}}))
        event = {"ph": phase, "name": name, "ts": f"{time_ns // 1000}.{time_ns % 1000:03d}", "pid": 0, "tid": tid}
        event |= {"dur": "0.005"} if phase == "X" else {}
        if phase == "C":
            event |= {"args": {"value": 3}, "id": str(tid)}
        elif op:
            event["args"] = {"op": op}
        events.append(event)
    folder = tmp_path_factory.mktemp("b")
    (folder / "t.json").write_text(json.dumps(events))
    kinds = ("slice", "instant", "counter")
    got, want = told(opened(folder, p.pack()), *kinds), told(open_trace(folder / "t.json", use_cache=False), *kinds)
    assert [g | {"cat": ""} for g in got] == [w | {"cat": ""} for w in want]
