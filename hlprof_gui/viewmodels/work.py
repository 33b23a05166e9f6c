"""Where view models send long work. The window gives them its jobs; without one the work is done at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from hlprof_core.progress import Progress


class Work(Protocol):
    """``key`` names the place of the result: newer work of a key replaces the running one, whose result is dropped."""

    def start(self, key: str, title: str, work: Callable[[Progress], Any], done: Callable[[Any], None]) -> object: ...

    def start_streaming(
        self,
        key: str,
        title: str,
        work: Callable[[Progress, Callable[[Any], None]], Any],
        part: Callable[[Any], None],
        done: Callable[[Any], None],
    ) -> object: ...

    def cancel(self, key: str) -> None: ...


class AtOnce:
    """Does all work where it is asked for."""

    def start(self, key: str, title: str, work: Callable[[Progress], Any], done: Callable[[Any], None]) -> None:
        done(work(Progress()))

    def start_streaming(
        self,
        key: str,
        title: str,
        work: Callable[[Progress, Callable[[Any], None]], Any],
        part: Callable[[Any], None],
        done: Callable[[Any], None],
    ) -> None:
        done(work(Progress(), part))

    def cancel(self, key: str) -> None:
        """Nothing ever runs."""
