"""Whether a file is the one it was: a hash of its two ends, which changes with any recording and costs nothing."""

from __future__ import annotations

import hashlib
import os
from typing import BinaryIO

ENDS = 64 << 10
"""So many bytes of each end are hashed."""


def fingerprint(file: BinaryIO) -> str:
    """Hash of head and tail of an open file, as hexadecimal text; the size is not in it."""
    file.seek(0)
    head = file.read(ENDS)
    file.seek(max(0, os.fstat(file.fileno()).st_size - ENDS))
    return hashlib.sha256(head + file.read(ENDS)).hexdigest()
