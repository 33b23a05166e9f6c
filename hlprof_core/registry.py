"""Named things declared once (readers, writers, analyses, workloads, devices): everything else derives from the list."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

from hlprof_core.errors import UnknownName

T = TypeVar("T")


class Registry(Generic[T]):
    """An ordered collection of named entries of one kind."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._entries: dict[str, T] = {}

    def add(self, name: str, entry: T) -> T:
        """Register ``entry``; a name is given once."""
        if name in self._entries:
            raise ValueError(f"{self.kind} {name!r} is registered twice")
        self._entries[name] = entry
        return entry

    def get(self, name: str) -> T:
        """The entry of that name, or ``UnknownName`` with the nearest ones."""
        try:
            return self._entries[name]
        except KeyError:
            raise UnknownName(self.kind, name, self._entries, hint=f"Known are {', '.join(self._entries)}.") from None

    def names(self) -> list[str]:
        return list(self._entries)

    def __iter__(self) -> Iterator[T]:
        return iter(self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, name: object) -> bool:
        return name in self._entries
