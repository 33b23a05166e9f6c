"""A zip whose directory at its end is missing: its members are found by the headers before each, up to where it is cut off."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

HEADER = struct.Struct("<4s5H3L2H")
MARK = b"PK\x03\x04"
STORED, DEFLATED = 0, 8
ENCRYPTED, SIZE_BEHIND = 1, 8
"""Flags; with the second one the sizes stand behind the data."""
WIDE = 0xFFFFFFFF
BLOCK = 1 << 12
"""Packed bytes that are read at once: they unpack to 4 MiB at most."""


class CutMember:
    """The data of one member as a stream; ``EOFError`` where the file ends before it does."""

    def __init__(self, file: IO[bytes], method: int, size: int | None) -> None:
        """``size``: packed bytes, None where only the data say it."""
        self._file, self._left = file, size
        self._unpacker = zlib.decompressobj(-15) if method == DEFLATED else None
        self._rest = b""
        self.is_done = size == 0

    def read(self, size: int) -> bytes:
        while len(self._rest) < size and not self.is_done:
            self._rest += self._more()
        part, self._rest = self._rest[:size], self._rest[size:]
        return part

    def _more(self) -> bytes:
        data = self._file.read(BLOCK if self._left is None else min(BLOCK, self._left))
        if not data:
            raise EOFError("the archive is cut off")
        if self._left is not None:
            self._left -= len(data)
        if self._unpacker is None:
            self.is_done = not self._left
            return data
        out = self._unpacker.decompress(data)
        if self._unpacker.eof:
            self._file.seek(-len(self._unpacker.unused_data), 1)
            self.is_done = True
        elif self._left == 0:
            raise EOFError("the data end early")
        return out


def cut_members(file: Path) -> Iterator[tuple[str, CutMember]]:
    """Names and data in their order; each must be read before the next is asked for."""
    with file.open("rb") as stream:
        while len(start := stream.read(HEADER.size)) == HEADER.size:
            mark, _, flags, method, _, _, _, packed, _, name_size, extra_size = HEADER.unpack(start)
            name = stream.read(name_size).decode("utf-8", "replace")
            stream.seek(extra_size, 1)
            unknown = bool(flags & SIZE_BEHIND) or packed == WIDE
            if mark != MARK or flags & ENCRYPTED or method not in (STORED, DEFLATED) or (unknown and method == STORED):
                return
            member = CutMember(stream, method, None if unknown else packed)
            yield name, member
            while member.read(1 << 16):
                pass
            if flags & SIZE_BEHIND and not _pass_sizes(stream):
                return


def _pass_sizes(stream: IO[bytes]) -> bool:
    """Go behind the sizes that follow the data: with or without a mark, of 4 or 8 bytes each."""
    at = stream.tell()
    following = stream.read(28)
    behind = next((size for size in (12, 16, 20, 24) if following[size : size + 4] == MARK), None)
    stream.seek(at + (behind or 0))
    return behind is not None
