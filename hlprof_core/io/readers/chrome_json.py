"""Chrome trace event JSON: an object with ``traceEvents`` anywhere among its keys, a bare array (closed or not), or one event a line."""

from __future__ import annotations

import json
import re
from functools import partial
from typing import Any

import numpy as np
import orjson
from msgspec import Struct

from hlprof_core._kernels import scan
from hlprof_core.errors import UnrecognizedFormat
from hlprof_core.io.readers.event_scan import scan_events
from hlprof_core.io.readers.findings import report_cut, report_findings, report_skipped, report_unclosed
from hlprof_core.io.readers.identity import of_token, row_ids
from hlprof_core.io.readers.json_cursor import JsonCursor
from hlprof_core.io.readers.metadata import feed_metadata
from hlprof_core.io.readers.profile import ProfileFeed
from hlprof_core.io.readers.reader import Contents
from hlprof_core.io.source import ByteSource
from hlprof_core.progress import Progress, Watch, run_watched
from hlprof_core.trace.builder import TraceBuilder
from hlprof_core.trace.collector import collector_held
from hlprof_core.trace.events import EventBlock, SampleBlock
from hlprof_core.trace.producers import base_of
from hlprof_core.trace.slice_stacks import EventStacks
from hlprof_core.trace.table import U4

SMALL = 4 << 20
"""Bytes of a file that are not worth another thread."""
ROWS_A_LOOK, ITEMS_A_LOOK = 1 << 12, 1 << 20
"""How much is done between two looks at whether to go on."""
MAX_PROFILE = 256 << 20
"""Bytes of the lists of samples and frames that are decoded at once."""
MAX_PROPERTY = 4 << 20
"""Bytes of a top-level value that is kept; what is larger is data of another kind."""
_EVENTS_KEY = re.compile(rb'"traceEvents"[ \t\r\n]{0,100}:[ \t\r\n]{0,100}\[')
_EVENT_DTYPES = ("u1", "i8", "i8", "u4", "u4", "u4", "u4", "u8", "u4", "u1")
_SAMPLE_DTYPES = ("i8", "u4", "u4", "u4", "u4", "f8")


class ChromeJson:
    """Trace event JSON of any writer: profilers of Gaudi, PyTorch, browsers, compilers, build systems."""

    name, title, suffixes = "chrome-json", "Chrome trace JSON", (".json",)

    def sniff(self, head: bytes) -> int:
        text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
        if text[:1] not in (b"{", b"["):
            return 0
        return 90 if b'"traceEvents"' in text or b'"ph"' in text else 30

    def read(self, source: ByteSource, build: TraceBuilder, progress: Progress, threads: int | None = None) -> Contents:
        document = Document(source, build, progress, threads)
        document.walk()
        feed_builder([document], build, progress=progress)
        return document.contents()


class Document:
    """One file on its way: finds the arrays of events, keeps the values beside them."""

    def __init__(self, source: ByteSource, build: TraceBuilder, progress: Progress, threads: int | None) -> None:
        self.source, self.build, self.progress, self.threads = source, build, progress, threads
        self.cursor = JsonCursor(source)
        self.properties: dict[str, Any] = {}
        self.scanners: list[scan.Scanner] = []
        self.profile: dict[str, bytes] = {}
        """Texts of ``samples`` and ``stackFrames``."""
        self.arrays = 0
        self.is_keyed = False
        self.skipped: list[tuple[int, int]] = []

    def walk(self) -> None:
        """From start to end; several documents behind each other are read as one."""
        at = 3 if self.source.read(0, 3) == b"\xef\xbb\xbf" else 0
        while (byte := self.cursor.byte(at := self.cursor.skip_blanks(at))) >= 0:
            match byte:
                case 0x5B:  # [
                    at = self._events(at + 1)
                case 0x7B:  # {
                    at = self._object(at)
                case 0x2C | 0x5D | 0x7D:  # , ] }
                    at += 1
                case _:
                    at = self._recover(at)
        self._check()
        report_findings(self.scanners, self.build.log)
        report_skipped(self.skipped, self.build.log)

    def _events(self, start: int) -> int:
        """Read an array of events whose bracket stands before ``start``; returns the offset behind it."""
        self.arrays += 1
        found = scan_events(self.source, start, self.progress, self.threads)
        self.scanners += found.scanners
        if not found.closed and not any(s.damages() for s in found.scanners[-1:]):
            report_unclosed(found.end, self.build.log)
        return found.end

    def _object(self, start: int) -> int:
        """Read an object with events somewhere in it, or a line that is itself an event; returns the offset behind it."""
        cursor = self.cursor
        at = start + 1
        while True:
            at = cursor.skip_blanks(at)
            match cursor.byte(at):
                case 0x2C:
                    at += 1
                    continue
                case 0x7D:
                    return at + 1
                case -1:
                    if self.arrays:
                        return at
                    self._cut(start, at)
                    return at
                case 0x22:
                    pass
                case _:
                    return self._recover(at)
            key_end = cursor.value_end(at)
            colon = cursor.skip_blanks(key_end) if key_end > 0 else -1
            if key_end < 0 or cursor.byte(colon) != 0x3A:
                return self._lost(key_end if key_end < 0 else colon, at)
            key = scan.text(cursor.text(at, key_end))
            value = cursor.skip_blanks(colon + 1)
            if key == "traceEvents" and cursor.byte(value) == 0x5B:
                self.is_keyed = True
                at = self._events(value + 1)
                continue
            if key == "ph" and not self.arrays:
                return self._events(start)
            end = cursor.value_end(value)
            if end < 0:
                return self._lost(end, value)
            self._property(key, value, end)
            at = end

    def _lost(self, why: int, at: int) -> int:
        """A key or value of the outer object that is cut (-1) or no JSON: what follows may still hold events."""
        size = self.source.size or at
        if why == -1 and self.cursor.find(_EVENTS_KEY, at + 1) is None:
            self._cut(at, size)
            return size
        return self._recover(at)

    def _cut(self, at: int, end: int) -> None:
        report_cut(at, end - at, self.build.log)

    def _recover(self, at: int) -> int:
        """Behind damage outside of the events: go on at the next array of events, or at whatever reads as an event."""
        found = self.cursor.find(_EVENTS_KEY, at)
        if found:
            self.skipped.append((at, found[0] - at))
            return self._events(found[1])
        if self.arrays:
            end = self.source.size or at
            self.skipped.append((at, end - at))
            return end
        return self._events(at)

    def _property(self, key: str, start: int, end: int) -> None:
        if key in ("samples", "stackFrames") and end - start <= MAX_PROFILE:
            self.profile[key] = self.cursor.text(start, end)
            return
        if end - start > MAX_PROPERTY:
            message = f"Values beside the events over {MAX_PROPERTY >> 20} MiB are not kept."
            self.build.log.add("read.large_property", "notice", message, first=(key,))
            return
        text = self.cursor.text(start, end)
        try:
            self.properties[key] = orjson.loads(text)
            return
        except orjson.JSONDecodeError:
            words = text.decode("utf-8", "replace")
        try:
            self.properties[key] = json.loads(words, parse_constant=str, strict=False)
        except (ValueError, RecursionError):
            self.properties[key] = words
            self.build.log.add("read.bad_property", "notice", "Values beside the events that are no JSON are kept as text.", first=(key,))

    def contents(self) -> Contents:
        """What stands beside the events."""
        return Contents(base_of(self.properties), self.properties, self.source)

    def _check(self) -> None:
        """An empty list of events is a trace, and what the key says to be one; a document without any is none."""
        if any(s.phases() for s in self.scanners):
            return
        useless = any(s.damages() or any(s.counts()[name][0] for name in ("no_phase", "not_an_event")) for s in self.scanners)
        if not self.arrays or (useless and not self.is_keyed):
            hint = "A trace has a list traceEvents of objects with ph, ts, pid."
            raise UnrecognizedFormat(f"{self.source.path}: JSON, but not a trace; there are no trace events in it.", hint=hint)


