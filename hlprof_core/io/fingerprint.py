"""Whether a file is the one it was: a hash of its two ends, which changes with any recording and costs nothing."""

from __future__ import annotations

import hashlib
import os

ENDS = 64 << 10
"""So many bytes of each end are hashed."""


def fingerprint(fd: int, size: int) -> str:
    """Hash of head and tail of the first ``size`` bytes of an open file, as hexadecimal text; the size is not in it."""
    length = min(ENDS, size)
    return hashlib.sha256(os.pread(fd, length, 0) + os.pread(fd, length, size - length)).hexdigest()
