"""Many unit names as few patterns: ``DCORE1_TPC0_EML ... DCORE3_TPC4_EML`` is ``DCORE[1-3]_TPC[0-4]_EML``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

Tokens = tuple[tuple[str, ...], ...]
"""The parts of a name; a part that is one digit may have several values."""


def patterns_of(names: Sequence[str]) -> list[str]:
    """Patterns that mean exactly these names, with ``[1-3]`` for digits; in the order of the names."""
    start: list[Tokens] = [tuple((part,) for part in re.split(r"(\d+)", name)) for name in names]
    ways = [_merged(start, range(20)), _merged(start, reversed(range(20)))]
    return [_text(tokens) for tokens in min(ways, key=len)]


def _merged(patterns: list[Tokens], positions: Iterable[int]) -> list[Tokens]:
    """Patterns that differ in one digit only become one, position by position."""
    for at in positions:
        found: dict[tuple[Tokens, Tokens, bool], list[str]] = {}
        for tokens in patterns:
            is_digit = at < len(tokens) and all(len(value) == 1 and value.isdigit() for value in tokens[at])
            key = (tokens[:at], tokens[at + 1 :], True) if is_digit else (tokens, (), False)
            found.setdefault(key, []).extend(tokens[at] if is_digit else ())
        patterns = [(*head, tuple(sorted(values)), *tail) if is_digit else head for (head, tail, is_digit), values in found.items()]
    return patterns


def _text(tokens: Tokens) -> str:
    return "".join(values[0] if len(values) == 1 else f"[{_digits(values)}]" for values in tokens)


def _digits(values: tuple[str, ...]) -> str:
    """Digits for a bracket: ``1-4``, ``13``, ``0246``."""
    first, last = int(values[0]), int(values[-1])
    return f"{first}-{last}" if len(values) > 2 and last - first == len(values) - 1 else "".join(values)
