"""Zip and (packed) tar archives as a stream of members. Nothing is ever extracted under a member's own name."""

from __future__ import annotations

import errno
import io
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from msgspec import Struct

from hlprof_core.diagnostics import DiagnosticLog
from hlprof_core.errors import TraceDamaged
from hlprof_core.io import detect
from hlprof_core.io.cut_zip import CutMember, cut_members
from hlprof_core.io.gzip import unpacking_error
from hlprof_core.io.source import FileSource, unreadable
from hlprof_core.io.zstd import unpack_zstd

MAX_MEMBERS = 100_000
BLOCK = 1 << 16


class Member(Struct):
    """One file of an archive; it can be read once, before the next member is asked for. ``damage`` says why it ended early."""

    name: str
    archive: Path
    size: int
    content: IO[bytes] | CutMember
    damage: str = ""

    def read(self, size: int = BLOCK) -> bytes:
        """The next bytes, none at the end or where it is damaged."""
        try:
            return b"" if self.damage else self.content.read(size)
        except damage_errors() as error:
            _refuse_unreadable(self.archive, error)
            self.damage = str(error) or type(error).__name__
            return b""

    def blocks(self) -> Iterator[bytes]:
        """All that is left; small blocks, as the last one of a damaged member is lost."""
        while block := self.read():
            yield block


def damage_errors() -> tuple[type[Exception], ...]:
    """What reading a damaged or unknown archive raises."""
    return (zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, NotImplementedError, RuntimeError, ValueError,
            IndexError, struct.error, OSError, unpacking_error())  # fmt: skip


def _refuse_unreadable(file: Path, error: Exception) -> None:
    """Raise the ``TraceError`` when it was the system that did not give the bytes; what is wrong in them has no number, or leads to a place
    that no file has."""
    if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
        raise unreadable(file, error) from error


def members(file: Path, head: bytes) -> Iterator[Member]:
    """All files of the archive in their order; ``TraceDamaged`` where it cannot be read on."""
    try:
        yield from _zip_members(file) if detect.container(head) == detect.ZIP else _tar_members(file)
    except damage_errors() as error:
        _refuse_unreadable(file, error)
        why = " ".join(str(error).split()) or type(error).__name__
        message = f"{file}: the archive is damaged or of an unknown kind ({why})."
        raise TraceDamaged(message, hint="Copy it again, or pack it anew.") from error


class _Stream:
    """A zstd file as a stream; ``EOFError`` where its data are cut or damaged."""

    def __init__(self, file: Path) -> None:
        self._log = DiagnosticLog()
        self._blocks = unpack_zstd(FileSource(file), self._log)
        self._rest = b""

    def read(self, size: int) -> bytes:
        while len(self._rest) < size and (block := next(self._blocks, b"")):
            self._rest += block
        if len(self._rest) < size and (told := self._log.freeze()):
            raise EOFError(told[0].message.rstrip("."))
        part, self._rest = self._rest[:size], self._rest[size:]
        return part


def _zip_members(file: Path) -> Iterator[Member]:
    try:
        archive = zipfile.ZipFile(file)
    except zipfile.BadZipFile:
        for name, cut in cut_members(file):
            yield Member(name, file, 0, cut)
        raise
    with archive:
        for info in archive.infolist()[:MAX_MEMBERS]:
            if not info.is_dir():
                try:
                    content = archive.open(info)
                except damage_errors() as error:
                    _refuse_unreadable(file, error)
                    yield Member(info.filename, file, info.file_size, io.BytesIO(), str(error) or type(error).__name__)
                    continue
                with content:
                    yield Member(info.filename, file, info.file_size, content)


def _tar_members(file: Path) -> Iterator[Member]:
    from isal import igzip

    with open(file, "rb") as raw:
        kind = detect.container(raw.read(4))
        raw.seek(0)
        unpacker: Any = igzip.GzipFile
        stream: Any = raw
        if kind == detect.GZIP:
            stream = unpacker(fileobj=raw)
        elif kind == detect.ZSTD:
            stream = _Stream(file)
        with tarfile.open(fileobj=stream, mode="r|") as archive:
            for number, info in enumerate(archive):
                content = archive.extractfile(info) if info.isreg() else None
                if content is not None:
                    yield Member(info.name, file, info.size, content)
                if number >= MAX_MEMBERS:
                    return
