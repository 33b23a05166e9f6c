"""Arguments of all slices as rows (slice, key, value): nested keys are joined by dots, values are the file's text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import orjson
from msgspec import Struct

from hlprof_core.analysis.argument import WrittenFloat, decode_args, read_args
from hlprof_core.analysis.filter.arguments import args_in_order
from hlprof_core.analysis.filter.question import NUMBER, OTHER, PLAIN, TEXT, UNSURE, find_values, group_texts
from hlprof_core.levels.args_blocks import TextBlock, over_blocks
from hlprof_core.levels.text_set import Mask
from hlprof_core.progress import Progress
from hlprof_core.trace.model import Trace
from hlprof_core.trace.table import I4, I8

REPORT_EVERY = 10_000
NO_TEXT = -1


class ArgumentTable(Struct, frozen=True, eq=False):
    """``key`` and ``value`` are places in ``texts``, each text kept once; value -1 is null."""

    slice_id: I8
    key: I4
    value: I4
    texts: tuple[str, ...]


def read_argument_table(
    trace: Trace, progress: Progress, only: Mask | None = None, keys: frozenset[str] | None = None
) -> ArgumentTable:
    """Decode all arguments, or those of the slices marked by ``only``; about 10 µs a slice with ten of them, 1 µs for each of ``keys``
    where only those are wanted."""
    has_args = trace.slices.args_length > 0
    has_args[trace.end_args.slice] = True
    if only is not None:
        has_args &= only
    wanted = np.flatnonzero(has_args)
    if keys is not None and all(PLAIN.fullmatch(key.encode()) for key in keys):
        return _read_keys(trace, progress, wanted, sorted(keys))
    table = _read_all(trace, progress, wanted)
    if keys is None:
        return table
    is_wanted = np.array([text in keys for text in table.texts], np.bool_)[table.key] if len(table.key) else np.zeros(0, np.bool_)
    return ArgumentTable(table.slice_id[is_wanted], table.key[is_wanted], table.value[is_wanted], table.texts)


def _read_all(trace: Trace, progress: Progress, wanted: I8) -> ArgumentTable:
    owners: list[int] = []
    keys: list[int] = []
    values: list[int] = []
    places: dict[str, int] = {}
    place = places.setdefault
    for done, (slice_id, args) in enumerate(read_args(trace, wanted, exact_numbers=True)):
        if done % REPORT_EVERY == 0:
            progress.report("arguments", done, len(wanted))
        for key, value in args.items():
            if type(value) is str:
                pairs: Iterable[tuple[str, str | None]] = ((key, value),)
            elif type(value) is int:
                pairs = ((key, str(value)),)
            else:
                pairs = flatten(value, key)
            for path, text in pairs:
                owners.append(slice_id)
                keys.append(place(path, len(places)))
                values.append(NO_TEXT if text is None else place(text, len(places)))
    return ArgumentTable(np.array(owners, np.int64), np.array(keys, np.int32), np.array(values, np.int32), tuple(places))


NO_ROWS = ArgumentTable(np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int32), ())
Part = tuple[I8, I4, I4, list[str | None]]
"""Slices of a block, the key of each and the place of its value among the texts of the block."""


def _read_keys(trace: Trace, progress: Progress, wanted: I8, keys: list[str]) -> ArgumentTable:
    """Rows of these keys only: their values are found in the bytes, each distinct one is decoded once for a block."""
    places: dict[str, int] = {key: place for place, key in enumerate(keys)}
    if not keys:
        return NO_ROWS
    ends = trace.end_args.slice
    with_end = wanted[np.isin(wanted, ends)] if len(ends) else wanted[:0]
    parts: list[tuple[I8, I4, I4]] = []

    def add(part: Part) -> None:
        ids, key, value, texts = part
        if len(ids):
            global_place = [NO_TEXT if text is None else places.setdefault(text, len(places)) for text in texts]
            parts.append((ids, key, np.array(global_place, np.int32)[value]))

    for part in over_blocks(trace, args_in_order(trace, wanted, with_end), lambda block: _values_in(trace, block, keys), progress):
        add(part)
    add(_decoded(_whole(trace, with_end, progress), keys))
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)] if parts else [np.empty(0, np.int64)] * 3
    return ArgumentTable(columns[0].astype(np.int64), columns[1].astype(np.int32), columns[2].astype(np.int32), tuple(places))


def _values_in(trace: Trace, block: TextBlock, keys: list[str]) -> Part:
    every, unsure = np.arange(len(block.ids)), np.zeros(len(block.ids), np.bool_)
    found: list[tuple[I8, int, I8, list[str | None]]] = []
    for number, key in enumerate(keys):
        kind, start, stop, _ = find_values(block, every, key.encode(), is_exact=True)
        unsure |= kind == UNSURE
        for wanted in (TEXT, NUMBER, OTHER):
            rows = np.flatnonzero(kind == wanted)
            group, first = group_texts(block.text, start[rows], stop[rows])
            texts, is_row = [], np.ones(len(first), np.bool_)
            for place, (a, b) in enumerate(zip(start[rows[first]].tolist(), stop[rows[first]].tolist(), strict=True)):
                try:
                    value = _value(block.text[a:b], is_plain=wanted != OTHER)
                except ValueError:
                    unsure[rows[group == place]] = True
                    value = None
                is_row[place] = not (isinstance(value, Mapping) and value)
                texts.append(_as_text(value) if is_row[place] else None)
            kept = is_row[group]
            found.append((rows[kept], number, group[kept].astype(np.int64), texts))
    parts = []
    for rows, number, group, texts in found:
        sure = ~unsure[rows]
        parts.append((block.ids[rows[sure]], number, group[sure], texts))
    ids, numbers, values, all_texts = [], [], [], list[str | None]()
    for slices, number, group, texts in parts:
        ids.append(slices)
        numbers.append(np.full(len(slices), number, np.int32))
        values.append((group + len(all_texts)).astype(np.int32))
        all_texts += texts
    one_by_one = _decoded((_decode(trace, block, place) for place in np.flatnonzero(unsure).tolist()), keys)
    ids.append(one_by_one[0])
    numbers.append(one_by_one[1])
    values.append((one_by_one[2] + len(all_texts)).astype(np.int32))
    return np.concatenate(ids), np.concatenate(numbers), np.concatenate(values), all_texts + one_by_one[3]


def _decode(trace: Trace, block: TextBlock, place: int) -> tuple[int, Mapping[str, Any]]:
    raw, slice_id = block.text[int(block.starts[place]) : int(block.stops[place])], int(block.ids[place])
    return slice_id, decode_args(trace, raw, int(trace.slices.args_offset[slice_id]), True)


def _whole(trace: Trace, slice_ids: I8, progress: Progress) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for slice_id in slice_ids.tolist():
        progress.check()
        yield slice_id, trace.args(slice_id)


def _value(raw: bytes, *, is_plain: bool) -> Any:
    if is_plain:
        return raw.decode("ascii")
    value = orjson.loads(raw)
    # Digits as they are written, also those that no float holds.
    return json.loads(raw, parse_float=WrittenFloat) if isinstance(value, float) else value


def _decoded(slices: Iterable[tuple[int, Mapping[str, Any]]], keys: list[str]) -> Part:
    number = {key: place for place, key in enumerate(keys)}
    rows = [
        (slice_id, number[path], text)
        for slice_id, args in slices
        for key, value in args.items()
        for path, text in flatten(value, key)
        if path in number
    ]
    owners, numbers = np.array([row[0] for row in rows], np.int64), np.array([row[1] for row in rows], np.int32)
    return owners, numbers, np.arange(len(rows), dtype=np.int32), [row[2] for row in rows]


def flatten(value: Any, prefix: str) -> Iterator[tuple[str, str | None]]:
    """``{"b": {"c": 1}}`` under ``a`` gives ``a.b.c``; a list is one value, written as JSON, and so is an empty object."""
    if isinstance(value, Mapping) and value:
        for key, inner in value.items():
            yield from flatten(inner, f"{prefix}.{key}")
    else:
        yield prefix, _as_text(value)


def _as_text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, dict | list):
        return str(value)
    try:
        return orjson.dumps(value).decode()
    except TypeError:  # integers beyond 64 bits
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
