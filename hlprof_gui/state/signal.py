"""Observers without Qt."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Signal:
    """Calls its listeners in the order they connected. ``connect`` returns the function that disconnects."""

    def __init__(self) -> None:
        self._listeners: list[Callable[..., Any]] = []

    def connect(self, listener: Callable[..., Any]) -> Callable[[], None]:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    @property
    def listeners(self) -> tuple[Callable[..., Any], ...]:
        """Who is called, in this order."""
        return tuple(self._listeners)

    def emit(self, *args: Any) -> None:
        for listener in self.listeners:
            listener(*args)
