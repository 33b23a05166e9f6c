"""Texts on their way to the string table of a trace: each gets one number, the empty text is 0."""

from __future__ import annotations

import numpy as np

from hlprof_core.trace.strings import Strings
from hlprof_core.trace.table import I8


class Interner:
    """Gives numbers to texts. A whole table can be taken over first; its texts are decoded only when more are added."""

    def __init__(self) -> None:
        self._adopted: Strings | None = None
        self._numbers: dict[str, int] | None = {"": 0}
        self._added: list[str] = [""]

    def adopt(self, data: bytes, offsets: I8) -> None:
        """Start with this table (text 0 empty, texts distinct); only before the first ``intern``."""
        if self._adopted is not None or len(self._added) > 1:
            raise ValueError("strings are adopted once, before the first text is interned")
        if len(offsets) < 2 or int(offsets[1]) != int(offsets[0]):
            raise ValueError("an adopted string table starts with the empty text")
        self._adopted = Strings(data, offsets)
        self._numbers = None
        self._added = []

    def intern(self, text: str) -> int:
        """Number of a text, a new one the first time."""
        if self._numbers is None:
            self._numbers = {known: number for number, known in enumerate(self._adopted or ())}
        number = self._numbers.get(text)
        if number is None:
            number = self._numbers[text] = len(self)
            self._added.append(text)
        return number

    def __len__(self) -> int:
        return len(self._added) + (len(self._adopted) if self._adopted is not None else 0)

    def __getitem__(self, number: int) -> str:
        known = len(self._adopted) if self._adopted is not None else 0
        return self._adopted[number] if self._adopted is not None and number < known else self._added[number - known]

    def freeze(self) -> Strings:
        """The table of all texts so far."""
        if self._adopted is None:
            return Strings.of(self._added)
        if not self._added:
            return self._adopted
        more = Strings.of(self._added)
        data = bytes(self._adopted.data) + bytes(more.data)
        shifted = more.offsets[1:] + self._adopted.offsets[-1]
        return Strings(data, np.concatenate((self._adopted.offsets, shifted)))
