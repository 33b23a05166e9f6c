"""Walking the outer members of a large JSON document by offset, without holding more of it than one value."""

from __future__ import annotations

import re

from hlprof_core._kernels import scan
from hlprof_core.io.source import ByteSource

_BLANKS = re.compile(rb"[ \t\r\n]*")
_WINDOW = 1 << 18


class JsonCursor:
    """Looks at a source through a window that moves and grows as needed. Offsets are those of the source."""

    def __init__(self, source: ByteSource) -> None:
        self._source = source
        self._start = 0
        self._window = b""

    def _load(self, offset: int, size: int = _WINDOW) -> None:
        self._window = self._source.read(offset, size)
        self._start = offset

    def byte(self, offset: int) -> int:
        """The byte there, -1 behind the end."""
        at = offset - self._start
        if not 0 <= at < len(self._window):
            self._load(offset)
            at = 0
        return self._window[at] if at < len(self._window) else -1

    def skip_blanks(self, offset: int) -> int:
        """Offset of the next byte that is no white space, or of the end."""
        while self.byte(offset) >= 0:
            match = _BLANKS.match(self._window, offset - self._start)
            end = self._start + (match.end() if match else offset - self._start)
            if end < self._start + len(self._window):
                return end
            offset = end
        return offset

    def value_end(self, offset: int) -> int:
        """Offset behind the value there; -1 when the source ends within it, -2 when it is no value."""
        size = _WINDOW
        while True:
            if self.byte(offset) < 0:
                return -1
            end = scan.value_end(self._window, len(self._window), offset - self._start)
            if end != -1:
                return end if end < 0 else self._start + end
            before = self._start, len(self._window)
            size *= 4
            self._load(offset, size)
            if len(self._window) < size and before == (self._start, len(self._window)):
                return -1

    def text(self, start: int, end: int) -> bytes:
        """The bytes between two offsets."""
        if self._start <= start and end <= self._start + len(self._window):
            return self._window[start - self._start : end - self._start]
        return self._source.read(start, end - start)

    def find(self, wanted: re.Pattern[bytes], offset: int) -> tuple[int, int] | None:
        """Start and end of the next match of a pattern that is shorter than 256 bytes."""
        while self.byte(offset) >= 0:
            self._load(offset, 1 << 20)
            match = wanted.search(self._window)
            if match:
                return offset + match.start(), offset + match.end()
            if len(self._window) < 1 << 20:
                return None
            offset += len(self._window) - 256
        return None
