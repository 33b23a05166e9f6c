"""Unpacking zstd with the system's libzstd, in blocks: several frames behind each other, and files that were cut or damaged."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from functools import cache
from typing import Any

from hlprof_core.diagnostics import DiagnosticLog
from hlprof_core.errors import TraceDamaged, TraceError
from hlprof_core.io.source import ByteSource

MAGIC = b"\x28\xb5\x2f\xfd"
IN_BLOCK, OUT_BLOCK = 1 << 18, 1 << 20


class _In(ctypes.Structure):
    _fields_ = (("data", ctypes.c_void_p), ("size", ctypes.c_size_t), ("at", ctypes.c_size_t))


class _Out(ctypes.Structure):
    _fields_ = (("data", ctypes.c_void_p), ("size", ctypes.c_size_t), ("at", ctypes.c_size_t))


@cache
def library() -> Any:
    """libzstd with the functions used here declared; None where the system has none."""
    from ctypes.util import find_library  # takes a while to load, and most files are not packed

    name = find_library("zstd")
    if name is None:
        return None
    try:
        loaded = ctypes.CDLL(name)
        loaded.ZSTD_createDStream.restype = ctypes.c_void_p
        loaded.ZSTD_freeDStream.argtypes = (ctypes.c_void_p,)
        loaded.ZSTD_decompressStream.argtypes = (ctypes.c_void_p, ctypes.POINTER(_Out), ctypes.POINTER(_In))
        loaded.ZSTD_decompressStream.restype = ctypes.c_size_t
        loaded.ZSTD_isError.argtypes = (ctypes.c_size_t,)
        loaded.ZSTD_getErrorName.argtypes = (ctypes.c_size_t,)
        loaded.ZSTD_getErrorName.restype = ctypes.c_char_p
    except (OSError, AttributeError):
        return None
    return loaded


def unpack_zstd(source: ByteSource, log: DiagnosticLog) -> Iterator[bytes]:
    """The text in blocks of at most 1 MiB; what is missing or broken ends it and goes to ``log``."""
    zstd = library()
    if zstd is None:
        message = f"{source.path}: packed with zstd, and this system has no libzstd."
        raise TraceError(message, hint="Install it (package libzstd1 or libzstd), or unpack the file: unzstd FILE")
    stream = zstd.ZSTD_createDStream()
    if not stream:
        raise MemoryError
    try:
        yield from _frames(zstd, stream, source, log)
    finally:
        zstd.ZSTD_freeDStream(stream)


def _frames(zstd: Any, stream: Any, source: ByteSource, log: DiagnosticLog) -> Iterator[bytes]:
    out = ctypes.create_string_buffer(OUT_BLOCK)
    at, given, wanted = 0, 0, 1  # wanted 0: a frame has just ended
    while data := source.read(at, IN_BLOCK):
        block = ctypes.create_string_buffer(data, len(data))
        into = _In(ctypes.addressof(block), len(data), 0)
        while True:
            outof = _Out(ctypes.addressof(out), OUT_BLOCK, 0)
            between, before = wanted == 0, into.at
            wanted = zstd.ZSTD_decompressStream(stream, ctypes.byref(outof), ctypes.byref(into))
            if zstd.ZSTD_isError(wanted):
                place = at + before
                why = zstd.ZSTD_getErrorName(wanted).decode()
                if not given and not between:
                    message = f"{source.path}: damaged zstd data at byte {place} ({why})."
                    raise TraceDamaged(message, offset=place, hint="Copy the file again.")
                if between:
                    log.add("read.trailing_data", "notice", "Bytes behind the packed data were passed over.", first=(f"byte {place}",))
                else:
                    _report(log, f"The packed data is damaged ({why}): what was unpacked until there is here.", place)
                return
            if outof.at:
                given += outof.at
                yield ctypes.string_at(out, outof.at)
            if into.at == len(data) and outof.at < OUT_BLOCK:
                break
        at += len(data)
    if wanted:
        _report(log, "The packed file is cut off: what was unpacked until there is here.", at)


def _report(log: DiagnosticLog, message: str, place: int) -> None:
    hint = "Copy the file again if the original is whole."
    log.add("read.truncated", "data-loss", message, first=(f"byte {place} of the packed file",), hint=hint)
