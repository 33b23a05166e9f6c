"""A budget of memory for the columns of traces: what is beyond it lives in files of the cache, mapped. One for the whole process."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hlprof_core.errors import TraceError
from hlprof_core.units import parse_size

VARIABLE = "HLPROF_MEMORY"
_lock = threading.Lock()
_users = 0
_default: int | None = None


def set_default_budget(size: int | None) -> None:
    """Bytes for all openings that name none themselves, instead of what the environment says."""
    global _default
    _default = size


def budget_of(wanted: int | str | None) -> int | None:
    """Bytes; None: no limit. ``wanted`` None: the default. ``UsageError`` when it, or the environment variable, is no size."""
    if isinstance(wanted, str):
        return parse_size(wanted, "memory")
    if wanted is not None or _default is not None:
        return _default if wanted is None else wanted
    text = os.environ.get(VARIABLE)
    return parse_size(text, VARIABLE) if text else None


def columns_directory() -> Path:
    """Where columns beyond the budget lie while they are in use: in nameless files, which end with the process."""
    import platformdirs

    return Path(platformdirs.user_cache_dir("hlprof")) / "columns"


@contextmanager
def columns_within(size: int | None) -> Iterator[None]:
    """Large columns made in this block, also by kernels and by threads of ``run_watched``, keep within ``size`` bytes of memory.

    What does not fit on the disk either is in memory all the same. None: no limit. Of several at once the last size counts. ``TraceError``
    when there is no place for the files.
    """
    from hlprof_core._kernels import budget

    global _users
    if size is None:
        yield
        return
    folder = columns_directory()
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        message = f"{folder}: no place for columns beyond the budget of memory ({error.strerror or error})."
        raise TraceError(message, hint="Set XDG_CACHE_HOME, or leave --memory away.") from error
    with _lock:
        _users += 1
        budget.set_budget(os.fsdecode(folder), size)
    before = budget.enter()
    try:
        yield
    finally:
        budget.leave(before)
        with _lock:
            _users -= 1
            if not _users:
                budget.set_budget(None, 0)
