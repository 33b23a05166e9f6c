"""Archives of several traces, packed members, zstd: nothing of two members merges, and what is broken is told."""

from __future__ import annotations

import codecs
import ctypes
import gzip
import io
import json
import random
import struct
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hlprof_core.cli.events import lines
from hlprof_core.errors import TraceDamaged, TraceError, UnrecognizedFormat
from hlprof_core.io import spill, zstd
from hlprof_core.io.open import open_trace
from hlprof_core.io.readers import hltv
from hlprof_core.trace.model import Trace
from tests.unit.io.readers.syn_packer import Packer


def pack(kind: str, members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in members.items():
                archive.writestr(name, data)
    else:
        with tarfile.open(fileobj=out, mode="w:gz" if kind == "tar.gz" else "w") as tape:
            for name, data in members.items():
                entry = tarfile.TarInfo(name)
                entry.size = len(data)
                tape.addfile(entry, io.BytesIO(data))
    return out.getvalue()


def zst(data: bytes) -> bytes:
    library = zstd.library()
    if library is None:
        pytest.skip("this system has no libzstd")
    library.ZSTD_compress.restype = ctypes.c_size_t
    library.ZSTD_compress.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int)
    out = ctypes.create_string_buffer(len(data) + 1024)
    size = library.ZSTD_compress(out, len(out), data, len(data), 3)
    return out.raw[:size]


def opened(folder: Path, data: bytes, name: str = "t.bin") -> Trace:
    (folder / name).write_bytes(data)
    return open_trace(folder / name, use_cache=False)


def told(trace: Trace, *kinds: str) -> list[dict[str, Any]]:
    return list(lines(trace, kinds, (None, None), with_args=True))


def codes(trace: Trace) -> dict[str, int]:
    return {d.code: d.count for d in trace.diagnostics}


def rank(number: int | None, start: float, **more: Any) -> dict[str, Any]:
    """A trace in which everything has the same ids as in the others."""
    return {
        "traceEvents": [
            {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "python"}},
            {"ph": "X", "name": "launch", "ts": start, "dur": 2, "pid": 1, "tid": 1, "args": {"rank": number}},
            {"ph": "X", "name": "kernel", "ts": start + 5, "dur": 2, "pid": 1, "tid": 2, "args": {"rank": number}},
            {"ph": "s", "id": 9, "name": "f", "ts": start + 1, "pid": 1, "tid": 1},
            {"ph": "f", "id": 9, "name": "f", "ts": start + 5, "pid": 1, "tid": 2, "bp": "e"},
            {"ph": "b", "id": 9, "cat": "a", "name": "work", "ts": start, "pid": 1},
            {"ph": "e", "id": 9, "cat": "a", "name": "work", "ts": start + 3, "pid": 1},
            {"ph": "N", "id": "0x1", "name": "thing", "ts": start, "pid": 1},
            {"ph": "C", "name": "mem", "ts": start, "pid": 1, "args": {"used": 1}},
        ],
        **({"distributedInfo": {"rank": number}} if number is not None else {}),
        **more,
    }


def test_ranks_with_equal_ids_stay_apart(tmp_path: Path) -> None:
    members = {"a.json": json.dumps(rank(0, 100)).encode(), "b.json": json.dumps(rank(3, 200)).encode()}
    trace = opened(tmp_path, pack("zip", members))
    assert [(p.pid, p.name, p.labels) for p in trace.processes] == [("1", "python", ("a.json",)), ("1", "python", ("b.json",))]
    assert {(t.process, t.rank) for t in trace.tracks} == {(0, 0), (1, 3)}
    assert [(f["from"]["start_ns"], f["to"]["start_ns"]) for f in told(trace, "flow")] == [(100_000, 105_000), (200_000, 205_000)]
    work = [s for s in told(trace, "slice") if s["name"] == "work"]
    assert [(s["start_ns"], s["dur_ns"]) for s in work] == [(100_000, 3_000), (200_000, 3_000)]
    assert {s["args"]["rank"] for s in told(trace, "slice") if s["name"] == "kernel"} == {0, 3}
    assert [(o["start_ns"], o["end_ns"]) for o in told(trace, "object")] == [(100_000, None), (200_000, None)]
    assert len(trace.series) == 2
    assert trace.origin.properties == {"members": {"a.json": {"distributedInfo": {"rank": 0}}, "b.json": {"distributedInfo": {"rank": 3}}}}
    assert not codes(trace)


