"""Unpacking gzip in blocks: several members behind each other, padding, and files that were cut."""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Iterator
from typing import cast

from hlprof_core.diagnostics import DiagnosticLog
from hlprof_core.errors import TraceDamaged
from hlprof_core.io.source import ByteSource

IN_BLOCK, OUT_BLOCK, STEP = 1 << 18, 4 << 20, 1 << 16
MAGIC = b"\x1f\x8b"


def unpack_gzip(source: ByteSource, log: DiagnosticLog) -> Iterator[bytes]:
    """The text in blocks of at most 4 MiB; what is missing or broken ends it and goes to ``log``."""
    from isal import isal_zlib

    damage = unpacking_error()
    at, given, members, member_at = 0, 0, 0, 0
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
            rescued = _until_damage(source, member_at, given)
            if not rescued and not given and not members:
                message = f"{source.path}: damaged gzip data at byte {at - len(data)} ({error})."
                raise TraceDamaged(message, offset=at, hint="Copy the file again.") from error
            if rescued:
                yield rescued
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
            members, given, member_at = members + 1, 0, at - len(data)
            unpacker = isal_zlib.decompressobj(wbits=31)


def _until_damage(source: ByteSource, member_at: int, given: int) -> bytes:
    """What the member that begins at ``member_at`` holds between its first ``given`` bytes and its damage.

    The unpacker that met the damage keeps what it made in that call to itself, so the member is unpacked once more in small steps.
    """
    unpacker = zlib.decompressobj(wbits=31)
    rest = bytearray()
    at, skip = member_at, given
    data = b""
    while not unpacker.eof:
        if not data:
            data = source.read(at, IN_BLOCK)
            at += len(data)
            if not data:
                break
        before = unpacker.copy()
        try:
            part = unpacker.decompress(data, STEP)
        except zlib.error:
            with contextlib.suppress(zlib.error):  # the caller reports it
                while byte := before.decompress(data, 1):
                    rest += byte
                    data = before.unconsumed_tail
            break
        data = unpacker.unconsumed_tail
        rest += part
        gone = min(skip, len(rest))
        del rest[:gone]
        skip -= gone
    return bytes(rest[skip:])


def unpacking_error() -> type[Exception]:
    """What isal raises for damaged data; its stubs give an instance where they mean the type."""
    from isal import isal_zlib

    return cast("type[Exception]", isal_zlib.error)


def _report(log: DiagnosticLog, message: str, place: int) -> None:
    hint = "Copy the file again if the original is whole."
    log.add("read.truncated", "data-loss", message, first=(f"byte {place} of the packed file",), hint=hint)
