"""Opening copes with any file: a trace, or one of our errors; never another exception."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import tempfile
import zipfile
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from hlprof_core.errors import TraceError
from hlprof_core.io.open import open_trace

EVENTS = [
    {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "p"}},
    {"ph": "B", "name": "a", "ts": 1, "pid": 1, "tid": 1, "args": {"x": [1, {"y": "z"}]}},
    {"ph": "E", "ts": 5.5, "pid": 1, "tid": 1},
    {"ph": "C", "name": "c", "ts": 2, "pid": 1, "args": {"v": 1, "w": "2"}},
    {"ph": "b", "name": "r", "cat": "n", "id2": {"local": "0x1"}, "ts": 3, "pid": 1},
    {"ph": "s", "name": "f", "id": 1, "ts": 2, "pid": 1, "tid": 1},
]
JSON = json.dumps({"deviceProperties": [{"id": 0}], "traceEvents": EVENTS * 3}).encode()
CSV = b"Name,Engine,Event type,Timestamp[usec]\nk,TPC 0,BEGIN,1.0\nk,TPC 0,END,2.0\nc,TPC 0,COUNTER,3.0\n"


def zipped() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        z.writestr("a.json", JSON)
        z.writestr("b.csv", CSV)
    return out.getvalue()


def tarred() -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as t:
        for name, data in (("prof-data/hlprof/trace.json", JSON), ("prof-data/config/prof_config.json", b"{}")):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            t.addfile(info, io.BytesIO(data))
    return out.getvalue()


SEEDS = [JSON, json.dumps(EVENTS).encode(), CSV, gzip.compress(JSON), zipped(), tarred(), gzip.decompress(tarred())]
edit = st.tuples(st.integers(0, 10**6), st.sampled_from(["set", "cut", "put", "end"]), st.binary(min_size=1, max_size=8))


def changed(seed: bytes, edits: list[tuple[int, str, bytes]]) -> bytes:
    data = bytearray(seed)
    for place, kind, piece in edits:
        at = place % (len(data) + 1)
        if kind == "set":
            data[at : at + len(piece)] = piece
        elif kind == "cut":
            del data[at : at + 10 * len(piece)]
        elif kind == "put":
            data[at:at] = piece
        else:
            del data[at:]
    return bytes(data)


def open_bytes(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t"
        path.write_bytes(data)
        try:
            trace = open_trace(path, use_cache=False)
        except TraceError as error:
            line = str(error)
        else:
            line = ""
        assert "\n" not in line
        if line:
            return
        for i in range(len(trace.slices)):
            trace.args(i)
        for diagnostic in trace.diagnostics:
            assert diagnostic.count > 0


@settings(max_examples=250, deadline=None)
@given(st.integers(0, len(SEEDS) - 1), st.lists(edit, min_size=1, max_size=4))
def test_changed_traces(seed: int, edits: list[tuple[int, str, bytes]]) -> None:
    open_bytes(changed(SEEDS[seed], edits))


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=300), st.sampled_from([b"", b"{", b"[", b"\x1f\x8b", b"PK\x03\x04", b"Name,Engine,Event type,Timestamp[usec]\n"]))
@example(b"\0" * 1024, b"")
def test_any_bytes(data: bytes, start: bytes) -> None:
    open_bytes(start + data)
