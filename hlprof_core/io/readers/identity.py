"""What a process, thread or event id of a JSON file is: any scalar, taken literally. 1 and "1" stay two."""

from __future__ import annotations

import re
from typing import Any

import orjson

from hlprof_core._kernels import scan

_WHOLE = re.compile(rb"-?\d{1,4000}")


def of_token(token: bytes) -> str | int | None:
    """The id of a raw JSON token; None where it is missing or null. Numbers that are not whole stay as written."""
    if not token or token == b"null":
        return None
    if _WHOLE.fullmatch(token):
        return int(token)
    return scan.text(token)


def of_value(value: Any) -> str | int | None:
    """The same for a value that was decoded with floats as text."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, int) else orjson.dumps(value).decode()


def row_ids(pid: str | int | None, tid: str | int | None) -> tuple[str | int, str | int]:
    """Process and thread of an event: a missing pid is 0, a missing tid is the pid."""
    process = 0 if pid is None else pid
    return process, process if tid is None else tid
