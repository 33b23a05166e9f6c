"""A file whose bytes the system does not give, as on a bad disk: the error names the file, wherever they are asked for."""

from __future__ import annotations

import builtins
import errno
import gzip
import io
import json
import os
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hlprof_core.errors import ExportError, TraceError
from hlprof_core.io import spill, spooled
from hlprof_core.io.open import open_trace
from hlprof_core.io.readers.event_scan import scan_events
from hlprof_core.io.source import FileSource
from hlprof_core.progress import Progress
from hlprof_core.replacement import replaced_whole
from hlprof_core.services import write_whole
from hlprof_core.trace.args import decode

SAID = r"t\.bin: cannot be read \(Input/output error\)\."
Spoil = Callable[[Path, int], None]


def failure() -> OSError:
    return OSError(errno.EIO, os.strerror(errno.EIO))


def text(count: int = 20_000) -> bytes:
    events = [{"ph": "X", "pid": 1, "tid": 1, "ts": 2 * i, "dur": 1, "name": f"work {i}", "args": {"n": i * 7919}} for i in range(count)]
    return json.dumps(events).encode()


def zipped() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.json", text())
    return out.getvalue()


def taped(mode: str) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:
        entry = tarfile.TarInfo("a.json")
        entry.size = len(text())
        archive.addfile(entry, io.BytesIO(text()))
    return out.getvalue()


FORMS = {
    "json": text,
    "gzip": lambda: gzip.compress(text()),
    "utf-16": lambda: text().decode().encode("utf-16"),
    "csv": lambda: b"Unique Node ID,Timestamp[usec],Event type,Engine,Name\n" + b"u1,1.0,BEGIN,TPC 0,k\nu1,2.0,END,TPC 0,k\n" * 20_000,
    "zip": zipped,
    "tar": lambda: taped("w"),
    "tar.gz": lambda: taped("w:gz"),
}


@pytest.fixture
def spoil(monkeypatch: pytest.MonkeyPatch) -> Spoil:
    """From now on a file fails from an offset on, for all that Python reads."""

    def begin(path: Path, limit: int) -> None:
        plain_open, pread, preadv, number = io.open, os.pread, os.preadv, path.stat().st_ino

        class Bad(io.FileIO):
            def readinto(self, buffer: Any) -> int:
                if self.tell() >= limit:
                    raise failure()
                with memoryview(buffer) as room:
                    return super().readinto(room[: limit - self.tell()])

        def check(fd: int, end: int) -> None:
            if end > limit and os.fstat(fd).st_ino == number:
                raise failure()

        def bad_open(file: Any, mode: str = "r", *words: Any, **named: Any) -> Any:
            is_it = not isinstance(file, int) and mode == "rb" and os.path.exists(file) and os.stat(file).st_ino == number
            return io.BufferedReader(Bad(file), 4096) if is_it else plain_open(file, mode, *words, **named)

        monkeypatch.setattr(os, "pread", lambda fd, size, at: check(fd, at + min(size, 1)) or pread(fd, min(size, 4096), at))
        monkeypatch.setattr(os, "preadv", lambda fd, room, at: check(fd, at + 1) or preadv(fd, [room[0][:4096]], at))
        monkeypatch.setattr(builtins, "open", bad_open)
        monkeypatch.setattr(io, "open", bad_open)

    return begin


@pytest.mark.parametrize("make", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("part", [0.0, 0.5])
def test_a_file_that_fails_on_the_way(tmp_path: Path, spoil: Spoil, make: Callable[[], bytes], part: float) -> None:
    path = tmp_path / "t.bin"
    path.write_bytes(make())
    spoil(path, int(part * path.stat().st_size))
    with pytest.raises(TraceError, match=SAID) as caught:
        open_trace(path)
    assert caught.value.hint


def test_the_kernel_that_reads_by_itself(tmp_path: Path) -> None:
    path = tmp_path / "t.bin"
    path.write_bytes(text())
    source = FileSource(path)
    with open("/proc/self/mem", "rb") as unreadable:
        os.dup2(unreadable.fileno(), source.descriptor)
    with pytest.raises(TraceError, match=SAID):
        scan_events(source, 1, Progress(), threads=1)


def test_arguments_that_are_read_later(tmp_path: Path, spoil: Spoil) -> None:
    path, page = tmp_path / "t.bin", tmp_path / "page.txt"
    path.write_bytes(text())
    trace = open_trace(path, use_cache=False)
    slices = trace.slices
    spoil(path, 0)
    with pytest.raises(TraceError, match=SAID), replaced_whole(page) as temporary:  # which blames what fails inside on the page
        temporary.write_text(str(decode(trace.args_text, int(slices.args_offset[9]), int(slices.args_length[9]))))
    assert not page.exists()


def test_an_output_that_fails_keeps_its_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.bin"
    path.write_bytes(gzip.compress(text()))

    def fail(*_: object) -> int:
        raise failure()

    with monkeypatch.context() as patched:
        patched.setattr(spill.os, "write", fail)
        with pytest.raises(TraceError, match="cannot write its unpacked text"):
            open_trace(path)
    with pytest.raises(ExportError, match="cannot be written"):
        write_whole(tmp_path / "none" / "page.txt", "text")


def test_what_was_unpacked_fails_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = spooled.SpooledSource([b"text"], tmp_path / "t.bin", tmp_path)

    def fail(*_: object) -> int:
        raise failure()

    monkeypatch.setattr(os, "pread", fail)
    with pytest.raises(TraceError, match=SAID):
        source.read(0, 4)
    source.close()