def test_the_rank_may_be_in_the_name_of_the_member(tmp_path: Path) -> None:
    members = {f"run/rank_{n}.json": json.dumps(rank(None, 100 * n)).encode() for n in (2, 7)}
    assert {t.rank for t in opened(tmp_path, pack("tar", members)).tracks} == {2, 7}


def test_members_are_moved_to_one_clock(tmp_path: Path) -> None:
    base = 1_727_000_000_000_000_000
    members = {
        "a.json": json.dumps(rank(0, 100, baseTimeNanoseconds=base)).encode(),
        "b.json": json.dumps(rank(1, 100, baseTimeNanoseconds=base + 7)).encode(),
        "c.json": json.dumps(rank(2, 100, baseTimeNanoseconds=5)).encode(),
    }
    trace = opened(tmp_path, pack("tar.gz", members))
    assert trace.origin.base_ns == base
    assert sorted(s["start_ns"] for s in told(trace, "slice") if s["name"] == "launch") == [100_000, 100_000, 100_007]
    assert sorted(o["start_ns"] for o in told(trace, "object")) == [100_000, 100_000, 100_007]
    assert codes(trace) == {"archive.aligned": 1, "archive.other_clock": 1}


CSV = b"Name,Engine,Event type,Timestamp[usec]\nk,TPC 0,BEGIN,1.5\nk,TPC 0,END,2.5\n"


@pytest.mark.parametrize("kind", ["zip", "tar", "tar.gz"])
def test_members_may_be_packed_and_of_any_format(tmp_path: Path, kind: str) -> None:
    text = json.dumps(rank(0, 1)).encode()
    wide = codecs.BOM_UTF16_LE + json.dumps(rank(0, 2)).encode("utf-16-le")
    members = {"a.json.gz": gzip.compress(text), "b.json": wide, "c.csv": CSV, "d.csv.gz": gzip.compress(CSV), "e.zst": zst(text),
               "broken.json.gz": gzip.compress(noise())[:-700], "note.txt.gz": gzip.compress(b"hello")}  # fmt: skip
    trace = opened(tmp_path, pack(kind, members))
    assert sorted({label for p in trace.processes for label in p.labels}) == [
        "a.json.gz", "b.json", "broken.json.gz", "c.csv", "d.csv.gz", "e.zst",
    ]  # fmt: skip
    assert sum(s["name"] == "k" for s in told(trace, "slice")) == 2
    assert {"archive.damaged", "archive.other_members"} <= set(codes(trace))
    (damage,) = [d for d in trace.diagnostics if d.code == "archive.damaged"]
    assert damage.first[0].startswith("broken.json.gz: ")
    assert ".." not in str(damage.first) + damage.message


def noise() -> bytes:
    chance = random.Random(1)
    return json.dumps([{"ph": "i", "ts": i, "name": f"{chance.random()}"} for i in range(60_000)]).encode()


def test_the_table_of_nodes_is_a_property_beside_a_trace(tmp_path: Path) -> None:
    row = {"Unit": "MME", "Node Name": "n", "Start time of node": 1.5, "End time of node": 2.5}
    table = json.dumps({"analyzer_metadata": [row]}).encode()
    trace = opened(tmp_path, pack("zip", {"prof-data/host/host_trace.json": json.dumps(rank(0, 1)).encode(),
                                          "views/trace_analyzer.json": table}))  # fmt: skip
    assert trace.origin.properties["trace_analyzer"] == {"analyzer_metadata": [row]}
    assert not [s for s in told(trace, "slice") if s["name"] == "n"]
    assert [p.labels for p in trace.processes] == [()]
    alone = opened(tmp_path, pack("zip", {"views/trace_analyzer.json": table, "prof-data/bin/x.bin": bytes(50)}))
    assert [(s["name"], s["start_ns"], s["dur_ns"]) for s in told(alone, "slice")] == [("n", 1500, 1000)]
    assert codes(alone) == {"archive.raw_data": 1}


def test_trace_buffers_are_read_from_archives_and_other_bin_files_are_not(tmp_path: Path) -> None:
    buffer = Packer()
    buffer.add("X", "launch", 554804500000001, dur_ns=2500, pid=5, tid=9)
    buffer.add("i", "mark", 554804500000001, pid=5, tid=9)
    trace = opened(tmp_path, pack("zip", {"prof-data/bin/a.bin": buffer.pack(), "prof-data/bin/b.bin": bytes(range(256)) * 9}))
    assert [(s["name"], s["start_ns"]) for s in told(trace, "slice")] == [("launch", 554804500000001)]
    assert codes(trace) == {"archive.raw_data": 1}


