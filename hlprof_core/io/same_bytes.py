"""Whether the bytes of an open file are still those that were read: it may be written anew in place, under the same descriptor."""

from __future__ import annotations

import os

from hlprof_core.io.fingerprint import fingerprint


class SameBytes:
    """Looks at size and time of change, and only when they differ at both ends of what was there: more at the end is no change."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        status = os.fstat(fd)
        self.size = status.st_size
        self._seen = (status.st_size, status.st_mtime_ns)
        self._ends: str | None = None
        self._is_lost = False

    def hold(self) -> None:
        """The file has been read: compare with what it is now, or at least as long as then when it grew meanwhile."""
        status = os.fstat(self._fd)
        seen = (status.st_size, status.st_mtime_ns)
        self._is_lost = seen != self._seen and status.st_size <= self.size
        self._seen, self._ends = seen, fingerprint(self._fd, self.size)

    @property
    def are_lost(self) -> bool:
        """Whether something else was seen there since ``hold``; once it was, it stays so."""
        if self._is_lost or self._ends is None:
            return self._is_lost
        status = os.fstat(self._fd)
        seen = (status.st_size, status.st_mtime_ns)
        if seen != self._seen:
            # The time first: what is written while the ends are looked at shows at the next look.
            self._is_lost = status.st_size < self.size or fingerprint(self._fd, self.size) != self._ends
            self._seen = seen
        return self._is_lost
