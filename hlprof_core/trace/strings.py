"""Strings of a trace, each kept once. Texts stay bytes until somebody looks at them: a million names cost no time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from hlprof_core.trace.table import I8


class Strings:
    """Immutable table of UTF-8 texts; ``strings[i]`` decodes on use and remembers. Id 0 is always the empty text."""

    def __init__(self, data: bytes | memoryview, offsets: I8) -> None:
        """``data`` holds text i at ``offsets[i]:offsets[i+1]``."""
        self.data = data
        self.offsets = offsets
        self._decoded: dict[int, str] = {}

    @classmethod
    def of(cls, texts: Iterable[str]) -> Strings:
        """A table of these texts, in this order (the caller puts the empty text first)."""
        encoded = [t.encode("utf-8", "surrogatepass") for t in texts]
        offsets = np.zeros(len(encoded) + 1, np.int64)
        np.cumsum([len(e) for e in encoded], out=offsets[1:])
        return cls(b"".join(encoded), offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: int) -> str:
        index = int(index)
        text = self._decoded.get(index)
        if text is None:
            if not 0 <= index < len(self):
                raise IndexError(index)
            raw = bytes(self.data[int(self.offsets[index]) : int(self.offsets[index + 1])])
            text = self._decoded[index] = raw.decode("utf-8", "replace")
        return text

    def __iter__(self) -> Iterator[str]:
        return (self[i] for i in range(len(self)))
