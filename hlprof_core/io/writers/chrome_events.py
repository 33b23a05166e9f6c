"""One event of a trace as a line of Chrome trace JSON. Times become decimal microseconds exactly; argument text is copied as it is."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

import numpy as np
import orjson

from hlprof_core.trace.model import Trace
from hlprof_core.trace.table import I8

_WHOLE = re.compile(r"-?(?:0|[1-9]\d{0,17})")
_FRACTIONS = tuple(b"" if not r else (b".%03d" % r).rstrip(b"0") for r in range(1000))


def microseconds(times_ns: I8) -> list[bytes]:
    """Exact decimal microseconds of each time."""
    if len(times_ns) and int(times_ns.min()) < 0:
        return [_signed_microseconds(ns) for ns in times_ns.tolist()]
    whole, rest = np.divmod(times_ns, 1000)
    fractions = _FRACTIONS
    return [b"%d%b" % (w, fractions[r]) for w, r in zip(whole.tolist(), rest.tolist(), strict=True)]


def _signed_microseconds(ns: int) -> bytes:
    whole, rest = divmod(abs(ns), 1000)
    return b"%b%d%b" % (b"-" if ns < 0 else b"", whole, _FRACTIONS[rest])


def number_text(value: float) -> bytes:
    """A sample's value; whole ones without a fraction."""
    if value == int(value) and abs(value) < 1e21:
        return b"%d" % int(value)
    return orjson.dumps(value)


class Names:
    """JSON text of strings by their number, each encoded once."""

    def __init__(self, trace: Trace) -> None:
        @lru_cache(maxsize=1 << 20)
        def text(number: int) -> bytes:
            return orjson.dumps(trace.strings[number])

        self.text = text


class Identities:
    """Literal ids as JSON: whole numbers as numbers, unless that would merge two ids that the file kept apart. A third one of the same text
    (of a trace made of several files) gets a number behind it; ``renamed`` counts those."""

    def __init__(self, trace: Trace) -> None:
        self.renamed = 0
        self._text_of_pid: dict[str, bytes] = {}
        self._text_of_tid: dict[tuple[str, str], bytes] = {}
        seen: Counter[str] = Counter()
        self.pid: list[bytes] = []
        for process in trace.processes:
            self.pid.append(self._literal(process.pid, seen))
            self._text_of_pid.setdefault(process.pid, self.pid[-1])
        by_process: dict[int, Counter[str]] = {}
        self.tid: list[bytes] = []
        for track in trace.tracks:
            if track.kind == "thread":
                self.tid.append(self._literal(track.tid, by_process.setdefault(track.process, Counter())))
                self._text_of_tid.setdefault((track.pid, track.tid), self.tid[-1])
            else:
                self.tid.append(b"")
        self.row = [
            b'"pid":%b%b' % (self.pid[track.process], b',"tid":' + tid if tid else b"")
            for track, tid in zip(trace.tracks, self.tid, strict=True)
        ]


    def of_texts(self, pid: str, tid: str | None = None) -> bytes:
        """Members ``pid`` and ``tid`` for what a table names by text."""
        owner = b'"pid":' + (self._text_of_pid.get(pid) or _plain(pid))
        return owner if tid is None else owner + b',"tid":' + (self._text_of_tid.get((pid, tid)) or _plain(tid))

    def _literal(self, text: str, seen: Counter[str]) -> bytes:
        seen[text] += 1
        if seen[text] == 1 and _WHOLE.fullmatch(text):
            return text.encode()
        if seen[text] == 1 or (seen[text] == 2 and _WHOLE.fullmatch(text)):
            return orjson.dumps(text)
        self.renamed += 1
        while (other := f"{text} #{seen[text]}") in seen:
            seen[text] += 1
        seen[other] += 1
        return orjson.dumps(other)


def _plain(text: str) -> bytes:
    return text.encode() if _WHOLE.fullmatch(text) else orjson.dumps(text)
