"""Folders of the cache stay within a size: what was not used for longest goes first."""

from __future__ import annotations

import contextlib
from pathlib import Path


def prune_folder(folder: Path, pattern: str, limit: int) -> None:
    """Remove the longest unused files of that pattern until the rest fits into ``limit`` bytes; the last one used stays.

    Files that are open stay readable for those who have them.
    """
    entries = []
    for file in folder.glob(pattern):
        with contextlib.suppress(FileNotFoundError):
            status = file.stat()
            entries.append((status.st_mtime_ns, status.st_size, file))
    total = sum(size for _, size, _ in entries)
    for _, size, file in sorted(entries)[:-1]:
        if total <= limit:
            return
        file.unlink(missing_ok=True)
        total -= size
