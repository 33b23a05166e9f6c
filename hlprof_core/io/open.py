"""Opening a trace: from a path to a Trace, whatever the format and packing, from the cache where that is fresh."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from hlprof_core.errors import TraceDamaged, TraceError
from hlprof_core.io import detect
from hlprof_core.io.memory_budget import budget_of, columns_within
from hlprof_core.io.packing import unpacked_head, unpacker_of
from hlprof_core.io.readers.reader import HEAD_BYTES, Contents, Reader, best_reader, readers
from hlprof_core.io.recorded import restore_losses
from hlprof_core.io.source import ByteSource, FileSource
from hlprof_core.io.spill import GrowingText, kept_text
from hlprof_core.io.wide import blocks_of, is_wide, narrow, narrow_head
from hlprof_core.progress import Progress
from hlprof_core.trace.builder import TraceBuilder
from hlprof_core.trace.model import Origin, Trace


def open_trace(path: Path | str, progress: Progress | None = None, use_cache: bool = True, *, memory: int | str | None = None) -> Trace:
    """Read a trace. ``TraceError`` (exit 3) says what is wrong with the file; what was lost on the way is in its diagnostics.

    ``memory``: bytes of columns (or "2G") that may stay in memory, while reading and afterwards; the others lie in files of the cache.
    None: what ``--memory`` or ``HLPROF_MEMORY`` say, else all of them.
    """
    path = Path(path)
    progress = progress or Progress()
    source = FileSource(path)
    cache = _Cache(path) if use_cache else None
    if cache and (known := cache.load()) is not None:
        return known
    limit = budget_of(memory)
    with columns_within(limit):
        trace = _build(source, path, progress, use_cache)
    if cache:
        if limit is None:
            cache.keep(trace)
        else:
            trace = cache.exchange(trace, limit)
    return trace


def _build(source: FileSource, path: Path, progress: Progress, keep: bool) -> Trace:
    build = TraceBuilder()
    reader, contents = _read(source, build, progress, keep)
    origin = Origin(reader.name, path, source.size, contents.base_ns, contents.properties)
    restore_losses(contents.properties, build.log)
    if isinstance(contents.args_text, FileSource):
        contents.args_text.hold()
    try:
        return build.finish(origin, contents.args_text, progress)
    except MemoryError as error:
        hint = "Keep columns on disk: HLPROF_MEMORY=1G. Or close other programs."
        raise TraceError(f"{path}: not enough memory for this trace.", hint=hint) from error


def _read(source: FileSource, build: TraceBuilder, progress: Progress, keep: bool) -> tuple[Reader, Contents]:
    head = source.read(0, HEAD_BYTES)
    match detect.container(head):
        case detect.GZIP | detect.ZSTD:
            return _read_packed(source, head, build, progress, keep)
        case detect.ZIP | detect.TAR:
            archive = readers().get("hltv")
            return archive, archive.read(source, build, progress)
    if is_wide(head):
        return _read_grown(source.file, lambda: narrow(blocks_of(source), build.log), narrow_head(head), build, progress, keep)
    return _read_text(source, head, build, progress)


def _read_text(source: ByteSource, head: bytes, build: TraceBuilder, progress: Progress) -> tuple[Reader, Contents]:
    reader = best_reader(head)
    if reader is None or detect.is_foreign_json(head):
        raise detect.refuse(source.path, head)
    return reader, reader.read(source, build, progress)


def _read_packed(source: FileSource, packed: bytes, build: TraceBuilder, progress: Progress, keep: bool) -> tuple[Reader, Contents]:
    """One text that is packed, or an archive: a packed tar. ``packed``: the first bytes of the file."""
    path = source.file
    unpack = unpacker_of(packed)
    assert unpack is not None
    head = unpacked_head(source, unpack, HEAD_BYTES)
    if detect.is_tar(head):
        archive = readers().get("hltv")
        return archive, archive.read(source, build, progress)
    if not head:
        message = f"{path}: the {detect.container(packed)} data end before the first byte of the trace."
        raise TraceDamaged(message, offset=source.size, hint="Copy the file again.")
    wide = is_wide(head)
    if wide:
        head = narrow_head(head)
    if not best_reader(head):
        raise detect.refuse(path, head, within="unpacked")
    if wide:
        return _read_grown(path, lambda: narrow(unpack(source, build.log), build.log), head, build, progress, keep)
    if keep and (text := kept_text(path)) is not None:
        return _read_text(text, head, build, progress)
    return _read_grown(path, lambda: unpack(source, build.log), head, build, progress, keep)


def _read_grown(
    path: Path, parts: Callable[[], Iterator[bytes]], head: bytes, build: TraceBuilder, progress: Progress, keep: bool
) -> tuple[Reader, Contents]:
    """A text that is made from the file: it is read while it grows."""
    with closing(GrowingText(path, parts, keep=keep)) as growing:
        reader, contents = _read_text(growing, head, build, progress)
        text = growing.settle()
    return reader, Contents(contents.base_ns, contents.properties, text if contents.args_text is growing else contents.args_text)


class _Cache:
    """What the cache knows of a file, and a place for what is read from it as it is now."""

    def __init__(self, path: Path) -> None:
        from hlprof_core.io import cache

        self._module, self._path = cache, path
        try:
            self._state = cache.state_of(path)
        except OSError:  # it was renamed a moment ago; what is open is read, and not kept
            self._state = None

    def load(self) -> Trace | None:
        return self._module.load(self._path)

    def keep(self, trace: Trace) -> None:
        if self._state is not None:
            self._module.store_later(trace, self._state)

    def exchange(self, trace: Trace, limit: int) -> Trace:
        """Keep it; the same trace, mapped from the cache when its columns are larger than ``limit``."""
        if self._state is None or self._module.column_bytes(trace) <= limit:
            self.keep(trace)
            return trace
        self._module.store(trace, self._state)
        return self._module.load(self._path) or trace
