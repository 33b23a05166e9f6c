"""Arguments of many slices at once: neighbours in the file are read together, each is decoded once."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import orjson

from hlprof_core.trace.args import decode
from hlprof_core.trace.model import Trace
from hlprof_core.trace.table import I8

BLOCK_BYTES, WORTH_SKIPPING = 4 << 20, 16 << 10


class WrittenFloat(float):
    """A number that remembers how it was written."""

    def __new__(cls, text: str) -> WrittenFloat:
        self = super().__new__(cls, text)
        self.text = text
        return self

    text: str

    def __str__(self) -> str:
        return self.text


def read_args(trace: Trace, slice_ids: I8, *, exact_numbers: bool = False) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """``(slice id, arguments)`` of these slices, in file order; slices without arguments are left out.

    ``exact_numbers``: fractions may come as ``WrittenFloat``, so that they show the digits of the file.
    """
    slices = trace.slices
    with_end = slice_ids[np.isin(slice_ids, trace.end_args.slice)] if len(trace.end_args.slice) else slice_ids[:0]
    for slice_id in with_end.tolist():
        yield slice_id, trace.args(slice_id)
    ids = slice_ids[slices.args_length[slice_ids] > 0]
    if len(with_end):
        ids = ids[~np.isin(ids, with_end)]
    offsets = slices.args_offset[ids].astype(np.int64)
    order = np.argsort(offsets, kind="stable")
    ids, offsets = ids[order], offsets[order]
    lengths = slices.args_length[ids].astype(np.int64)
    for first, last in _blocks(offsets, lengths):
        begin = int(offsets[first])
        size = int((offsets[first:last] + lengths[first:last]).max()) - begin
        block = trace.args_text.read(begin, size)
        places = zip(ids[first:last].tolist(), (offsets[first:last] - begin).tolist(), lengths[first:last].tolist(), strict=True)
        for slice_id, offset, length in places:
            yield slice_id, decode_args(trace, block[offset : offset + length], begin + offset, exact_numbers)


def _blocks(offsets: I8, lengths: I8) -> Iterator[tuple[int, int]]:
    """Row ranges that are worth one read each: neighbours without a wide gap, of bounded size."""
    ends = offsets + lengths
    cuts = np.flatnonzero(offsets[1:] > ends[:-1] + WORTH_SKIPPING) + 1
    for begin, end in pairwise([0, *cuts.tolist(), len(offsets)]):
        first = begin
        while first < end:
            last = max(int(np.searchsorted(offsets[:end], offsets[first] + BLOCK_BYTES, "left")), first + 1)
            yield first, last
            first = last


def decode_args(trace: Trace, raw: bytes, offset: int, exact_numbers: bool) -> Mapping[str, Any]:
    """The arguments that ``raw``, at ``offset`` of the text of arguments, states."""
    try:
        value = orjson.loads(raw)
        if exact_numbers and _has_fraction(value):
            value = json.loads(raw, parse_float=WrittenFloat)
    except ValueError:
        return decode(trace.args_text, offset, len(raw))
    return value if isinstance(value, dict) else {"args": value}


def _has_fraction(value: Any) -> bool:
    """Whether a number outside of lists was read as a float: a fraction, an exponent, or too large for 64 bits."""
    if isinstance(value, dict):
        return any(_has_fraction(v) for v in value.values() if type(v) is not str)
    return isinstance(value, float)


def first_value(arguments: Mapping[str, Any], *keys: str) -> str:
    """The first of these arguments that says something, as text; "" when none does."""
    for key in keys:
        value = arguments.get(key)
        if value not in (None, ""):
            return str(value)
    return ""
