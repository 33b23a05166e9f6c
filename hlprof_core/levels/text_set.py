"""Distinct texts made ready for being looked through at once, whatever their number. Case does not matter."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from hlprof_core.trace.strings import Strings
from hlprof_core.trace.table import I1, I8, U4

Mask = npt.NDArray[np.bool_]


class TextSet(Struct, frozen=True, eq=False):
    """``folded``: all texts with case folded, one after another; text i at ``offsets[i]:offsets[i+1]``."""

    folded: I1
    offsets: I8

    @classmethod
    def of(cls, texts: Iterable[str]) -> TextSet:
        """These texts, in this order."""
        return cls._join([fold(text) for text in texts])

    @classmethod
    def of_strings(cls, strings: Strings, ids: U4) -> TextSet:
        """The texts of these string ids."""
        data, offsets = memoryview(strings.data), strings.offsets
        places = zip(offsets[ids].tolist(), offsets[ids.astype(np.int64) + 1].tolist(), strict=True)
        raw = [bytes(data[a:b]) for a, b in places]
        return cls._join([r.lower() if r.isascii() else fold(r.decode("utf-8", "replace")) for r in raw])

    @classmethod
    def _join(cls, parts: Sequence[bytes]) -> TextSet:
        offsets = np.zeros(len(parts) + 1, np.int64)
        np.cumsum([len(p) for p in parts], out=offsets[1:])
        return cls(np.frombuffer(b"".join(parts), np.uint8), offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def containing(self, words: str) -> Mask:
        """For each text whether it holds ``words``; all of them for an empty text."""
        found = np.zeros(len(self), np.bool_)
        needle = fold(words)
        if not needle:
            return ~found
        hits = find_bytes(self.folded, needle)
        if len(hits):
            owner = np.searchsorted(self.offsets, hits[:, 0], side="right") - 1
            found[owner[hits[:, 1] <= self.offsets[owner + 1]]] = True
        return found

    def equal_to(self, text: str) -> Mask:
        """For each text whether it is ``text``."""
        lengths = np.diff(self.offsets)
        needle = fold(text)
        found: Mask = lengths == len(needle)
        return found & self.containing(text) if needle else found

    def like(self, pattern: str) -> Mask:
        """For each text whether it is ``pattern``, in which ``*`` stands for any number of signs."""
        if "*" not in pattern:
            return self.equal_to(pattern)
        first, *inner, last = (fold(piece) for piece in pattern.split("*"))
        found = np.ones(len(self), np.bool_)
        for piece in pattern.split("*"):
            if piece:
                found &= self.containing(piece)
        data = self.folded.tobytes() if found.any() else b""
        for i in np.flatnonzero(found).tolist():
            found[i] = is_like(data[int(self.offsets[i]) : int(self.offsets[i + 1])], first, inner, last)
        return found


def fold(text: str) -> bytes:
    """The text as it is compared."""
    return text.casefold().encode("utf-8", "surrogatepass")


def is_like(text: bytes, first: bytes, inner: Iterable[bytes], last: bytes) -> bool:
    """Whether ``text`` begins with ``first``, ends with ``last`` and holds the pieces between them in this order; linear."""
    if len(text) < len(first) + len(last) or not text.startswith(first) or not text.endswith(last):
        return False
    at, end = len(first), len(text) - len(last)
    for piece in inner:
        found = text.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return True


def find_bytes(data: I1, needle: bytes) -> I8:
    """All places of ``needle`` as rows (start, end); overlapping ones too."""
    if not needle or len(needle) > len(data):
        return np.empty((0, 2), np.int64)
    last = len(data) - len(needle) + 1
    # The rarest byte of the needle first: few candidates are left for the other bytes.
    sample = np.bincount(data[: 1 << 16], minlength=256)
    order = sorted(range(len(needle)), key=lambda i: int(sample[needle[i]]))
    first = order[0]
    places = np.flatnonzero(data[first : first + last] == needle[first])
    for i in order[1:]:
        if not len(places):
            break
        places = places[data[places + i] == needle[i]]
    return np.stack([places, places + len(needle)], axis=1).astype(np.int64)
