"""The profiler's CSV of hardware events: 23 columns, one event a row, time in microseconds with six decimals. Newer files add a column."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from functools import lru_cache
from operator import itemgetter

import orjson

from hlprof_core._kernels import scan
from hlprof_core.diagnostics import FIRST_PLACES
from hlprof_core.io.readers.hardware_pairs import HardwarePairs
from hlprof_core.io.readers.reader import Contents
from hlprof_core.io.source import BLOCK, ByteSource
from hlprof_core.progress import Progress
from hlprof_core.trace.builder import TraceBuilder
from hlprof_core.trace.engines import class_of_name

NAME, ENGINE, EVENT_TYPE, TIME, DEVICE = "Name", "Engine", "Event type", "Timestamp[usec]", "Device"
EVENT, VALUE, SOURCE = "HW Event description", "SPMU value", "Trace Source"
NEEDED = (NAME, ENGINE, EVENT_TYPE, TIME)
ARGUMENTS = {
    "Operation": "op",
    "Data Type": "dtype",
    "Recipe name": "Recipe name",
    "Recipe ID": "Recipe id",
    "Context ID": "Context id",
    EVENT: "HW event name",
    "HW Event port": "HW event port",
    "recipeHandle": "recipeHandle",
    "streamHandle": "streamHandle",
    SOURCE: SOURCE,
    "Unique Node ID": "Unique Node ID",
}
"""Column of the file to key of the arguments; other columns keep their name."""
SERIES = {"BMON min": "Min", "BMON avg": "Avg", "BMON max": "Max", "BMON matches": "Match"}
"""Columns of a bus monitor to series of its counter, for counter rows without an SPMU value."""
CONTEXT = ("Recipe ID", "Context ID")
"""Columns that are equal in the begin and the end of one node."""
NUMBERS = frozenset(("Recipe ID", "Context ID", "HW Event port"))
USUAL = {SOURCE: "HW"}
"""Values that go without saying."""
SOFTWARE = "SW"
"""Source of rows of firmware and of the host."""
PROCESSES = {"DMA": 1, "MME": 2, "TPC": 3, "NIC": 4, "HOST": 5, "OTHER": 6}
"""Process of each engine class of the first device, as in the profiler's JSON."""
TITLES = {"HOST": "Host", "OTHER": "Other engines"}


class GaudiCsv:
    """Hardware events as the profiler and its analyzer exchange them."""

    name, title, suffixes = "gaudi-csv", "Gaudi hardware events CSV", (".csv",)

    def sniff(self, head: bytes) -> int:
        header = [field.strip() for field in _fields(head.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0])]
        return 95 if all(column in header for column in NEEDED) else 0

    def read(self, source: ByteSource, build: TraceBuilder, progress: Progress) -> Contents:
        _Table(source, build, progress).read()
        return Contents()


def _fields(line: bytes) -> list[str]:
    """The fields of one line; none where it is no CSV."""
    text = line.replace(b"\x00", b"").rstrip(b"\r").decode("utf-8", "replace")
    if '"' not in text:
        return text.split(",")
    try:
        return next(csv.reader([text]), [])
    except csv.Error:
        return []


