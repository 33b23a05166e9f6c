"""Arguments of all slices as rows (slice, key, value): nested keys are joined by dots, values are the file's text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import orjson

from hlprof_core.analysis.argument import read_args
from hlprof_core.levels.text_set import Mask
from hlprof_core.progress import Progress
from hlprof_core.trace.model import Trace
from hlprof_core.trace.table import I4, I8

REPORT_EVERY = 10_000
NO_TEXT = -1


@dataclass(frozen=True, slots=True, eq=False)
class ArgumentTable:
    """``key`` and ``value`` are places in ``texts``, each text kept once; value -1 is null."""

    slice_id: I8
    key: I4
    value: I4
    texts: tuple[str, ...]


def read_argument_table(trace: Trace, progress: Progress, only: Mask | None = None) -> ArgumentTable:
    """Decode all arguments, or those of the slices marked by ``only``; about 10 µs a slice with ten of them."""
    has_args = trace.slices.args_length > 0
    has_args[trace.end_args.slice] = True
    if only is not None:
        has_args &= only
    wanted = np.flatnonzero(has_args)
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
