"""Opening: packing, forms, refusals, damage, cancelling; each as a user meets it."""

from __future__ import annotations

import gzip
import io
import json
import os
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from hlprof_core.errors import Cancelled, TraceDamaged, TraceError, UnrecognizedFormat
from hlprof_core.io import spill
from hlprof_core.io.bounded_folder import prune_folder
from hlprof_core.io.open import open_trace
from hlprof_core.progress import Progress
from hlprof_core.trace.model import Trace

EVENTS = [{"ph": "X", "name": f"op{i}", "ts": i * 10, "dur": 5, "pid": 1, "tid": 1, "args": {"n": i}} for i in range(50)]
TEXT = json.dumps({"traceEvents": EVENTS, "baseTimeNanoseconds": 7}).encode()


def write(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def opened(folder: Path, data: bytes, name: str = "t.json", *, use_cache: bool = False) -> Trace:
    return open_trace(write(folder, name, data), use_cache=use_cache)


def codes(trace: Trace) -> dict[str, int]:
    return {d.code: d.count for d in trace.diagnostics if d.severity != "info"}


def numbers(trace: Trace) -> list[int]:
    return sorted(trace.args(i)["n"] for i in range(len(trace.slices)))


def test_a_plain_file(tmp_path: Path) -> None:
    trace = opened(tmp_path, TEXT)
    assert (trace.origin.format, trace.origin.size_bytes, trace.origin.base_ns) == ("chrome-json", len(TEXT), 7)
    assert numbers(trace) == list(range(50))


@pytest.mark.parametrize("use_cache", [False, True])
@pytest.mark.parametrize(
    "pack",
    [
        gzip.compress,
        lambda t: gzip.compress(t[:100]) + gzip.compress(t[100:]),
        lambda t: gzip.compress(t) + bytes(600),
        lambda t: gzip.compress(b"") + gzip.compress(t),
    ],
    ids=["gzip", "two members", "padded", "empty member"],
)
def test_gzip_by_magic_whatever_the_name(tmp_path: Path, pack: object, use_cache: bool) -> None:
    data = pack(TEXT)  # type: ignore[operator]
    for _ in range(2):
        trace = opened(tmp_path, data, "t.bin", use_cache=use_cache)
        assert numbers(trace) == list(range(50))
        assert codes(trace) == {}
    leftovers = list(spill.text_directory().glob(".*"))
    assert leftovers == []


def test_gzip_cut_in_the_middle_gives_what_is_there(tmp_path: Path) -> None:
    noise = [{**event, "args": {"n": i, "x": os.urandom(40).hex()}} for i, event in enumerate(EVENTS * 20)]
    data = gzip.compress(json.dumps(noise).encode())
    trace = opened(tmp_path, data[: len(data) // 2], "t.json.gz")
    assert 200 < len(trace.slices) < 1000
    assert "read.truncated" in codes(trace)


def test_gzip_that_is_no_gzip(tmp_path: Path) -> None:
    with pytest.raises(TraceDamaged, match="gzip"):
        opened(tmp_path, b"\x1f\x8b\x08\x00" + b"\xff" * 60)


def test_gzip_of_something_else(tmp_path: Path) -> None:
    with pytest.raises(UnrecognizedFormat, match="PNG"):
        opened(tmp_path, gzip.compress(b"\x89PNG\r\n" + bytes(100)))


def test_a_decompression_bomb_stops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spill, "RATIO_FROM", 1 << 20)
    with pytest.raises(TraceError, match="bomb"):
        opened(tmp_path, gzip.compress(b'[{"ph":"i","ts":1},' + b" " * (8 << 20)))
    assert list(spill.text_directory().glob(".*")) == []


def archive(kind: str, members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
            for name, data in members.items():
                z.writestr(name, data)
    else:
        with tarfile.open(fileobj=out, mode="w:gz" if kind == "tar.gz" else "w") as t:
            for name, data in members.items():
                info = tarfile.TarInfo(name)
                info.size = len(data)
                t.addfile(info, io.BytesIO(data))
    return out.getvalue()


CSV = b"Name,Engine,Event type,Timestamp[usec]\nk,TPC 0,BEGIN,1.000000\nk,TPC 0,END,2.000000\n"


@pytest.mark.parametrize("kind", ["zip", "tar.gz", "tar"])
def test_archives(tmp_path: Path, kind: str) -> None:
    host = json.dumps({"traceEvents": [{"ph": "X", "name": "call", "ts": 0, "dur": 1, "pid": 9, "args": {"n": 99}}]}).encode()
    members = {
        "prof-data/config/prof_config.json": b'{"Plugins": []}',
        "prof-data/bin/a.bin": b"\0\1\2",
        "a.json": TEXT,
        "prof-data/host/host_trace.json": host,
        "hw.csv": CSV,
        "../../evil.txt": b"hello",
    }
    trace = opened(tmp_path, archive(kind, members), "x.hltv")
    assert trace.origin.format == "hltv"
    assert len(trace.slices) == 52
    assert sorted(trace.args(i).get("n", -1) for i in range(52)) == [-1, *range(50), 99]
    assert trace.origin.properties["prof_config"] == {"Plugins": []}
    told = {d.code: d.first for d in trace.diagnostics}
    assert told["archive.other_members"] == ("../../evil.txt",)
    assert told["archive.raw_data"] == ("prof-data/bin/a.bin",)
    assert not (tmp_path.parent / "evil.txt").exists()


def test_our_parsed_trace_is_the_trace(tmp_path: Path) -> None:
    trace = opened(tmp_path, archive("zip", {"prof-data/host/host_trace.json": TEXT, "prof-data/hlprof/trace.json": TEXT}))
    assert len(trace.slices) == 50


def test_archives_without_a_trace_say_what_they_hold(tmp_path: Path) -> None:
    with pytest.raises(UnrecognizedFormat, match="raw hardware data"):
        opened(tmp_path, archive("tar.gz", {"prof-data/bin/x.bin": b"1"}))
    with pytest.raises(UnrecognizedFormat, match=r"notes\.txt"):
        opened(tmp_path, archive("zip", {"notes.txt": b"1"}))
    with pytest.raises(TraceDamaged, match="archive"):
        opened(tmp_path, archive("zip", {"notes.txt": TEXT[:1]})[:-40])


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", "empty"),
        (b" \n", "blank"),
        (b"\x7fELF\x02\x01" + bytes(40), "ELF"),
        (b"<!DOCTYPE html><html>", "HTML"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:1\n", "Git LFS"),
        (b"\x0a\x08" + b"\x08\x01\x10\x02\x18\x03\x20\x04" + b"\x0a\x02\x08\x01", "Perfetto"),
        (b'{"nodes":[{"id":1,"callFrame":{"functionName":"(root)"}}],"samples":[]}', "cpuprofile"),
        (b'{"schema": "1.0.1", "pid": 1, "nodes": [{"name": "x", "id": 1, "rf_id": 0}]}', "execution trace"),
        (b'{"$schema":"https://www.speedscope.app/file-format-schema.json"}', "speedscope"),
        (b"\x89PNG\r\n\x1a\n", "PNG"),
        (b'{"hello": 1}', "no trace events"),
        (b'[1, 2, {"a": 1}]', "no trace events"),
        (b"hello world\n", "hello world"),
        (bytes(500), "zero bytes"),
        (b"MZ\x90\x00\x03\r\x04\n" + b'"' * 90, "binary"),
        (b'a,"b\rc' * 50_000, "text"),
        ("hello".encode("utf-16"), "hello"),
        (b"PAR1" + bytes(30), "Parquet"),
        (b"Name,Value\n1,2\n", "Name,Value"),
        (b'{"Plugins": [{"name": "HwTrace"}]}', "configuration"),
    ],
)
def test_what_is_no_trace_is_named(tmp_path: Path, data: bytes, what: str) -> None:
    with pytest.raises(UnrecognizedFormat, match=what) as caught:
        opened(tmp_path, data)
    assert str(tmp_path / "t.json") in caught.value.message
    assert caught.value.hint
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 3


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_utf_16_is_read_with_its_arguments(tmp_path: Path, encoding: str, pack: Callable[[bytes], bytes]) -> None:
    wide = ("\ufeff" + TEXT.decode().replace("op0", "op\u00e9\U0001f600")).encode(encoding)
    for use_cache in (False, True, True):
        trace = opened(tmp_path, pack(wide), use_cache=use_cache)
        assert numbers(trace) == list(range(50))
        assert trace.name(0) == "op\u00e9\U0001f600"
        assert not codes(trace)
    cut = opened(tmp_path, pack(wide[:-101]))
    assert codes(cut) == {"read.truncated": 1, "read.bad_text": 1}
    assert len(cut.slices) == 49


def test_what_cannot_be_opened_is_said(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path, what in (
        (tmp_path, "directory"),
        (tmp_path / "none.json", "no such file"),
        (tmp_path / "pipe", "pipe"),
        (tmp_path / "a\0b", "cannot"),
    ):
        with pytest.raises(TraceError, match=what):
            open_trace(path)
    if os.geteuid():
        locked = write(tmp_path, "locked.json", TEXT)
        locked.chmod(0)
        with pytest.raises(TraceError, match="permission"):
            open_trace(locked)


def test_damage_in_the_middle_and_at_the_end(tmp_path: Path) -> None:
    broken = TEXT.replace(b'"ts": 200', b'"ts" 200', 1)
    trace = opened(tmp_path, broken)
    assert numbers(trace) == [n for n in range(50) if n != 20]
    found = next(d for d in trace.diagnostics if d.code == "read.skipped_bytes")
    assert found.severity == "data-loss"
    assert found.first[0].startswith(f"byte {broken.index(b'op20') - 21}: ")
    assert trace.origin.base_ns == 7

    cut = opened(tmp_path, TEXT[: TEXT.index(b"op33") + 2])
    assert numbers(cut) == list(range(33))
    assert codes(cut) == {"read.truncated": 1}

    zeroed = TEXT[:1000] + bytes(500) + TEXT[1500:]
    assert len(opened(tmp_path, zeroed).slices) >= 43


def test_damage_before_the_events(tmp_path: Path) -> None:
    for broken, code in ((b'{"deviceProperties" [1, 2], ', "read.skipped_bytes"), (b'{"deviceProperties": [1, 2}, ', "read.bad_property")):
        trace = opened(tmp_path, broken + TEXT[1:])
        assert numbers(trace) == list(range(50))
        assert list(codes(trace)) == [code]
    assert codes(opened(tmp_path, rb'{"x": [NaN], "y": "\ud800", ' + TEXT[1:])) == {}


@pytest.mark.parametrize(
    "text",
    [
        b"\n".join(json.dumps(e).encode() for e in EVENTS),
        json.dumps(EVENTS).encode() + json.dumps([]).encode(),
        b'{"x": {"traceEvents": []}, "traceEvents": ' + json.dumps(EVENTS).encode() + b', "y": [1]}',
        b"[\r\n" + b",\r\n".join(json.dumps(e).encode() for e in EVENTS) + b",\r\n",
    ],
    ids=["one a line", "two documents", "key within a value", "CRLF, never closed"],
)
def test_forms(tmp_path: Path, text: bytes) -> None:
    trace = opened(tmp_path, text)
    assert numbers(trace) == list(range(50))
    assert codes(trace) == {}


def test_many_rows_and_names(tmp_path: Path) -> None:
    n = 20_000
    parts = [
        b'{"ph":"M","name":"thread_name","pid":1,"tid":%d,"args":{"name":"t%d"}},{"ph":"i","ts":1,"pid":1,"tid":%d,"name":"n%d"}'
        % (i, i, i, i)
        for i in range(n)
    ]
    trace = opened(tmp_path, b"[" + b",".join(parts) + b"]")
    assert len(trace.tracks) == n
    assert len(trace.instants) == n


def test_ids_are_never_merged(tmp_path: Path) -> None:
    tids = ["1", '"1"', "1.0", "12345678901234567890123", '"a"', "true"]
    trace = opened(
        tmp_path,
        b"["
        + b",".join(b'{"ph":"i","ts":1,"pid":5,"tid":%s}' % t.encode() for t in tids)
        + b',{"ph":"i","ts":1,"pid":5},{"ph":"i","ts":1}]',
    )
    assert sorted((t.pid, t.tid) for t in trace.tracks) == sorted(
        [("5", "1"), ("5", "1"), ("5", "1.0"), ("5", "12345678901234567890123"), ("5", "a"), ("5", "true"), ("5", "5"), ("0", "0")]
    )


@pytest.mark.parametrize("packed", [False, True])
def test_cancelling_stops_and_leaves_nothing(tmp_path: Path, packed: bool) -> None:
    progress = Progress(lambda stage, done, total: progress.cancel())
    data = json.dumps(EVENTS * 2000).encode()
    path = write(tmp_path, "t.json", gzip.compress(data) if packed else data)
    with pytest.raises(Cancelled):
        open_trace(path, progress)
    assert list(spill.text_directory().glob(".*")) == []


def test_progress_reaches_the_end(tmp_path: Path) -> None:
    seen: list[tuple[str, int, int]] = []
    open_trace(write(tmp_path, "t.json", TEXT), Progress(lambda *report: seen.append(report)), use_cache=False)
    assert {"read", "layout"} <= {stage for stage, _, _ in seen}


def test_texts_are_pruned_oldest_first(tmp_path: Path) -> None:
    folder = spill.text_directory()
    folder.mkdir(parents=True, exist_ok=True)
    for file in folder.glob("*.text"):
        file.unlink()
    for age, name in enumerate(("new", "middle", "old")):
        file = folder / f"{name}.text"
        file.write_bytes(bytes(100))
        os.utime(file, (1e9 - age, 1e9 - age))
    prune_folder(spill.text_directory(), "*.text", 200)
    assert sorted(f.name for f in folder.glob("*.text")) == ["middle.text", "new.text"]
    prune_folder(spill.text_directory(), "*.text", 0)
    assert [f.name for f in folder.glob("*.text")] == ["new.text"]


@pytest.mark.parametrize(
    "unclosed", [b'{"ph":"X","ts":1,"args":{"a":1, ', b'{"ph":"X","ts":1,"args":{"a":[1,2,', b'{"ph":"X","ts":1,"name":"open, ']
)
def test_an_event_that_never_ends_does_not_take_the_rest_with_it(tmp_path: Path, unclosed: bytes) -> None:
    rest = b",\n".join(json.dumps({**e, "args": {"n": i}}).encode() for i, e in enumerate(EVENTS * 800))
    trace = opened(tmp_path, b'[{"ph":"X","name":"first","ts":0,"dur":1,"args":{"n":-1}},' + unclosed + rest + b"]")
    assert {-1, 39_999} <= set(numbers(trace))
    assert len(trace.slices) >= 40_000
    assert set(codes(trace)) & {"read.skipped_bytes", "read.truncated"}


def test_large_arguments_and_deep_nesting(tmp_path: Path) -> None:
    deep = {"ph": "X", "name": "deep", "ts": 0, "dur": 1, "args": {"n": 0}}
    text = json.dumps([{**deep, "args": {"n": 1, "x": "y" * 3_000_000}}, deep]).encode()[:-1]
    text += b',{"ph":"X","name":"deep","ts":5,"dur":1,"args":' + b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + b"}]"
    trace = opened(tmp_path, text)
    assert len(trace.slices) == 3
    assert [trace.args(i).get("n") for i in range(3)].count(1) == 1


def test_gzip_data_without_a_byte_of_text_are_called_so(tmp_path: Path) -> None:
    for packed in (gzip.compress(b""), gzip.compress(b"[]")[:10]):
        with pytest.raises(TraceDamaged, match="before the first byte"):
            opened(tmp_path, packed)
