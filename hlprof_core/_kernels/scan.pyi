"""The bytes of a Chrome trace into columns: see scan.c."""

from typing import Final

import numpy as np
import numpy.typing as npt
from typing_extensions import Buffer

MORE: Final[int]
"""The buffer ends within an event; feed it again from ``used`` on, with more behind."""
STOP: Final[int]
"""The next event begins at ``used``, at or after ``stop``."""
CLOSED: Final[int]
"""The array ended; ``used`` is behind its bracket."""
END: Final[int]
"""The input ended without a closing bracket."""

class Column:
    """Memory of one column, handed over by a scanner: a writable buffer of bytes."""

    def __buffer__(self, flags: int, /) -> memoryview: ...

class Scanner:
    """What one thread finds in its byte range. ``expected``: events to make room for; more may come."""

    def __init__(self, expected: int = 0, /) -> None: ...
    def feed(self, buffer: Buffer, size: int, base: int, stop: int, final: bool, /) -> tuple[int, int]:
        """Read events of ``buffer[:size]``, which stands at ``base`` in the file, until one begins at or after ``stop``.

        ``final``: nothing comes behind the buffer. Returns one of the states above and the file offset reached. Releases the GIL.
        """

    def feed_file(self, fd: int, buffer: Buffer, kept: int, at: int, stop: int, watch: Buffer | None, /) -> tuple[int, int, int]:
        """Read events of a file from offset ``at`` on, block by block through ``buffer``, which begins with ``kept`` bytes of there.

        Returns a state, the file offset reached and how many bytes from there on stand in ``buffer`` now. MORE: they fill over half of it
        and need a larger one, or ``watch`` said to stop. Never takes the GIL on its way. OSError: the file cannot be read.
        """

    def take_events(self) -> tuple[Column, ...]:
        """phase u1, ts i8, dur i8, row u4, name u4, cat u4, id u4, args offset u8, args length u4, flags u1."""

    def take_samples(self) -> tuple[Column, ...]:
        """time i8, row u4, name u4, series u4, id u4, value f8."""

    def rows(self) -> list[tuple[bytes, bytes]]:
        """Raw pid and tid tokens of each row number; empty where the event has none."""

    def counts(self) -> dict[str, tuple[int, tuple[int, ...]]]:
        """What could not be used: how often, and the file offsets of the first."""

    def phases(self) -> dict[str, int]: ...
    def damages(self) -> list[tuple[int, int, bool]]:
        """Unreadable stretches: offset, bytes, and whether the file ended within it."""

    def meta(self) -> tuple[bytes, list[int]]:
        """Metadata events, joined by commas, and where each starts."""

    def aside(self) -> bytes:
        """Of each event of objects and samples (N O D P), in no column: offset and length in the file, those of its arguments (i8)."""

    def stacks(self) -> tuple[bytes, list[bytes]]:
        """Of each event with a call stack: its number in the columns, its begin and its end stack (i8); and the raw texts they number."""

    @property
    def event_count(self) -> int: ...
    @property
    def reached(self) -> int:
        """File offset reached so far; any thread may look."""

def merge_texts(scanners: list[Scanner], /) -> tuple[bytes, Column, list[Column]]:
    """Distinct texts of all tokens (text 0 is empty): UTF-8 data, i8 offsets, and for each scanner the u4 map from token to text."""

def translate(column: npt.NDArray[np.uint32], map: npt.NDArray[np.uint32], /) -> None:
    """Replace each u4 by ``map[u4]``, in place; ``IndexError`` when one is outside the map."""

def find_event(buffer: Buffer, size: int, start: int, final: bool, /) -> int:
    """Offset of the first thing at or after ``start`` that reads as an event, -1 when there is none."""

def value_end(buffer: Buffer, size: int, start: int, /) -> int:
    """Offset behind the JSON value at ``start``; -1: its end is not in the buffer; -2: no value."""

def time_ns(text: Buffer, /) -> int | None:
    """Nanoseconds of a decimal number of microseconds in any notation, rounded half away from zero; None when it is none or too large."""

def text(token: Buffer, /) -> str:
    """The text of a raw JSON token; a bare word or number stands for itself, null for nothing."""

def set_wide(flag: bool, /) -> bool:
    """Use AVX2 where the processor has it; returns what was."""
