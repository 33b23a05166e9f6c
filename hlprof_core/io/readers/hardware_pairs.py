"""Begins and ends of hardware events. An engine may begin the next node before the last one has ended, so ends belong to what they name:

    begin A, begin B, end A, end B      two slices that overlap, not one within the other

A begin and an end of one engine with equal name and context belong together, the first begin to the first end. Software nests instead:
there the last begin belongs to the first end, as a function that calls itself returns from the inner call first.
"""

from __future__ import annotations

from msgspec import Struct

from hlprof_core.trace.args import MemoryText, decode, merge_end
from hlprof_core.trace.builder import TraceBuilder
from hlprof_core.trace.owners import Id


class _Open(Struct):
    key: tuple[str, object]
    number: int
    args: bytes
    end: tuple[int, bytes] | None = None
    """Its end, while slices that began later are still open."""


class HardwarePairs:
    """Feeds a builder; call ``finish`` at the end. ``context``: what must be equal besides the name."""

    def __init__(self, build: TraceBuilder) -> None:
        self._build = build
        self._rows: dict[tuple[Id, Id], list[_Open]] = {}

    def begin(self, pid: Id, tid: Id, time_ns: int, name: str, context: object, args: bytes, cat: str = "") -> None:
        number = self._build.begin(pid, tid, time_ns, name, cat=cat, args=args)
        self._rows.setdefault((pid, tid), []).append(_Open((name, context), number, args))

    def end(self, pid: Id, tid: Id, time_ns: int, name: str, context: object, args: bytes, *, nests: bool = False) -> None:
        """``nests``: the row is software."""
        row = self._rows.setdefault((pid, tid), [])
        if len(row) == 1 and row[0].end is None and row[0].key == (name, context):  # nearly always
            row.clear()
            self._build.end(pid, tid, time_ns, name, args=args)
            return
        order = range(len(row) - 1, -1, -1) if nests else range(len(row))
        at = next((i for i in order if row[i].key == (name, context) and row[i].end is None), None)
        if at is None:
            self._end_by_name(row, pid, tid, time_ns, name, args)
            return
        entry = row[at]
        # What began before and ended in between crosses this one: neither is within the other.
        for crossed in [other for other in row[:at] if other.end is not None]:
            self._complete(crossed)
            row.remove(crossed)
        if entry is row[-1]:
            row.pop()
            self._build.end(pid, tid, time_ns, name, args=args)
        else:
            entry.end = time_ns, args

    def _end_by_name(self, row: list[_Open], pid: Id, tid: Id, time_ns: int, name: str, args: bytes) -> None:
        """No begin has this context: the innermost open slice of the name ends, and with it what is open within."""
        self._build.end(pid, tid, time_ns, name, args=args)
        for i in range(len(row) - 1, -1, -1):
            if row[i].end is None and row[i].key[0] == name:
                for ended in (entry for entry in row[i:] if entry.end is not None):
                    self._complete(ended)
                del row[i:]
                return

    def _complete(self, entry: _Open) -> None:
        assert entry.end is not None
        end_ns, end_args = entry.end
        own, more = (decode(MemoryText(raw), 0, len(raw)) for raw in (entry.args, end_args))
        self._build.complete(entry.number, end_ns, merge_end(own, more))

    def finish(self) -> None:
        """What never ended stays open, as it does in any other format, and ends with what is around it."""
        for (pid, tid), row in self._rows.items():
            for entry in row:
                if entry.end is not None:
                    self._build.end(pid, tid, entry.end[0], entry.key[0], args=entry.end[1])
        self._rows.clear()