def test_archives_within_archives_are_listed(tmp_path: Path) -> None:
    inner = pack("zip", {"a.json": json.dumps(rank(0, 1)).encode()})
    with pytest.raises(UnrecognizedFormat, match=r"inner\.hltv"):
        opened(tmp_path, pack("zip", {"inner.hltv": inner}))


@pytest.mark.parametrize("seekable", [True, False])
def test_a_zip_that_is_cut_off_gives_what_is_there(tmp_path: Path, seekable: bool) -> None:
    """Its directory is at the end; members whose sizes stand behind their data are read as well."""

    class Pipe(io.BytesIO):
        def tell(self) -> int:
            raise OSError("a pipe")

    out = io.BytesIO() if seekable else Pipe()
    texts = {"a.json": json.dumps(rank(0, 1)).encode(), "notes.txt": b"no trace", "b.json": noise()}
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in texts.items():
            archive.writestr(name, text)
    data = out.getvalue()
    whole, cut = opened(tmp_path, data), opened(tmp_path, data[: len(data) * 2 // 3])
    assert told(cut, "slice") == told(whole, "slice")
    assert 1000 < len(cut.instants) < len(whole.instants)
    assert codes(cut)["archive.damaged"] == 2
    assert len(opened(tmp_path, data[:-30]).instants) == len(whole.instants)
    with pytest.raises(TraceDamaged, match="damaged"):
        opened(tmp_path, pack("zip", {"a.txt": b"no trace"})[:-30])


def test_zstd_is_read_by_magic_in_frames_and_tapes(tmp_path: Path) -> None:
    text = json.dumps(rank(0, 1)).encode()
    want = told(opened(tmp_path, text), "slice")
    half = len(text) // 2
    assert told(opened(tmp_path, zst(text)), "slice") == want
    assert told(opened(tmp_path, zst(text[:half]) + zst(text[half:])), "slice") == want
    skippable = struct.pack("<II", 0x184D2A50, 3) + b"xyz"
    assert told(opened(tmp_path, zst(text) + skippable), "slice") == want
    assert told(opened(tmp_path, skippable + zst(text)), "slice") == want
    trailing = opened(tmp_path, zst(text) + b"rest of it")
    assert (told(trailing, "slice"), codes(trailing)) == (want, {"read.trailing_data": 1})
    tape = opened(tmp_path, zst(pack("tar", {"a.json": text})))
    assert (tape.origin.format, told(tape, "slice")) == ("hltv", want)


def test_zstd_that_is_cut_or_damaged_gives_what_is_there(tmp_path: Path) -> None:
    data = zst(noise())
    cut = opened(tmp_path, data[: len(data) // 2])
    assert 1000 < len(cut.instants) < 60_000
    assert "read.truncated" in codes(cut)
    broken = bytearray(data)
    broken[len(data) * 3 // 4 : len(data) * 3 // 4 + 40] = bytes(40)
    damaged = opened(tmp_path, bytes(broken))
    assert 1000 < len(damaged.instants) <= 60_000
    with pytest.raises(TraceDamaged, match="zstd"):
        opened(tmp_path, data[:4] + b"\xff" * 40)
    with pytest.raises(TraceDamaged, match="zstd data end before"):
        opened(tmp_path, zst(b""))


def test_without_the_library_zstd_is_refused_with_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = zst(b"[]")
    monkeypatch.setattr(zstd, "library", lambda: None)
    with pytest.raises(TraceError, match="libzstd") as caught:
        opened(tmp_path, data)
    assert (caught.value.exit_code, "unzstd" in caught.value.hint) == (3, True)


TEXT = b'[{"ph":"i","ts":1},' + b" " * (32 << 20)
BOMBS: dict[str, Callable[[], bytes]] = {
    "zstd": lambda: zst(TEXT),
    "zip": lambda: pack("zip", {"a.json": TEXT}),
    "gzip in tar": lambda: pack("tar", {"a.json.gz": gzip.compress(TEXT)}),
    "gzip that is large itself": lambda: pack("zip", {"a.json.gz": b"\x1f\x8b\x08" + bytes(32 << 20)}),
}


@pytest.mark.parametrize("kind", BOMBS)
def test_decompression_bombs_stop_at_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    for module in (spill, hltv):
        monkeypatch.setattr(module, "RATIO_FROM", 1 << 20)
    with pytest.raises(TraceError, match=r"times (its|the) size"):
        opened(tmp_path, BOMBS[kind]())
