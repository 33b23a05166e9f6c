"""What a term asks of one value: texts, whole numbers and times, arguments. Made by ``binding``, applied to whole columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np
import orjson
from msgspec import Struct

from hlprof_core.levels.text_set import Mask, TextSet, fold, is_like
from hlprof_core.trace.table import I8

LOWEST, HIGHEST = -(1 << 63), (1 << 63) - 1


class TextCondition(Struct, frozen=True):
    """``:`` holds any of the texts, ``=`` is any of them (``*`` stands for anything), ``!=`` is none of them, ``==`` is one of them as it
    is written."""

    op: str
    texts: tuple[str, ...]

    def of_texts(self, texts: TextSet, written: Callable[[int], str]) -> Mask:
        """For each text whether it meets the condition. ``written`` tells a text with its case, which the set does not keep."""
        found = np.zeros(len(texts), np.bool_)
        if self.op == "==":
            for text in self.texts:
                found |= texts.equal_to(text)
            for place in np.flatnonzero(found).tolist():
                found[place] = written(place) in self.texts
            return found
        for text in self.texts:
            found |= texts.containing(text) if self.op == ":" else texts.like(text)
        return ~found if self.op == "!=" else found


class NumberCondition(Struct, frozen=True):
    """Within any of the ranges, both ends included; ``is_not``: within none."""

    ranges: tuple[tuple[int, int], ...]
    is_not: bool = False

    def of_column(self, column: I8) -> Mask:
        """For each number whether it meets the condition."""
        found = np.zeros(len(column), np.bool_)
        for low, high in self.ranges:
            if low <= high:
                part = column >= low if low > LOWEST else np.ones(len(column), np.bool_)
                found |= part & (column <= high) if high < HIGHEST else part
        return ~found if self.is_not else found


class ArgCondition(Struct, frozen=True, dict=True):
    """``key`` "" asks for any key or value that holds a text. ``==`` is about the value as a whole, the others about its members too.
    ``numbers``: ranges with ends that may be open or excluded."""

    key: str
    op: str
    texts: tuple[str, ...]
    numbers: tuple[tuple[float, float], ...] = ()
    """For each text the number it states, as a range of one; or the ranges of a comparison."""

    @cached_property
    def _folded(self) -> tuple[bytes, ...]:
        return tuple(fold(text) for text in self.texts)

    @cached_property
    def _exact(self) -> frozenset[str]:
        return frozenset(self.texts) - {""}

    @cached_property
    def _patterns(self) -> tuple[tuple[bytes, list[bytes], bytes] | None, ...]:
        split = [[fold(piece) for piece in text.split("*")] for text in self.texts]
        return tuple((p[0], p[1:-1], p[-1]) if len(p) > 1 else None for p in split)

    def of_args(self, args: Mapping[str, Any]) -> bool:
        """Whether the arguments of one slice meet the condition."""
        if not self.key:
            return any(needle in fold(text) for needle in self._folded for text in _all_texts(args))
        if self.op == "==":
            return shown_value(args, self.key) in self._exact
        return any(self.of_value(value) for value in find_key(args, self.key))

    def of_value(self, value: Any) -> bool:
        """Whether one value under the key meets it."""
        if self.op == "==":
            return text_of(value) in self._exact
        scalars = list(_scalars(value))
        match self.op:
            case ":":
                whole = [value] if isinstance(value, list) else []
                return any(needle in fold(text_of(part)) for needle in self._folded for part in (*scalars, *whole))
            case "=":
                return self._is(value, scalars)
            case "!=":
                return text_of(value) != "" and not self._is(value, scalars)
        return any(self._in_ranges(number) for scalar in scalars if (number := number_of(scalar)) is not None)

    def _in_ranges(self, number: float) -> bool:
        for low, high in self.numbers:
            is_above = number > low if self.op == ">" else number >= low
            if is_above and (number < high if self.op == "<" else number <= high):
                return True
        return False

    def _is(self, value: Any, scalars: list[Any]) -> bool:
        """Whether the value, or a member of it, is one of the texts; ``*`` alone asks whether there is a value."""
        if self._asks_for_any and text_of(value):
            return True
        if self._wholes and isinstance(value, list | dict) and fold(text_of(value)) in self._wholes:
            return True
        return any(self._equals(scalar) for scalar in scalars)

    @cached_property
    def _wholes(self) -> frozenset[bytes]:
        """Texts that may be a whole list or object."""
        return frozenset(text for text in self._folded if text[:1] in (b"[", b"{"))

    @cached_property
    def _asks_for_any(self) -> bool:
        return any(text and not text.strip("*") for text in self.texts)

    def _equals(self, scalar: Any) -> bool:
        text = fold(text_of(scalar))
        for wanted, pattern in zip(self._folded, self._patterns, strict=True):
            if text == wanted or (text and pattern is not None and is_like(text, *pattern)):
                return True
        number = number_of(scalar) if self.numbers else None
        return number is not None and any(low <= number <= high for low, high in self.numbers)


def find_key(args: Mapping[str, Any], key: str) -> Iterator[Any]:
    """Values under a key, case apart; dots lead into objects, and may be part of a key. An object stands for all that is in it."""
    folded = key.casefold()
    for name, value in args.items():
        if name == key or name.casefold() == folded:
            yield value
        elif isinstance(value, Mapping) and folded.startswith(name.casefold() + "."):
            yield from find_key(value, key[len(name) + 1 :])


def shown_value(args: Mapping[str, Any], key: str) -> str:
    """The value under ``key`` as SQL shows it, the first of several that is not empty; "" where there is none."""
    return next((text for value in find_key(args, key) if (text := text_of(value))), "")


def text_of(value: Any) -> str:
    """A value as SQL shows it: texts as they are, lists and objects as JSON; "" for null."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    try:
        return orjson.dumps(value).decode()
    except TypeError:  # integers beyond 64 bits
        return str(value)


def number_of(value: Any) -> float | None:
    """The number a value is or states, None for others; whole numbers stay exact."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return value
    if not isinstance(value, str):
        return None
    text = value.strip()
    try:
        return int(text, 16) if text[:2].lower() == "0x" else int(text)
    except ValueError:
        try:
            return float(text)
        except ValueError:
            return None


def _scalars(value: Any) -> Iterator[Any]:
    """The value; of a list or object each member, however deep."""
    if isinstance(value, list | dict):
        for member in value if isinstance(value, list) else value.values():
            yield from _scalars(member)
    else:
        yield value


def _all_texts(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, member in value.items():
            yield key
            yield from _all_texts(member)
    elif isinstance(value, list):
        for member in value:
            yield from _all_texts(member)
    else:
        yield text_of(value)
