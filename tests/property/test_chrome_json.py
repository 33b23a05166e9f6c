"""The reader against the plain ``json`` module: whatever the spelling, form, block size or number of threads, the same events."""

from __future__ import annotations

import itertools
import json
import re
from decimal import ROUND_HALF_UP, Decimal
from typing import Any
from unittest import mock

import numpy as np
import orjson
from hypothesis import given, settings
from hypothesis import strategies as st

from hlprof_core.diagnostics import DiagnosticLog
from hlprof_core.errors import UnrecognizedFormat
from hlprof_core.io.readers import event_scan
from hlprof_core.io.readers.chrome_json import ChromeJson
from hlprof_core.io.source import MemorySource
from hlprof_core.progress import Progress


class Recorder:
    """Takes what a reader feeds to a builder, as plain Python."""

    def __init__(self, data: bytes) -> None:
        self.log = DiagnosticLog()
        self.data = data
        self.rows: list[tuple[Any, Any]] = []
        self.events: list[tuple[Any, ...]] = []
        self.samples: list[tuple[Any, ...]] = []
        self.names: dict[Any, Any] = {}
        self.texts: list[str] = []

    def adopt_strings(self, data: bytes, offsets: Any) -> None:
        self.texts = [data[a:b].decode() for a, b in itertools.pairwise(offsets)]
        assert self.texts[0] == ""
        assert len(set(self.texts)) == len(self.texts)

    def row(self, pid: Any, tid: Any) -> int:
        self.rows.append((pid, tid))
        return len(self.rows) - 1

    def add_events(self, b: Any, stacks: Any = None) -> None:
        assert stacks is None
        for i in range(len(b)):
            args = orjson.loads(self.data[b.args_offset[i] :][: b.args_length[i]]) if b.args_length[i] else None
            words = [self.texts[column[i]] for column in (b.name, b.cat, b.id)]
            self.events.append((chr(b.phase[i]), int(b.ts_ns[i]), int(b.dur_ns[i]), self.rows[b.row[i]], *words, args))

    def add_samples(self, b: Any) -> None:
        for i in range(len(b)):
            row = (int(b.time_ns[i]), self.rows[b.row[i]][0], self.texts[b.name[i]], self.texts[b.series[i]], float(b.value[i]))
            self.samples.append(row)

    def process(self, pid: Any, name: str | None = None, **more: Any) -> None:
        self.names[pid] = name

    def thread(self, pid: Any, tid: Any, name: str | None = None, **more: Any) -> None:
        self.names[pid, tid] = name


def read(data: bytes, threads: int, block: int) -> Recorder:
    recorder = Recorder(data)
    with mock.patch.object(event_scan, "MIN_RANGE", 64), mock.patch.object(event_scan, "BLOCK", block):
        recorder.contents = ChromeJson().read(MemorySource(data), recorder, Progress(), threads)  # type: ignore[attr-defined,arg-type]
    return recorder


def ns(value: Any) -> int:
    return int((Decimal(str(value)) * 1000).quantize(Decimal(1), ROUND_HALF_UP))


def identity(event: dict[str, Any]) -> tuple[Any, Any]:
    pid = event.get("pid")
    tid = event.get("tid")
    pid = 0 if pid is None else pid
    return pid, pid if tid is None else tid


def expected(events: list[dict[str, Any]]) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]], dict[Any, Any]]:
    rows, samples, names = [], [], {}
    for e in events:
        pid, tid = identity(e)
        if e["ph"] == "M":
            names[(pid, tid) if e["name"] == "thread_name" else pid] = e["args"]["name"]
        elif e["ph"] == "C":
            for key, value in e["args"].items():
                samples.append((ns(e["ts"]), pid, e["name"], key, float(value)))
        else:
            dur = ns(e["dur"]) if "dur" in e else np.iinfo(np.int64).min
            ident = e.get("id")
            rows.append(
                (
                    e["ph"],
                    ns(e["ts"]),
                    dur,
                    (pid, tid),
                    e.get("name", ""),
                    e.get("cat", ""),
                    "" if ident is None else str(ident),
                    e.get("args"),
                )
            )
    return rows, samples, names


NASTY = ['"', "\\", "\n", "},{", '{"ph":"X","ts":1}', "]", "[", "é", "矩阵", "🧮", "\0", "\x1f", "", "a" * 70, "\\u0041", "/"]
text = st.one_of(st.text(st.characters(exclude_categories=["Cs"]), max_size=12), st.lists(st.sampled_from(NASTY), max_size=4).map("".join))
micro = st.one_of(
    st.integers(-(10**12), 10**15),
    st.integers(0, 9 * 10**15).map(lambda n: float(f"{n / 1000:.3f}") if n < 10**11 else n),
    st.decimals(-1000, 10**6, places=5).map(float),
)
scalar = st.one_of(st.integers(-5, 5), st.integers(2**62, 2**70), text, st.none())
value = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(2**60), 2**60), text),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=8,
)


