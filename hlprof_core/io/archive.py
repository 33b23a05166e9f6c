"""Zip and (packed) tar archives as a stream of members. Nothing is ever extracted under a member's own name."""

from __future__ import annotations

import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from hlprof_core.errors import TraceDamaged
from hlprof_core.io import detect
from hlprof_core.io.gzip import unpacking_error

MAX_MEMBERS = 100_000


@dataclass(frozen=True, slots=True)
class Member:
    """One file of an archive; ``content`` can be read once, before the next member is asked for."""

    name: str
    size: int
    content: IO[bytes]

    def blocks(self, size: int = 4 << 20) -> Iterator[bytes]:
        while block := self.content.read(size):
            yield block


def members(file: Path, head: bytes) -> Iterator[Member]:
    """All files of the archive in their order; ``TraceDamaged`` where it cannot be read on."""
    try:
        yield from _zip_members(file) if detect.container(head) == detect.ZIP else _tar_members(file)
    except (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, NotImplementedError) as error:
        raise TraceDamaged(f"{file}: damaged archive ({error}).", hint="Copy the file again.") from error
    except RuntimeError as error:
        raise TraceDamaged(f"{file}: the archive cannot be read ({error}).", hint="Pack it again without a password.") from error


def _zip_members(file: Path) -> Iterator[Member]:
    with zipfile.ZipFile(file) as archive:
        for info in archive.infolist()[:MAX_MEMBERS]:
            if not info.is_dir():
                with archive.open(info) as content:
                    yield Member(info.filename, info.file_size, content)


def _tar_members(file: Path) -> Iterator[Member]:
    from isal import igzip

    try:
        with open(file, "rb") as raw:
            packed = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            unpacker: Any = igzip.GzipFile
            stream = unpacker(fileobj=raw) if packed else raw
            with tarfile.open(fileobj=stream, mode="r|") as archive:
                for number, info in enumerate(archive):
                    content = archive.extractfile(info) if info.isreg() else None
                    if content is not None:
                        yield Member(info.name, info.size, content)
                    if number >= MAX_MEMBERS:
                        return
    except unpacking_error() as error:
        raise TraceDamaged(f"{file}: damaged archive ({error}).", hint="Copy the file again.") from error
