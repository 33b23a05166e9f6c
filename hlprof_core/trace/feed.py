"""Events given one by one (by the recorder, by readers of small formats) gathered into the blocks that the builder works on."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from itertools import accumulate
from threading import Lock
from typing import Any

import numpy as np
import orjson

from hlprof_core.trace.events import NO_TIME, EventBlock, SampleBlock
from hlprof_core.trace.memory import new_column

Arguments = dict[str, Any] | bytes | None

COLUMNS = (np.uint8, np.int64, np.int64, np.uint32, np.uint32, np.uint32, np.uint32, np.uint64, np.uint32, np.uint8)
SAMPLE_COLUMNS = (np.int64, np.uint32, np.uint32, np.uint32, np.uint32, np.float64)
MAX_PLACES = 1 << 16
COPIED = 4 << 20
"""Bytes that are copied in one step."""


def encode_arguments(arguments: dict[str, Any] | bytes) -> bytes:
    """JSON text of arguments; bytes are taken as they are."""
    if isinstance(arguments, bytes):
        return arguments
    return orjson.dumps(arguments, default=str, option=orjson.OPT_NON_STR_KEYS | orjson.OPT_SERIALIZE_NUMPY)


class EventFeed:
    """Rows of events and samples, and the memory that holds their arguments."""

    def __init__(self) -> None:
        self.text = bytearray()
        self._places: dict[bytes, int] = {}
        """Where texts begin: nodes repeat, and so do their arguments."""
        self._events: list[tuple[int, int, int, int, int, int, int, int, int, int]] = []
        self._samples: list[tuple[int, int, int, int, int, float]] = []

    def event(
        self,
        phase: str,
        time_ns: int,
        row: int,
        *,
        dur_ns: int | None = None,
        name: int = 0,
        cat: int = 0,
        event_id: int = 0,
        args: Arguments = None,
        flags: int = 0,
    ) -> int:
        """The number of the event, for ``complete``."""
        offset, length = self._keep(args)
        dur = NO_TIME if dur_ns is None else dur_ns
        self._events.append((ord(phase), time_ns, dur, row, name, cat, event_id, offset, length, flags))
        return len(self._events) - 1

    def complete(self, number: int, end_ns: int, args: Arguments) -> None:
        """Make an event since the last ``take_events`` a whole slice with these arguments."""
        _, time_ns, _, row, name, cat, event_id, _, _, flags = self._events[number]
        self._events[number] = (ord("X"), time_ns, end_ns - time_ns, row, name, cat, event_id, *self._keep(args), flags)

    def _keep(self, args: Arguments) -> tuple[int, int]:
        """Where the text of these arguments lies."""
        if not args:
            return 0, 0
        encoded = encode_arguments(args)
        known = self._places.get(encoded)
        if known is None:
            known = len(self.text)
            self.text += encoded
            if len(self._places) < MAX_PLACES:
                self._places[encoded] = known
        return known, len(encoded)

    def sample(self, time_ns: int, row: int, name: int, series: int, counter_id: int, value: float) -> None:
        self._samples.append((time_ns, row, name, series, counter_id, value))

    def take_events(self) -> EventBlock | None:
        """The events since the last call as a block."""
        if not self._events:
            return None
        columns = _columns(self._events, COLUMNS)
        self._events = []
        return EventBlock(*columns)

    def take_samples(self) -> SampleBlock | None:
        if not self._samples:
            return None
        columns = _columns(self._samples, SAMPLE_COLUMNS)
        self._samples = []
        return SampleBlock(*columns)


def _columns(rows: Sequence[tuple[float, ...]], kinds: Sequence[type[np.generic]]) -> list[Any]:
    """Rows turned into one array a column."""
    if not rows:
        return [np.empty(0, kind) for kind in kinds]
    return [np.array(values, kind) for values, kind in zip(zip(*rows, strict=True), kinds, strict=True)]


class Joining:
    """All blocks as one, in their order, made by as many threads as call ``work``.

    They are used up: the memory of a part is free again as soon as it is copied.
    """

    def __init__(self, blocks: list[EventBlock]) -> None:
        self._sizes = [len(block) for block in blocks]
        starts = [0, *accumulate(self._sizes)]
        names = enumerate(EventBlock.__struct_fields__)
        self._todo = deque((number, at, getattr(block, name)) for number, name in names for at, block in zip(starts, blocks, strict=False))
        blocks.clear()
        self._columns: list[Any] = []
        self._lock = Lock()
        self.copied = 0
        """Bytes."""

    def work(self, check: Callable[[], None]) -> None:
        """Copy until nothing is left; ``check`` is called before each ``COPIED`` bytes."""
        copied = 0
        while (task := self._next(copied)) is not None:
            column, at, part = task
            step = COPIED // column.itemsize
            for start in range(0, len(part), step):
                check()
                end = min(start + step, len(part))
                column[at + start : at + end] = part[start:end]
            copied = part.nbytes
            del task, part

    def _next(self, copied: int) -> tuple[Any, int, Any] | None:
        with self._lock:
            self.copied += copied
            if not self._todo:
                return None
            number, at, part = self._todo.popleft()
            if number == len(self._columns):  # not earlier: the parts of the one before are gone by now
                self._columns.append(new_column(sum(self._sizes), COLUMNS[number]))
            return self._columns[number], at, part

    def result(self) -> EventBlock:
        """When the work is done."""
        return EventBlock(*(self._columns if self._sizes else _columns([], COLUMNS)))


def join_samples(blocks: list[SampleBlock]) -> SampleBlock:
    """All samples as one block."""
    if len(blocks) == 1:
        return blocks[0]
    if not blocks:
        return SampleBlock(*_columns([], SAMPLE_COLUMNS))
    names = SampleBlock.__struct_fields__
    return SampleBlock(*(np.concatenate([getattr(block, name) for block in blocks]) for name in names))
