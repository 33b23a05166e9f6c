"""Unpacking gzip in blocks: several members behind each other, padding, and files that were cut."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from hlprof_core.diagnostics import DiagnosticLog
from hlprof_core.errors import TraceDamaged
from hlprof_core.io.source import ByteSource

IN_BLOCK, OUT_BLOCK = 1 << 18, 4 << 20
MAGIC = b"\x1f\x8b"


def unpack_gzip(source: ByteSource, log: DiagnosticLog) -> Iterator[bytes]:
    """The text in blocks of at most 4 MiB; what is missing or broken ends it and goes to ``log``."""
    from isal import isal_zlib

    damage = unpacking_error()
    at, given, members = 0, 0, 0
    data = b""
    unpacker = isal_zlib.decompressobj(wbits=31)
    while True:
        if not data:
            data = source.read(at, IN_BLOCK)
            at += len(data)
            if not data:
                if not (unpacker.eof or (members and not given)):
                    _report(log, "The packed file is cut off: what was unpacked until there is here.", at)
                return
        try:
            part = unpacker.decompress(data, OUT_BLOCK)
        except damage as error:
            if not given and not members:
                message = f"{source.path}: damaged gzip data at byte {at - len(data)} ({error})."
                raise TraceDamaged(message, offset=at, hint="Copy the file again.") from error
            _report(log, f"The packed data is damaged ({error}): what was unpacked until there is here.", at - len(data))
            return
        data = unpacker.unconsumed_tail
        given += len(part)
        if part:
            yield part
        if unpacker.eof:
            data = unpacker.unused_data
            while True:
                data = data.lstrip(b"\x00")
                if len(data) >= 2:
                    break
                more = source.read(at, IN_BLOCK)
                if not more:
                    break
                at, data = at + len(more), data + more
            if not data.startswith(MAGIC):
                if data:
                    first = (f"byte {at - len(data)}",)
                    log.add("read.trailing_data", "notice", "Bytes behind the packed data were passed over.", first=first)
                return
            members, given = members + 1, 0
            unpacker = isal_zlib.decompressobj(wbits=31)


def unpacking_error() -> type[Exception]:
    """What isal raises for damaged data; its stubs give an instance where they mean the type."""
    from isal import isal_zlib

    return cast("type[Exception]", isal_zlib.error)


def _report(log: DiagnosticLog, message: str, place: int) -> None:
    hint = "Copy the file again if the original is whole."
    log.add("read.truncated", "data-loss", message, first=(f"byte {place} of the packed file",), hint=hint)
