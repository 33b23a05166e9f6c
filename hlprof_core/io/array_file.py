"""Arrays in one file, to be mapped into memory instead of read.

    magic | header length, crc | header (JSON: what the writer says, where each array lies) | arrays, each at a multiple of 64 bytes
"""

from __future__ import annotations

import os
import shutil
import struct
import zlib
from collections.abc import Callable, Iterable, Mapping
from io import FileIO
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from hlprof_core.io.unfinished import start_unfinished

MAGIC = b"hlprof-cache\n"
HEADER = struct.Struct("<II")
DISK_RESERVE = 1 << 30
"""A disk with less room than this is left alone."""
WHOLE_CHECK = 16 << 20
"""Up to this size every byte of the arrays is checked; above, a sample of pages."""
PAGE = 4096
STEP = 8 << 20
"""Bytes written between two questions whether to go on."""
Arrays = Mapping[str, npt.NDArray[Any]]


class UnusableError(Exception):
    """The file cannot be used; says why, for whoever debugs it."""


def write_arrays(target: Path, header: dict[str, Any], arrays: Arrays, most: int, dropped: Callable[[], bool]) -> bool:
    """Put them into ``target``, whole or not at all. False when they take more than ``most`` bytes, when the disk is nearly full, or when
    ``dropped``, asked often, says so. ``OSError`` when it cannot be written."""
    places, at = {}, 0
    for name, array in arrays.items():
        places[name] = [array.dtype.str, at, len(array)]
        at = _aligned(at + array.nbytes)
    if at > most:
        return False
    encoded = orjson.dumps(header | {"bytes": at, "arrays": places, "check": _check(arrays.values(), at)})
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
    return True


def map_arrays(path: Path) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """The header and the arrays, read-only. ``UnusableError`` or ``ValueError``: the file is damaged; ``OSError``: it is not there."""
    with path.open("rb") as file:
        header, begin = _read_header(file.read(HEADER.size + len(MAGIC)), file)
    data: Any = np.memmap(path, np.uint8, "r")
    arrays = {}
    for name, (kind, at, count) in header["arrays"].items():
        size = np.dtype(kind).itemsize * count
        if not 0 <= at <= at + size <= header["bytes"]:
            raise UnusableError("an array out of range")
        arrays[name] = np.frombuffer(data[begin + at : begin + at + size], kind)
    if _check(arrays.values(), header["bytes"]) != header["check"]:
        raise UnusableError("damaged arrays")
    return header, arrays


def _read_header(start: bytes, file: Any) -> tuple[dict[str, Any], int]:
    """The header, and the offset where the arrays begin."""
    if start[: len(MAGIC)] != MAGIC or len(start) < len(MAGIC) + HEADER.size:
        raise UnusableError("no cache file")
    length, crc = HEADER.unpack(start[len(MAGIC) :])
    text = file.read(length)
    if len(text) != length or zlib.crc32(text) != crc:
        raise UnusableError("damaged header")
    header = orjson.loads(text)
    begin = _aligned(len(start) + length)
    if os.fstat(file.fileno()).st_size != begin + header["bytes"]:
        raise UnusableError("cut")
    return header, begin


def _aligned(size: int) -> int:
    return -(-size // 64) * 64


def _put(file: FileIO, data: bytes | memoryview) -> None:
    """Write all of it."""
    view = memoryview(data)
    while view:
        view = view[file.write(view) :]


def _check(arrays: Iterable[npt.NDArray[Any]], total: int) -> int:
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
