"""What a process, thread or event id of a JSON file is: any scalar, taken literally. 1 and "1" stay two."""

from __future__ import annotations

import re
from typing import Any

import orjson

from hlprof_core._kernels import scan

_WHOLE = re.compile(rb"-?\d{1,4000}")


class BareId(str):
    """A word, or a number that is not whole, as written: it is not the id of the same text in quotes."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BareId) and str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((BareId, str.__hash__(self)))


def of_token(token: bytes) -> str | int | None:
    """The id of a raw JSON token; None where it is missing or null. Numbers that are not whole stay as written."""
    if not token or token == b"null":
        return None
    if _WHOLE.fullmatch(token):
        return int(token)
    text = scan.text(token)
    return text if token[:1] == b'"' else BareId(text)


def of_value(value: Any) -> str | int | None:
    """The same for a value that was decoded with floats as ``BareId``."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return BareId("true" if value else "false")
    return value if isinstance(value, int) else orjson.dumps(value).decode()


def row_ids(pid: str | int | None, tid: str | int | None) -> tuple[str | int, str | int]:
    """Process and thread of an event: a missing pid is 0, a missing tid is the pid."""
    process = 0 if pid is None else pid
    return process, process if tid is None else tid
