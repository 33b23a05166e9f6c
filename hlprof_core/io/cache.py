"""Traces read before, kept as plain arrays: opening the same file again maps them into memory instead of reading it.

    magic | header length, crc | header (JSON: key, origin, tracks, where each array lies) | arrays, each at a multiple of 64 bytes

A cache file that is damaged, of another version or of another file counts as absent: the trace is read again and the file replaced.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import struct
import zlib
from collections.abc import Callable
from dataclasses import asdict, fields
from io import FileIO
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from hlprof_core.diagnostics import Diagnostic
from hlprof_core.errors import TraceError
from hlprof_core.io.bounded_folder import prune_folder
from hlprof_core.io.fingerprint import fingerprint
from hlprof_core.io.later import later
from hlprof_core.io.source import FileSource, MemorySource
from hlprof_core.io.unfinished import start_unfinished
from hlprof_core.trace import table
from hlprof_core.trace.args import JoinedText, MemoryText
from hlprof_core.trace.model import ArgsText, Origin, Trace
from hlprof_core.trace.ranges import TimeRange
from hlprof_core.trace.strings import Strings
from hlprof_core.trace.tracks import Process, Series, Track

VERSION = 10
"""Raise it whenever reading or layout gives other tables than before, not only when the form of the file changes."""
MAGIC = b"hlprof-cache\n"
HEADER = struct.Struct("<II")
MAX_STORE = 4 << 30
"""Bytes of all cached traces together; the longest unused ones go first."""
DISK_RESERVE = 1 << 30
"""A disk with less room than this is left alone."""
WHOLE_CHECK = 16 << 20
"""Up to this size every byte of the arrays is checked; above, a sample of pages."""
PAGE = 4096
AT_ONCE = 32 << 20
"""Traces with fewer bytes of columns are written before they are handed over: it takes a few milliseconds."""
STEP = 8 << 20
"""Bytes written between two questions whether to go on."""
FileState = dict[str, Any]
TABLES = {
    "slices": table.Slices,
    "end_args": table.EndArgs,
    "lanes": table.Lanes,
    "instants": table.Instants,
    "counters": table.Counters,
    "flows": table.Flows,
    "objects": table.Objects,
    "stack_samples": table.StackSamples,
    "frames": table.Frames,
    "slice_stacks": table.SliceStacks,
}


class _UnusableError(Exception):
    """The cache file cannot be used; says why, for whoever debugs it."""


def load(path: Path | str) -> Trace | None:
    """The trace of this file as it is now, or None when it has to be read."""
    path = Path(path)
    later.wait(_cache_name(path))
    try:
        key = state_of(path)
        if key is None:
            return None
        cached = _cache_file(key)
        with cached.open("rb") as file:
            header, begin = _read_header(file.read(HEADER.size + len(MAGIC)), file)
        if header.get("key") != key:
            raise _UnusableError("another file")
        trace = _restore(path, header, np.memmap(cached, np.uint8, "r"), begin)
        os.utime(cached)
    except (OSError, ValueError, TypeError, KeyError, TraceError, _UnusableError):
        # Absent, damaged, foreign, or made by another version: all mean the same, and the next store puts it right.
        return None
    return trace


def store(trace: Trace, state: FileState | None = None, dropped: Callable[[], bool] = lambda: False) -> bool:
    """Keep a trace for the next time. False when it cannot be kept: that costs time at the next opening and nothing else.

    ``state``: what the file was when its reading began; the trace is not kept when it is not that any more. ``dropped`` is asked often
    whether to give up.
    """
    path = trace.origin.path
    if path is None:
        return False
    try:
        key = state_of(path)
        if key is None or key["size"] != trace.origin.size_bytes or (state is not None and key != state):
            return False
        return _write(trace, key, _cache_file(key), dropped)
    except (OSError, TypeError, orjson.JSONEncodeError, MemoryError):
        return False


def store_later(trace: Trace, state: FileState) -> None:
    """``store`` without waiting for it, where it takes longer than a blink; ``load`` of the same file waits."""
    path = trace.origin.path
    if path is None or column_bytes(trace) < AT_ONCE:
        store(trace, state)
    else:
        later.start(_cache_name(path), lambda dropped: store(trace, state, dropped))


def column_bytes(trace: Trace) -> int:
    """Bytes of all columns of a trace."""
    return sum(getattr(getattr(trace, name), f.name).nbytes for name, kind in TABLES.items() for f in fields(kind))


def directory() -> Path:
    """Where cached traces lie."""
    import platformdirs

    return Path(platformdirs.user_cache_dir("hlprof")) / "traces"


def state_of(path: Path) -> FileState | None:
    """What a file is now; None for anything but a regular file. ``OSError`` when it cannot be read."""
    if not path.is_file():
        return None
    with path.open("rb") as file:
        status = os.fstat(file.fileno())
        digest = fingerprint(file)
    return {"version": VERSION, "path": _cache_name(path), "size": status.st_size, "mtime_ns": status.st_mtime_ns, "digest": digest}


def _cache_name(path: Path) -> str:
    return os.fsencode(path.resolve()).hex()


def _cache_file(key: FileState) -> Path:
    """One cache file a path: a changed trace replaces its former self."""
    return directory() / f"{hashlib.sha256(key['path'].encode()).hexdigest()[:32]}.v{VERSION}.columns"


def _read_header(start: bytes, file: Any) -> tuple[dict[str, Any], int]:
    """The header, and the offset where the arrays begin."""
    if start[: len(MAGIC)] != MAGIC or len(start) < len(MAGIC) + HEADER.size:
        raise _UnusableError("no cache file")
    length, crc = HEADER.unpack(start[len(MAGIC) :])
    text = file.read(length)
    if len(text) != length or zlib.crc32(text) != crc:
        raise _UnusableError("damaged header")
    header = orjson.loads(text)
    begin = _aligned(len(start) + length)
    if os.fstat(file.fileno()).st_size != begin + header["bytes"]:
        raise _UnusableError("cut")
    return header, begin


def _aligned(size: int) -> int:
    return -(-size // 64) * 64


def _write(trace: Trace, key: FileState, target: Path, dropped: Callable[[], bool]) -> bool:
    arrays = {f"{name}.{f.name}": getattr(getattr(trace, name), f.name) for name, kind in TABLES.items() for f in fields(kind)}
    arrays["strings.data"] = np.frombuffer(trace.strings.data, np.uint8)
    arrays["strings.offsets"] = trace.strings.offsets
    text = _describe_text(trace.args_text, arrays)
    if text is None:
        return False
    places, at = {}, 0
    for name, array in arrays.items():
        places[name] = [array.dtype.str, at, len(array)]
        at = _aligned(at + array.nbytes)
    header = {
        "key": key,
        "bytes": at,
        "arrays": places,
        "check": _check(arrays.values(), at),
        "args_text": text,
        "origin": {"format": trace.origin.format, "base_ns": trace.origin.base_ns, "properties": dict(trace.origin.properties)},
        "processes": [_plain(p) for p in trace.processes],
        "tracks": [_plain(t) for t in trace.tracks],
        "series": [_plain(s) for s in trace.series],
        "diagnostics": [asdict(d) for d in trace.diagnostics],
        "extent": None if trace.extent is None else [trace.extent.start_ns, trace.extent.end_ns],
    }
    encoded = orjson.dumps(header)
    if at > MAX_STORE:
        return False
    temporary, fd = start_unfinished(target)
    try:
        with open(fd, "wb", buffering=0) as file:
            if shutil.disk_usage(target.parent).free < at + DISK_RESERVE:
                return False
            start = MAGIC + HEADER.pack(len(encoded), zlib.crc32(encoded)) + encoded
            _put(file, start.ljust(_aligned(len(start)), b"\0"))
            for array in arrays.values():
                raw = np.ascontiguousarray(array).view(np.uint8).data
                for first in range(0, len(raw), STEP):
                    if dropped():
                        return False
                    _put(file, raw[first : first + STEP])
                _put(file, bytes(_aligned(array.nbytes) - array.nbytes))
            temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
    prune_folder(directory(), "*.columns", MAX_STORE)
    return True


def _put(file: FileIO, data: bytes | memoryview) -> None:
    """Write all of it."""
    view = memoryview(data)
    while view:
        view = view[file.write(view) :]


def _plain(record: Process | Track | Series) -> list[Any]:
    return [getattr(record, name) for name in record.__slots__]


def _describe_text(text: ArgsText, arrays: dict[str, Any]) -> dict[str, Any] | None:
    """How to find the argument text again: a file, or memory that is kept as one more array. None: it cannot be found again."""
    if isinstance(text, JoinedText):
        outer = _describe_text(text.file, arrays)
        if outer is None or outer["kind"] != "file":
            return None
        arrays["args.memory"] = np.frombuffer(text.memory.data, np.uint8)
        return {"kind": "joined", "file": outer}
    if isinstance(text, MemoryText | MemorySource):
        arrays["args.memory"] = np.frombuffer(text.data, np.uint8)
        return {"kind": "memory"}
    if isinstance(text, FileSource):
        return {"kind": "file", "file": os.fsencode(text.file.resolve()).hex(), "size": text.size}
    return None


def _open_text(described: dict[str, Any], arrays: dict[str, Any], path: Path) -> ArgsText:
    match described["kind"]:
        case "memory":
            return MemoryText(arrays["args.memory"].tobytes())
        case "joined":
            return JoinedText(_open_text(described["file"], arrays, path), MemoryText(arrays["args.memory"].tobytes()))
        case "file":
            file = FileSource(Path(os.fsdecode(bytes.fromhex(described["file"]))), path)
            if file.size != described["size"]:
                raise _UnusableError("the text of the arguments changed")
            return file
    raise _UnusableError("unknown kind of text")


def _check(arrays: Any, total: int) -> int:
    """Checksum of the arrays: of every byte where that is cheap, else of the first, middle and last page of each."""
    crc = 0
    for array in arrays:
        raw = np.ascontiguousarray(array).view(np.uint8).data
        if total <= WHOLE_CHECK:
            crc = zlib.crc32(raw, crc)
        else:
            for at in (0, max(0, len(raw) // 2 - PAGE), max(0, len(raw) - PAGE)):
                crc = zlib.crc32(raw[at : at + PAGE], crc)
    return crc


def _restore(path: Path, header: dict[str, Any], data: Any, begin: int) -> Trace:
    arrays = {}
    for name, (kind, at, count) in header["arrays"].items():
        size = np.dtype(kind).itemsize * count
        if not 0 <= at <= at + size <= header["bytes"]:
            raise _UnusableError("an array out of range")
        arrays[name] = np.frombuffer(data[begin + at : begin + at + size], kind)
    if _check(arrays.values(), header["bytes"]) != header["check"]:
        raise _UnusableError("damaged arrays")
    tables: dict[str, Any] = {
        name: kind(**{f.name: arrays[f"{name}.{f.name}"] for f in fields(kind)}) for name, kind in TABLES.items()
    }
    origin = header["origin"]
    extent = header["extent"]
    return Trace(
        origin=Origin(origin["format"], path, header["key"]["size"], origin["base_ns"], origin["properties"]),
        strings=Strings(arrays["strings.data"].data, arrays["strings.offsets"]),
        processes=tuple(Process(number, pid, name, tuple(labels), order) for number, pid, name, labels, order in header["processes"]),
        tracks=tuple(Track(*values) for values in header["tracks"]),
        series=tuple(Series(*values) for values in header["series"]),
        args_text=_open_text(header["args_text"], arrays, path),
        diagnostics=tuple(Diagnostic(**{**d, "first": tuple(d["first"])}) for d in header["diagnostics"]),
        extent=None if extent is None else TimeRange(*extent),
        **tables,
    )
