"""Files of the cache while they are written: a name that nobody else has, and a lock that ends with the writer, however it ends.

So what a killed writer left can be told from what is still being written, and goes.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
import time
from pathlib import Path

PATTERN = ".*.tmp"
OLD_S = 600.0
"""Younger files are left alone: their writer may be about to lock them."""
OLD_UNLOCKABLE_S = 86400.0
"""On file systems without locks nothing tells whether the writer lives; no writing takes a day."""


def start_unfinished(target: Path) -> tuple[Path, int]:
    """A new, empty file beside ``target`` (its folder is made) and its descriptor, open for reading and writing, for the owner only.

    Rename it to ``target`` when it is whole. It is locked until the descriptor closes. What killed writers left there goes before.
    ``OSError`` when there is no place for it.
    """
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    remove_abandoned(target.parent)
    fd, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
    with contextlib.suppress(OSError):  # no locks on this file system: only age tells then
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return Path(name), fd


def remove_abandoned(folder: Path) -> None:
    """Remove the unfinished files in ``folder`` that are old and whose writer is gone."""
    for file in folder.glob(PATTERN):
        with contextlib.suppress(FileNotFoundError, PermissionError):  # finished or removed meanwhile; somebody else's
            if time.time() - file.stat().st_mtime > OLD_S and _is_abandoned(file):
                file.unlink(missing_ok=True)


def _is_abandoned(file: Path) -> bool:
    fd = os.open(file, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return time.time() - os.fstat(fd).st_mtime > OLD_UNLOCKABLE_S
    finally:
        os.close(fd)
    return True