class Part(Struct, frozen=True):
    """What a document is within a trace made of several. ``shift``: what to add to its argument offsets; ``delay_ns``: to its times."""

    shift: int = 0
    delay_ns: int = 0
    label: str = ""
    rank: int = -1


def feed_builder(
    documents: list[Document], build: TraceBuilder, parts: tuple[Part, ...] = (Part(),), progress: Progress | None = None
) -> None:
    """Hand the columns over without a copy: one string table for all, builder rows instead of the scanners'."""
    progress, watch = progress or Progress(), Watch()
    size = sum(document.source.size or 0 for document in documents)
    work = partial(_feed, documents, build, parts, watch)
    with collector_held():
        if size < SMALL:
            work()
        else:
            run_watched([work], lambda: progress.report("read", size, size), watch, 1)


def _feed(documents: list[Document], build: TraceBuilder, parts: tuple[Part, ...], watch: Watch) -> None:
    scanners = [scanner for document in documents for scanner in document.scanners]
    data, offsets, maps = scan.merge_texts(scanners)
    build.adopt_strings(data, _view(offsets, "i8"))
    texts_of = iter(maps)
    for document, part in zip(documents, parts, strict=True):
        if part.label:
            build.begin_member(part.label, part.rank)
        profile = ProfileFeed(document.profile, build, watch.check)
        for scanner in document.scanners:
            _feed_scanner(scanner, _view(next(texts_of), "u4"), part, build, profile.stacks(scanner), watch)
        profile.rest(document.source, document.scanners, part.shift, part.delay_ns)
        feed_metadata(document.scanners, build, watch.check)


def _view(column: scan.Column, dtype: str) -> Any:
    return np.frombuffer(memoryview(column), dtype)


def _feed_scanner(
    scanner: scan.Scanner, texts: U4, part: Part, build: TraceBuilder, stacks: EventStacks | None, watch: Watch
) -> None:
    tokens = scanner.rows()
    rows = np.empty(len(tokens), np.uint32)
    for at, (pid, tid) in enumerate(tokens):
        if at % ROWS_A_LOOK == 0:
            watch.check()
        rows[at] = build.row(*row_ids(of_token(pid), of_token(tid)))
    events = EventBlock(*(_view(c, d) for c, d in zip(scanner.take_events(), _EVENT_DTYPES, strict=True)))
    samples = SampleBlock(*(_view(c, d) for c, d in zip(scanner.take_samples(), _SAMPLE_DTYPES, strict=True)))
    for column in (events.name, events.cat, events.id, samples.name, samples.series, samples.id):
        _translate(column, texts, watch)
    for column in (events.row, samples.row):
        _translate(column, rows, watch)
    if part.shift:
        events.args_offset[:] += np.uint64(part.shift)
    if part.delay_ns:
        events.ts_ns[:] += part.delay_ns
        samples.time_ns[:] += part.delay_ns
    if len(events):
        build.add_events(events, stacks)
    if len(samples):
        build.add_samples(samples)


def _translate(column: U4, texts: U4, watch: Watch) -> None:
    for at in range(0, len(column), ITEMS_A_LOOK):
        watch.check()
        scan.translate(column[at : at + ITEMS_A_LOOK], texts)