def shuffled(required: dict[str, Any], optional: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(required, optional=optional).flatmap(lambda d: st.permutations(list(d.items()))).map(dict)


plain = shuffled(
    {"ph": st.sampled_from("BEXiInbeSTFpstf"), "ts": micro},
    {
        "name": text,
        "cat": text,
        "dur": micro,
        "pid": scalar,
        "tid": scalar,
        "id": st.integers(0, 99) | text,
        "args": st.dictionaries(text, value, min_size=1, max_size=4),
        "other": value,
    },
)
counter = shuffled(
    {
        "ph": st.just("C"),
        "ts": micro,
        "name": text,
        "args": st.dictionaries(text, st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**70), 2**70), max_size=4),
    },
    {"pid": scalar},
)
named = shuffled(
    {"ph": st.just("M"), "name": st.sampled_from(["process_name", "thread_name"]), "args": st.fixed_dictionaries({"name": text})},
    {"pid": scalar, "tid": scalar},
)
documents = st.lists(st.one_of(plain, plain, plain, counter, named), max_size=25)


@st.composite
def spelled(draw: st.DrawFn) -> tuple[list[dict[str, Any]], bytes]:
    """Events, and one of the many ways to write them down."""
    events = draw(documents)
    separators = draw(st.sampled_from([(",", ":"), (", ", ": "), (" , ", " : ")]))
    style: dict[str, Any] = {
        "ensure_ascii": draw(st.booleans()),
        "separators": separators,
        "indent": draw(st.sampled_from([None, None, 1, "\t"])),
    }
    between = draw(st.sampled_from([",", ",\n", " ,\r\n\t"]))
    body = between.join(json.dumps(e, **style) for e in events)
    form = draw(st.sampled_from(["array", "open", "comma", "object", "header", "footer", "open object"]))
    header = json.dumps({"deviceProperties": [{"x": [], "traceEvents": 1}], "a": draw(text), "n": 1})[:-1]
    whole = {
        "array": f"[{body}]",
        "open": f"[{body}",
        "comma": f"[{body}{',' if events else ''}]",
        "object": f'{{"traceEvents":[{body}]}}',
        "header": f'{header},"traceEvents" : [{body}]}}',
        "footer": f'{{"traceEvents":[{body}],{header[1:]}}}',
        "open object": f'{header}, "traceEvents":[\n{body},\n',
    }[form]
    return events, (b"\xef\xbb\xbf" if draw(st.booleans()) else b"") + whole.encode()


@settings(max_examples=120, deadline=None)
@given(spelled(), st.integers(1, 5), st.sampled_from([64, 100, 1 << 20]))
def test_reads_what_json_reads(document: tuple[list[dict[str, Any]], bytes], threads: int, block: int) -> None:
    events, data = document
    got = read(data, threads, block)
    rows, samples, names = expected(events)
    assert got.events == rows
    assert got.samples == samples
    assert got.names == names
    assert not [d for d in got.log.freeze() if d.severity != "info"]


@settings(max_examples=80, deadline=None)
@given(spelled(), st.data(), st.integers(1, 4))
def test_a_cut_file_gives_all_whole_events(document: tuple[list[dict[str, Any]], bytes], data: st.DataObject, threads: int) -> None:
    events, text = document
    opened = re.search(rb'"traceEvents"\s*:\s*\[', text) or re.search(rb"\[", text)
    assert opened is not None
    start = opened.end()
    cut = data.draw(st.integers(start, len(text)))
    rows, samples, _ = expected(events)
    try:
        got = read(text[:cut], threads, 100)
    except UnrecognizedFormat:
        assert b"traceEvents" not in text  # cut within the first event of a bare array: nothing says that it was a trace
        return
    assert got.events == rows[: len(got.events)]
    assert got.samples == samples[: len(got.samples)]
    lost = [d for d in got.log.freeze() if d.code == "read.truncated"]
    assert len(lost) <= 1


def many(n: int) -> list[dict[str, Any]]:
    evil = '},{"ph":"X","ts":5,"name":"fake"},{'
    return [{"ph": "X", "name": f"op{i % 7}", "ts": i, "dur": 1, "pid": 1, "tid": i % 3, "args": {"n": i, "evil": evil}} for i in range(n)]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 60), st.binary(min_size=1, max_size=60), st.integers(0, 10**9), st.integers(1, 4))
def test_damage_costs_only_neighbours(n: int, junk: bytes, place: int, threads: int) -> None:
    events = many(n + 20)
    whole = b"[" + b",\n".join(json.dumps(e).encode() for e in events) + b"]"
    at = 1 + place % (len(whole) - 2)
    data = whole[:at] + b"\0" + junk + whole[at + len(junk) :]
    got = read(data, threads, 256)
    found = {e[7]["n"] for e in got.events if isinstance(e[7], dict) and "n" in e[7]}
    assert len(found) >= len(events) - 3
    if len(found) < len(events):
        assert any(d.code.startswith("read.") for d in got.log.freeze())


def test_threads_agree_on_a_larger_file() -> None:
    data = json.dumps({"x": 1, "traceEvents": many(3000)}).encode()
    one = read(data, 1, 1 << 20)
    for threads, block in ((2, 4096), (3, 1000), (8, 77)):
        got = read(data, threads, block)
        assert got.events == one.events
    assert len(one.events) == 3000
