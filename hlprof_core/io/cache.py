"""Traces read before, kept as plain arrays: opening the same file again maps them into memory instead of reading it.

What is derived from a trace can be kept beside it (``store_beside``), under a name of its own.
A cache file that is damaged, of another version or of another file counts as absent: the trace is read again and the file replaced.
"""

from __future__ import annotations

import hashlib
import os
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson
from msgspec.structs import asdict

from hlprof_core.diagnostics import Diagnostic
from hlprof_core.errors import TraceError
from hlprof_core.io.array_file import Arrays, UnusableError, map_arrays, write_arrays
from hlprof_core.io.bounded_folder import prune_folder
from hlprof_core.io.fingerprint import fingerprint
from hlprof_core.io.later import later
from hlprof_core.io.source import FileSource, MemorySource
from hlprof_core.trace import table
from hlprof_core.trace.args import JoinedText, MemoryText
from hlprof_core.trace.model import ArgsText, Origin, Trace
from hlprof_core.trace.ranges import TimeRange
from hlprof_core.trace.strings import Strings
from hlprof_core.trace.tracks import Process, Series, Track

VERSION = 12
"""Raise it whenever reading or layout gives other tables than before, not only when the form of the file changes."""
MAX_STORE = 4 << 30
"""Bytes of all cached traces together; the longest unused ones go first."""
AT_ONCE = 32 << 20
"""Traces with fewer bytes of columns are written before they are handed over: it takes a few milliseconds."""
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


def load(path: Path | str) -> Trace | None:
    """The trace of this file as it is now, or None when it has to be read."""
    path = Path(path)
    later.wait(_cache_name(path))
    try:
        key = state_of(path)
        if key is None:
            return None
        trace = _restore(path, *_fresh_arrays(_cache_file(key), key))
    except (OSError, ValueError, TypeError, KeyError, TraceError, UnusableError):
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


def store_beside(trace: Trace, name: str, arrays: Arrays) -> None:
    """Keep what was derived from a trace, without waiting for it. It goes unkept where the trace itself would."""
    path = trace.origin.path
    if path is None:
        return

    def work(dropped: Callable[[], bool]) -> bool:
        try:
            key = state_of(path)
            if key is None or key["size"] != trace.origin.size_bytes:
                return False
            return _keep(_cache_file(key, name), {"key": key, "of": _mark(trace)}, arrays, dropped)
        except (OSError, MemoryError):
            return False

    later.start((_cache_name(path), name), work)


def load_beside(trace: Trace, name: str) -> dict[str, npt.NDArray[Any]] | None:
    """What was kept beside this very trace; None when it has to be derived anew."""
    path = trace.origin.path
    if path is None:
        return None
    later.wait((_cache_name(path), name))
    try:
        key = state_of(path)
        if key is None:
            return None
        header, arrays = _fresh_arrays(_cache_file(key, name), key)
        return arrays if header["of"] == _mark(trace) else None
    except (OSError, ValueError, TypeError, KeyError, UnusableError):
        return None


def _mark(trace: Trace) -> list[int]:
    """Differs for traces that are laid out differently, though they come from one path."""
    slices, lanes = trace.slices, np.ascontiguousarray(trace.lanes.offsets)
    ends = np.concatenate([slices.start_ns[:512], slices.start_ns[-512:]])
    return [len(slices), zlib.crc32(lanes.view(np.uint8).data), zlib.crc32(ends.view(np.uint8).data)]


def column_bytes(trace: Trace) -> int:
    """Bytes of all columns of a trace."""
    return sum(getattr(getattr(trace, name), f).nbytes for name, kind in TABLES.items() for f in kind.__struct_fields__)


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
        digest = fingerprint(file.fileno(), status.st_size)
    return {"version": VERSION, "path": _cache_name(path), "size": status.st_size, "mtime_ns": status.st_mtime_ns, "digest": digest}


def _cache_name(path: Path) -> str:
    return os.fsencode(path.resolve()).hex()


def _cache_file(key: FileState, beside: str = "") -> Path:
    """One cache file a path, and one for each thing beside it: a changed trace replaces its former self."""
    of = hashlib.sha256(key["path"].encode()).hexdigest()[:32]
    return directory() / ".".join(part for part in (of, beside, f"v{VERSION}", "columns") if part)


def _write(trace: Trace, key: FileState, target: Path, dropped: Callable[[], bool]) -> bool:
    arrays = {f"{name}.{f}": getattr(getattr(trace, name), f) for name, kind in TABLES.items() for f in kind.__struct_fields__}
    arrays["strings.data"] = np.frombuffer(trace.strings.data, np.uint8)
    arrays["strings.offsets"] = trace.strings.offsets
    text = _describe_text(trace.args_text, arrays)
    if text is None:
        return False
    header = {
        "key": key,
        "args_text": text,
        "origin": {"format": trace.origin.format, "base_ns": trace.origin.base_ns, "properties": dict(trace.origin.properties)},
        "processes": [_plain(p) for p in trace.processes],
        "tracks": [_plain(t) for t in trace.tracks],
        "series": [_plain(s) for s in trace.series],
        "diagnostics": [asdict(d) for d in trace.diagnostics],
        "extent": None if trace.extent is None else [trace.extent.start_ns, trace.extent.end_ns],
    }
    return _keep(target, header, arrays, dropped)


def _keep(target: Path, header: dict[str, Any], arrays: Arrays, dropped: Callable[[], bool]) -> bool:
    kept = write_arrays(target, header, arrays, MAX_STORE, dropped)
    if kept:
        prune_folder(directory(), "*.columns", MAX_STORE)
    return kept


def _fresh_arrays(cached: Path, key: FileState) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    header, arrays = map_arrays(cached)
    if header.get("key") != key:
        raise UnusableError("another file")
    os.utime(cached)
    return header, arrays


def _plain(record: Process | Track | Series) -> list[Any]:
    return [getattr(record, name) for name in record.__struct_fields__]


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
                raise UnusableError("the text of the arguments changed")
            file.hold()
            return file
    raise UnusableError("unknown kind of text")


def _restore(path: Path, header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> Trace:
    tables: dict[str, Any] = {
        name: kind(**{f: arrays[f"{name}.{f}"] for f in kind.__struct_fields__}) for name, kind in TABLES.items()
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
