"""Opening a trace: from a path to a Trace, whatever the format and packing, from the cache where that is fresh."""

from __future__ import annotations

from pathlib import Path

from hlprof_core.io.memory_budget import budget_of, columns_within
from hlprof_core.io.source import FileSource
from hlprof_core.progress import Progress
from hlprof_core.trace.model import Trace


def open_trace(path: Path | str, progress: Progress | None = None, use_cache: bool = True, *, memory: int | str | None = None) -> Trace:
    """Read a trace. ``TraceError`` (exit 3) says what is wrong with the file; what was lost on the way is in its diagnostics.

    ``memory``: bytes of columns (or "2G") that may stay in memory, while reading and afterwards; the others lie in files of the cache.
    None: what ``--memory`` or ``HLPROF_MEMORY`` say, else all of them.
    """
    path = Path(path)
    progress = progress or Progress()
    source = FileSource(path)
    cache = _Cache(path) if use_cache else None
    if cache and (known := cache.load()) is not None:
        return known
    from hlprof_core.io.reading import read_anew

    limit = budget_of(memory)
    with columns_within(limit):
        trace = read_anew(source, path, progress, use_cache)
    if cache:
        if limit is None:
            cache.keep(trace)
        else:
            trace = cache.exchange(trace, limit)
    return trace


class _Cache:
    """What the cache knows of a file, and a place for what is read from it as it is now."""

    def __init__(self, path: Path) -> None:
        from hlprof_core.io import cache

        self._module, self._path = cache, path
        try:
            self._state = cache.state_of(path)
        except OSError:  # it was renamed a moment ago; what is open is read, and not kept
            self._state = None

    def load(self) -> Trace | None:
        return self._module.load(self._path)

    def keep(self, trace: Trace) -> None:
        if self._state is not None:
            self._module.store_later(trace, self._state)

    def exchange(self, trace: Trace, limit: int) -> Trace:
        """Keep it; the same trace, mapped from the cache when its columns are larger than ``limit``."""
        if self._state is None or self._module.column_bytes(trace) <= limit:
            self.keep(trace)
            return trace
        self._module.store(trace, self._state)
        return self._module.load(self._path) or trace
