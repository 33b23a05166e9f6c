"""Gzip streams to write into: fast, and the same bytes for the same content."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, BinaryIO


def pack_gzip(out: BinaryIO) -> BinaryIO:
    """A stream that packs what is written to it into ``out``; close it, ``out`` stays open."""
    from isal import igzip

    stream: Callable[..., Any] = igzip.IGzipFile
    packed: BinaryIO = stream(filename="", mode="wb", compresslevel=2, fileobj=out, mtime=0)
    return packed
