"""What unpacks a packed text, chosen by its first bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hlprof_core.diagnostics import DiagnosticLog
from hlprof_core.io import detect
from hlprof_core.io.gzip import unpack_gzip
from hlprof_core.io.source import ByteSource
from hlprof_core.io.zstd import unpack_zstd

Unpacker = Callable[[ByteSource, DiagnosticLog], Iterator[bytes]]
_UNPACKERS: dict[str, Unpacker] = {detect.GZIP: unpack_gzip, detect.ZSTD: unpack_zstd}


def unpacker_of(head: bytes) -> Unpacker | None:
    """Yields the text of a source in blocks, and tells a log what is missing; None for what is not packed."""
    return _UNPACKERS.get(detect.container(head))


def unpacked_head(source: ByteSource, unpack: Unpacker, size: int) -> bytes:
    """The first bytes of the text; what is wrong with it is told when it is read."""
    head = b""
    for part in unpack(source, DiagnosticLog()):
        head += part[:size]
        if len(head) >= size:
            break
    return head
