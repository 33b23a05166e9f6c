"""Reading a file anew: packing, format, events. Not loaded where the cache knows the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from hlprof_core.errors import TraceDamaged, TraceError
from hlprof_core.io import detect
from hlprof_core.io.packing import unpacked_head, unpacker_of
from hlprof_core.io.readers.reader import HEAD_BYTES, Contents, Reader, best_reader, readers
from hlprof_core.io.recorded import restore_losses
from hlprof_core.io.source import ByteSource, FileSource
from hlprof_core.io.spill import GrowingText, kept_text
from hlprof_core.io.wide import blocks_of, is_wide, narrow, narrow_head
from hlprof_core.progress import Progress
from hlprof_core.trace.builder import TraceBuilder
from hlprof_core.trace.model import Origin, Trace


def read_anew(source: FileSource, path: Path, progress: Progress, keep: bool) -> Trace:
    """The trace in a file. ``keep``: what it takes to unpack is kept for the next time."""
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
