"""Whether the bytes of an open file are still those that were read: it may be written anew in place, under the same descriptor."""

from __future__ import annotations

import os

from hlprof_core.io.fingerprint import spread_fingerprint


class SameBytes:
    """Looks at size and both times of change, and only when they differ at what was there: more at the end is no change, nor is a time.

    Of a file over 2 MiB the ends and some places are compared, so a change of few bytes between them is not seen.
    """

    def __init__(self, fd: int) -> None:
        self._fd = fd
        status = os.fstat(fd)
        self.size = status.st_size
        self._seen = _times(status)
        self._ends: str | None = None
        self._is_lost = False

    def hold(self) -> None:
        """The file has been read: compare with what it is now, or at least as long as then when it grew meanwhile."""
        status = os.fstat(self._fd)
        seen = _times(status)
        is_written = seen[:2] != self._seen[:2]  # a link or a permission may be given to it while it is read
        self._is_lost = is_written and status.st_size <= self.size
        self._seen, self._ends = seen, spread_fingerprint(self._fd, self.size)

    @property
    def are_lost(self) -> bool:
        """Whether something else was seen there since ``hold``; once it was, it stays so."""
        if self._is_lost or self._ends is None:
            return self._is_lost
        status = os.fstat(self._fd)
        seen = _times(status)
        if seen != self._seen:
            # The time first: what is written while the ends are looked at shows at the next look.
            self._is_lost = status.st_size < self.size or spread_fingerprint(self._fd, self.size) != self._ends
            self._seen = seen
        return self._is_lost


def _times(status: os.stat_result) -> tuple[int, int, int]:
    """Size, and the times of the last writing and of any change: the first can be set back, the second cannot."""
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns
