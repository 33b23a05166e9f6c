"""Gzip streams to write into: fast, and the same bytes for the same content."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any, BinaryIO

_BLOCK = 1 << 16


def pack_gzip(out: BinaryIO) -> BinaryIO:
    """A stream that packs what is written to it into ``out``; close it, ``out`` stays open."""
    from isal import igzip

    stream: Callable[..., Any] = igzip.IGzipFile
    packed = stream(filename="", mode="wb", compresslevel=2, fileobj=out, mtime=0)
    # A first write of a few bytes would fix the code table for much that follows: small files came out four times as large.
    return io.BufferedWriter(packed, _BLOCK)
