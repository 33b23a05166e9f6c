"""Which launches or copies are traced: ``1-20``, ``7``, ``1-5,11-15``; inclusive, counted from 1."""

from __future__ import annotations

import re

from msgspec import Struct


class InvocationRange(Struct, frozen=True):
    """A sorted set of disjoint inclusive spans. A start of 0 is accepted, as the vendor's users write it."""

    spans: tuple[tuple[int, int], ...]

    @classmethod
    def parse(cls, text: str) -> InvocationRange:
        """Raises ValueError with a text for people."""
        if not text.strip():
            raise ValueError("no range is given; write 7, 1-20 or 1-5,11-15")
        spans: list[tuple[int, int]] = []
        for part in text.split(","):
            match = re.fullmatch(r"\s*([0-9]{1,18})\s*(?:-\s*([0-9]{1,18})\s*)?", part)
            if not match:
                raise ValueError(f"{part!r} is not a range; write 7, 1-20 or 1-5,11-15")
            first = int(match[1])
            last = int(match[2]) if match[2] else first
            if last < first:
                raise ValueError(f"{part!r} ends before it starts; write {last}-{first}")
            spans.append((first, last))
        merged: list[tuple[int, int]] = []
        for first, last in sorted(spans):
            if merged and first <= merged[-1][1] + 1:
                merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
            else:
                merged.append((first, last))
        return cls(tuple(merged))

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int) and any(first <= number <= last for first, last in self.spans)

    def __str__(self) -> str:
        return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in self.spans)

    @property
    def first(self) -> int:
        """Number of the first launch, at least 1."""
        return max(1, self.spans[0][0])

    @property
    def last(self) -> int:
        return self.spans[-1][1]

    def span_of(self, number: int) -> tuple[int, int] | None:
        """The span that holds ``number``."""
        return next(((a, b) for a, b in self.spans if a <= number <= b), None)
