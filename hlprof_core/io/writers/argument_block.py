"""Argument texts of many events at a time: one read where they lie close together, as they do in the order of time."""

from __future__ import annotations

import numpy as np

from hlprof_core.trace.model import ArgsText
from hlprof_core.trace.table import U4, U8

MAX_SPAN = 32 << 20
MAX_WASTE = 16
"""A stretch of text is read at once when it is not much longer than the arguments in it."""


def read_arguments(text: ArgsText, offset: U8, length: U4) -> list[bytes]:
    """The texts at these places; b"" where the length is 0."""
    used = np.flatnonzero(length)
    if not len(used):
        return [b""] * len(length)
    first = int(offset[used].min())
    last = int((offset[used] + length[used]).max())
    if last - first > min(MAX_SPAN, MAX_WASTE * int(length[used].sum()) + (64 << 10)):
        return [text.read(at, size) if size else b"" for at, size in zip(offset.tolist(), length.tolist(), strict=True)]
    block = text.read(first, last - first)
    begin = np.where(length > 0, offset.astype(np.int64) - first, 0)
    return [block[at : at + size] for at, size in zip(begin.tolist(), length.tolist(), strict=True)]
