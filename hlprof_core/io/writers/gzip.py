"""Gzip streams to write into: fast, and the same bytes for the same content."""

from __future__ import annotations

from typing import BinaryIO, cast


def pack_gzip(out: BinaryIO) -> BinaryIO:
    """A stream that packs what is written to it into ``out``; close it, ``out`` stays open."""
    from isal import igzip

    return cast("BinaryIO", igzip.IGzipFile(filename="", mode="wb", compresslevel=2, fileobj=out, mtime=0))  # type: ignore[no-untyped-call]
