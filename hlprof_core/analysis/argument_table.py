"""Arguments of all slices as rows (slice, key, value): nested keys are joined by dots, values are text as the file wrote them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from hlprof_core.analysis.argument import read_args
from hlprof_core.progress import Progress
from hlprof_core.trace.model import Trace

REPORT_EVERY = 20_000


def argument_columns(trace: Trace | None, progress: Progress) -> Mapping[str, Any]:
    """The table; without a trace an empty one of the same shape."""
    owners: list[int] = []
    keys: list[str] = []
    values: list[str | None] = []
    if trace is not None:
        has_args = trace.slices.args_length > 0
        has_args[trace.end_args.slice] = True
        rows = np.flatnonzero(has_args)
        for done, (slice_id, args) in enumerate(read_args(trace, rows, exact_numbers=True)):
            if done % REPORT_EVERY == 0:
                progress.report("arguments", done, len(rows))
            for key, value in flatten(args):
                owners.append(slice_id)
                keys.append(key)
                values.append(value)
    key_column, value_column = np.empty(len(keys), object), np.empty(len(values), object)
    key_column[:], value_column[:] = keys, values
    return {"slice_id": np.array(owners, np.int64), "key": key_column, "value": value_column}


def flatten(value: Any, prefix: str = "") -> Iterator[tuple[str, str | None]]:
    """``{"a": {"b": [1, 2]}}`` gives ``a.b.0`` and ``a.b.1``; an empty object or list stays one row."""
    if isinstance(value, Mapping) and value:
        for key, inner in value.items():
            yield from flatten(inner, f"{prefix}.{key}" if prefix else str(key))
    elif isinstance(value, list) and value:
        for index, inner in enumerate(value):
            yield from flatten(inner, f"{prefix}.{index}" if prefix else str(index))
    elif prefix:
        yield prefix, _as_text(value)


def _as_text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict | list):
        return json.dumps(value)
    return str(value)
