"""Whether a file is the one it was: a hash of its two ends, which changes with any recording and costs nothing; or of more of it."""

from __future__ import annotations

import hashlib
import os

ENDS = 64 << 10
"""So many bytes of each end are hashed."""
WHOLE, PLACE, PLACES = 2 << 20, 4096, 32
"""A file up to so many bytes is hashed as a whole; of a larger one so many bytes at so many places."""


def fingerprint(fd: int, size: int) -> str:
    """Hash of head and tail of the first ``size`` bytes of an open file, as hexadecimal text; the size is not in it."""
    length = min(ENDS, size)
    return hashlib.sha256(os.pread(fd, length, 0) + os.pread(fd, length, size - length)).hexdigest()


def spread_fingerprint(fd: int, size: int) -> str:
    """Of the first ``size`` bytes of an open file: all of a small one, else its head, its tail and places evenly spread between them."""
    if size <= WHOLE:
        return hashlib.sha256(os.pread(fd, size, 0)).hexdigest()
    told = hashlib.sha256(fingerprint(fd, size).encode())
    step = (size - PLACE) // (PLACES + 1)
    for number in range(1, PLACES + 1):
        told.update(os.pread(fd, PLACE, number * step))
    return told.hexdigest()