class _Table:
    def __init__(self, source: ByteSource, build: TraceBuilder, progress: Progress) -> None:
        self.source, self.build, self.progress = source, build, progress
        self.line = 1
        self.bad: dict[str, list[str]] = {"columns": [], "time": [], "type": [], "value": []}
        self.bad_count = dict.fromkeys(self.bad, 0)
        self.rows: dict[tuple[str, str], tuple[int | str, str]] = {}
        self.devices: list[str] = []

    def read(self) -> None:
        lines = _lines(self.source, self.progress)
        header = [field.strip() for field in _fields(next(lines))]
        name_at, engine_at, type_at, time_at = (header.index(column) for column in NEEDED)
        device_at = header.index(DEVICE) if DEVICE in header else -1
        value_at = header.index(VALUE) if VALUE in header else -1
        source_at = header.index(SOURCE) if SOURCE in header else -1
        measured = [(SERIES[name], at) for at, name in enumerate(header) if name in SERIES]
        known = {name_at, engine_at, type_at, time_at, device_at, value_at}
        spoken = [i for i in range(len(header)) if i not in known and header[i]]
        encode = _argument_encoder(tuple(header[i] for i in spoken))
        pick = itemgetter(*spoken, name_at, name_at)
        build, pairs = self.build, HardwarePairs(self.build)
        same = [i for i, column in enumerate(header) if column in CONTEXT]
        belongs: Callable[[list[str]], object] = itemgetter(*same) if same else lambda _: ""
        for self.line, line in enumerate(lines, 2):
            if not line.strip():
                continue
            fields = _fields(line)
            if len(fields) != len(header):
                self._reject("columns")
                continue
            time_ns = scan.time_ns(fields[time_at].encode())
            if time_ns is None:
                self._reject("time")
                continue
            pid, tid = self._row(fields[engine_at], fields[device_at] if device_at >= 0 else "")
            kind = fields[type_at]
            if kind == "COUNTER":
                values = {"value": fields[value_at]} if value_at >= 0 and fields[value_at] else {}
                self._counter(pid, time_ns, fields[name_at], values or {series: fields[at] for series, at in measured if fields[at]}, tid)
                continue
            args = encode(pick(fields)[:-2])
            if kind == "BEGIN":
                pairs.begin(pid, tid, time_ns, fields[name_at], belongs(fields), args)
            elif kind == "END":
                pairs.end(pid, tid, time_ns, fields[name_at], belongs(fields), args, nests=source_at >= 0 and fields[source_at] == SOFTWARE)
            elif kind == "INSTANT":
                build.instant(pid, tid, time_ns, fields[name_at], args=args)
            else:
                self._reject("type")
        pairs.finish()
        self._report()

    def _row(self, engine: str, device: str) -> tuple[int | str, str]:
        """Process and thread of an engine, declared when they are met first."""
        found = self.rows.get((engine, device))
        if found is None:
            if device not in self.devices:
                self.devices.append(device)
            first = device == self.devices[0]
            kind = class_of_name(engine) or "OTHER"
            pid: int | str = PROCESSES[kind] if first else f"{device} {kind}"
            title = TITLES.get(kind, kind)
            order = PROCESSES[kind] + 10 * self.devices.index(device)
            self.build.process(pid, title if first else f"{title} ({device})", labels=(device,) if device else (), sort_index=order)
            self.build.thread(pid, engine, engine)
            found = self.rows[engine, device] = pid, engine
        return found

    def _counter(self, pid: int | str, time_ns: int, name: str, values: dict[str, str], engine: str) -> None:
        try:
            numbers = {series: float(value) for series, value in values.items()}
        except ValueError:
            numbers = {}
        if not numbers:
            self._reject("value")
            return
        self.build.counter(pid, time_ns, name, numbers, counter_id=engine)

    def _reject(self, why: str) -> None:
        self.bad_count[why] += 1
        if len(self.bad[why]) < FIRST_PLACES:
            self.bad[why].append(f"line {self.line}")

    def _report(self) -> None:
        log = self.build.log
        for why, code, message in (
            ("columns", "read.bad_row", "Rows with another number of columns than the header were left out."),
            ("time", "read.bad_ts", "Rows without a readable time were left out."),
            ("type", "read.unknown_phase", "Rows with an unknown event type were left out."),
            ("value", "read.bad_value", "Counter rows without a readable value were left out."),
        ):
            log.add(code, "data-loss", message, count=self.bad_count[why], first=tuple(self.bad[why]))


def _argument_encoder(columns: tuple[str, ...]) -> Callable[[tuple[str, ...]], bytes]:
    """A function from the values of these columns to the JSON text of the arguments; nodes repeat, so most come from its memory."""

    @lru_cache(maxsize=1 << 14)
    def encode(values: tuple[str, ...]) -> bytes:
        pairs = {}
        for column, value in zip(columns, values, strict=True):
            if value and USUAL.get(column) != value:
                pairs[ARGUMENTS.get(column, column)] = int(value) if column in NUMBERS and value.isdecimal() and len(value) < 19 else value
        return orjson.dumps(pairs) if pairs else b""

    return encode


def _lines(source: ByteSource, progress: Progress) -> Iterator[bytes]:
    """Lines without their ends; a field never spans lines."""
    at, rest = 0, b""
    while block := source.read(at, BLOCK):
        lines = (rest + (block if at else block.removeprefix(b"\xef\xbb\xbf"))).split(b"\n")
        at += len(block)
        progress.report("read", at, source.size or 0)
        rest = lines.pop()
        yield from lines
    if rest:
        yield rest
