"""Arguments of an event: JSON text in the file until somebody asks."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from hlprof_core.trace.model import ArgsText

_WORDS = re.compile(r'"(?:[^"\\]|\\.)*"|(?<![\w.])[-+]?[A-Za-z]+(?![\w.])', re.DOTALL)
"""Strings, and words outside of them (the ``e`` of a number touches a digit)."""
END_SUFFIX = " (end)"
END_NAMES = {"HW event name": "HW end event name", "HW event port": "HW end event port"}
"""Keys that the profiler's own viewer shows under another name when they come with the end event."""


class MemoryText:
    """Argument texts kept in memory: what a recorder or a reader of another format produced."""

    def __init__(self, data: bytes = b"") -> None:
        self.data = data

    def read(self, offset: int, length: int) -> bytes:
        return self.data[offset : offset + length]


class JoinedText:
    """Texts of a file, and behind them texts kept in memory: offsets from ``BORDER`` on."""

    BORDER = 1 << 62

    def __init__(self, file: ArgsText, memory: MemoryText) -> None:
        self.file = file
        self.memory = memory

    def read(self, offset: int, length: int) -> bytes:
        return self.memory.read(offset - self.BORDER, length) if offset >= self.BORDER else self.file.read(offset, length)


def decode(text: ArgsText, offset: int, length: int) -> dict[str, Any]:
    """The arguments as a dict; NaN and Infinity become the words the file has, a non-object comes under the key ``args``."""
    if not length:
        return {}
    raw = text.read(offset, length)
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError:
        try:
            value = json.loads(_WORDS.sub(_quote_word, raw.decode("utf-8", "replace")), strict=False)
        except (ValueError, RecursionError):
            value = {"unreadable arguments": raw[:1000].decode("utf-8", "replace")}
    return value if isinstance(value, dict) else {"args": value}


def _quote_word(match: re.Match[str]) -> str:
    """Bare words that are no JSON (nan, -inf, Infinity) as strings."""
    word = match[0]
    return word if word[0] == '"' or word in ("true", "false", "null") else f'"{word}"'


def merge_end(begin: dict[str, Any], end: dict[str, Any]) -> dict[str, Any]:
    """Begin arguments win; what the end says differently keeps a name of its own."""
    merged = dict(begin)
    for key, value in end.items():
        if key not in merged:
            merged[key] = value
        elif merged[key] != value:
            merged[END_NAMES.get(key, key + END_SUFFIX)] = value
    return merged
