"""Arguments of many slices at once: neighbours in the file are read together, each is decoded once."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import orjson

from hlprof_core.trace.args import decode
from hlprof_core.trace.model import Trace
from hlprof_core.trace.table import I8

BLOCK_BYTES = 4 << 20
_DELICATE = re.compile(rb"\d[\d.]{14}|\d[eE]|\.\d*0(?!\d)")
"""Numbers that would not come back as they were written when read as 64-bit values."""


def read_args(trace: Trace, slice_ids: I8, *, exact_numbers: bool = False) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """``(slice id, arguments)`` of these slices, in file order; slices without arguments are left out.

    ``exact_numbers``: fractions and exponents may come as text, so that they show the digits of the file.
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
    first = 0
    while first < len(ids):
        begin = int(offsets[first])
        last = max(int(np.searchsorted(offsets, begin + BLOCK_BYTES, "left")), first + 1)
        size = int((offsets[first:last] + lengths[first:last]).max()) - begin
        block = trace.args_text.read(begin, size)
        places = zip(ids[first:last].tolist(), (offsets[first:last] - begin).tolist(), lengths[first:last].tolist(), strict=True)
        for slice_id, offset, length in places:
            yield slice_id, _decode(trace, block[offset : offset + length], begin + offset, exact_numbers)
        first = last


def _decode(trace: Trace, raw: bytes, offset: int, exact_numbers: bool) -> Mapping[str, Any]:
    try:
        if exact_numbers and _DELICATE.search(raw):
            value = json.loads(raw, parse_float=str)
        else:
            value = orjson.loads(raw)
    except ValueError:
        return decode(trace.args_text, offset, len(raw))
    return value if isinstance(value, dict) else {"args": value}


def first_value(arguments: Mapping[str, Any], *keys: str) -> str:
    """The first of these arguments that says something, as text; "" when none does."""
    for key in keys:
        value = arguments.get(key)
        if value not in (None, ""):
            return str(value)
    return ""
