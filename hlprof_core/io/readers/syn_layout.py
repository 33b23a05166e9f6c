"""Layout of the buffer that ``synProfilerGetTrace`` fills, on x86-64: fixed records, then their texts, then two counts.

    record (208 bytes) x n | texts | n (8 bytes) | version of the parser (8 bytes)

Pointers in a record are addresses in the memory of the process that recorded; ``find_base`` tells where its buffer began.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import numpy.typing as npt

from hlprof_core.trace.table import U8

RECORD = np.dtype(
    {
        "names": ["name", "category", "phase", "time", "duration", "engine_type", "engine_index", "context", "args"],
        "formats": ["<u8", "<u8", "u1", "V16", "V16", "<u4", "<u4", "<u8", "V128"],
        "offsets": [0, 8, 16, 32, 48, 64, 68, 72, 80],
        "itemsize": 208,
    }
)
ARGS_BYTES = 128
EVENT_ARGS = struct.Struct("<QQH6xQQQB7xQ")
"""Addresses of data type and operation, recipe id, address of the recipe's name, stream, event, count and address of further arguments."""
TEXT_WORDS = [0, 1, 3]
"""Which words of it are addresses of texts."""
COUNTER_ARGS = struct.Struct("<dddH")
META_ARGS = struct.Struct("<QQ")
EXTRA = struct.Struct("<QI4x8s")
"""Address of the key, kind, value."""
DOUBLE = struct.Struct("<d")
EXTRA_TEXT, EXTRA_DOUBLE = 1, 2
TAIL = 16
ALIGNMENT = 16
PHASES = b"BEXMCiIbnestf"
ANCHORS, MAX_TRIED, SAMPLED = 4, 4096, 1000
"""Places of the first text that are tried."""

Records = npt.NDArray[np.void]


def looks_like(records: Records) -> bool:
    """Whether these are such records: a known phase, and times that a clock can show."""
    if not len(records) or not np.isin(records["phase"], np.frombuffer(PHASES, np.uint8)).all():
        return False
    for times in (_parts(records["time"]), _parts(records["duration"])):
        mantissa, exponent = times
        whole = mantissa >> np.uint64(63) == 1
        usual = (exponent & 0x7FFF >= 16383 - 64) & (exponent & 0x7FFF <= 16383 + 63)
        if not ((whole & usual) | ((mantissa == 0) & (exponent & 0x7FFF == 0))).all():
            return False
    return True


def _parts(values: Any) -> tuple[U8, npt.NDArray[np.int64]]:
    """Mantissa, and exponent with the sign above it, of extended doubles (10 of 16 bytes)."""
    raw = np.ascontiguousarray(values).view(np.uint8).reshape(-1, 16)
    mantissa = np.ascontiguousarray(raw[:, :8]).view("<u8").ravel()
    exponent = np.ascontiguousarray(raw[:, 8:10]).view("<u2").ravel()
    return mantissa, exponent.astype(np.int64)


def nanoseconds(values: Any) -> list[int | None]:
    """Extended doubles of microseconds as whole ns, exactly, rounded half away from zero; None for what is no time."""
    mantissa, exponent = _parts(values)
    times: list[int | None] = []
    for digits, sign_and_exponent in zip(mantissa.tolist(), exponent.tolist(), strict=True):
        power = (sign_and_exponent & 0x7FFF) - 16383 - 63
        if power > 0:  # over 2**63 microseconds, infinite or no number
            times.append(None)
            continue
        half = 1 << (-power - 1) if power else 0
        whole = digits * 1000 + half >> -power if power > -200 else 0
        times.append(None if whole >= 1 << 63 else -whole if sign_and_exponent & 0x8000 else whole)
    return times


def count_records(data: memoryview, stated: int | None) -> tuple[int, bool]:
    """How many records there are, and whether the buffer is whole. ``stated``: what its end says; else they are counted as they look."""
    size = len(data)
    if stated is not None and 0 < stated <= (size - TAIL) // RECORD.itemsize:
        first = np.frombuffer(data, RECORD, min(stated, 64))
        last = np.frombuffer(data, RECORD, 1, (stated - 1) * RECORD.itemsize)
        if looks_like(first) and looks_like(last):
            return stated, True
    room = size // RECORD.itemsize
    count = 0
    while count < room:
        step = min(4096, room - count)
        records = np.frombuffer(data, RECORD, step, count * RECORD.itemsize)
        if looks_like(records):
            count += step
            continue
        return count + next(i for i in range(step) if not looks_like(records[i : i + 1])), False
    return count, False


class Texts:
    """The texts of a buffer by the addresses that its records hold."""

    def __init__(self, data: memoryview, start: int, end: int) -> None:
        """``start``, ``end``: where the texts lie in ``data``."""
        self._data, self._start, self._end = data, start, end
        self._base = 0
        self._known: dict[int, str | None] = {0: ""}

    def find_base(self, addresses: U8) -> None:
        """Learn the address of the first record from all addresses that are in use: every one of them must be the start of a text.

        Where several would do, one that the alignment of records allows is taken, and of those the one nearest to the first text.
        """
        addresses = np.unique(addresses[addresses > 0])
        if not len(addresses):
            return
        room = np.frombuffer(self._data, np.uint8)[self._start : self._end]
        starts = np.append(0, np.flatnonzero(room == 0) + 1).astype(np.int64)
        begins = np.zeros(len(room) + 1, bool)
        begins[starts] = True
        # The first text is that of the lowest address, or, where that one is damaged, of one of the next.
        addresses = np.concatenate((addresses[:ANCHORS], addresses[ANCHORS :: max(1, len(addresses) // SAMPLED)]))
        tried = [int(a) - self._start - int(at) for a in addresses[:ANCHORS] for at in starts[: MAX_TRIED // ANCHORS]]
        best = -1
        for base in (0, *(base for base in tried if base > 0)):
            places = addresses.astype(np.int64) - base - self._start
            inside = (places >= 0) & (places < len(room))
            score = 2 * int(np.count_nonzero(begins[places[inside]])) + (base % ALIGNMENT == 0)
            if score > best:
                best, self._base = score, base
            if score == 2 * len(addresses) + 1:
                return

    def text(self, address: int) -> str | None:
        """The text at an address, "" at 0, None where it is outside of the buffer."""
        if address not in self._known:
            place = address - self._base
            found = None
            if self._start <= place < self._end:
                raw = bytes(self._data[place : min(self._end, place + (1 << 20))])
                found = raw.split(b"\0", 1)[0].decode("utf-8", "replace")
            self._known[address] = found
        return self._known[address]

    def block(self, address: int, size: int) -> bytes:
        """``size`` bytes at an address; fewer where it is outside of the buffer."""
        place = address - self._base
        return bytes(self._data[place : place + size]) if self._start <= place and place + size <= self._end else b""
