"""The profiler's CSV of hardware events: 23 columns, a row for each begin, end, instant and counter sample, in the order of time."""

from __future__ import annotations

import csv
import io
import re
from functools import lru_cache
from itertools import chain, count
from typing import BinaryIO, Protocol

import numpy as np
import numpy.typing as npt

from hlprof_core.io.writers.argument_block import read_arguments
from hlprof_core.io.writers.chrome_events import number_text
from hlprof_core.io.writers.timeline import BEGIN, END, MARK, SAMPLE, order_timeline
from hlprof_core.io.writers.writer import Export, tell_profile_loss
from hlprof_core.trace.args import MemoryText, decode
from hlprof_core.trace.model import Trace
from hlprof_core.trace.tracks import Track

COLUMNS = (
    *("Name", "Trace Source", "Engine", "Event type", "Timestamp[usec]", "recipeHandle", "streamHandle", "Recipe ID", "Recipe name"),
    *("Context ID", "Device", "Operation", "Data Type", "HW Event port", "HW Event description", "SPMU value", "BMON min", "BMON avg"),
    *("BMON max", "BMON matches", "BMON configured cycles", "NIC Packets amount", "Misc"),
)
NODE_ID = "Unique Node ID"
"""A 24th column of newer files, written when some event has it."""
KEYS = {
    "Recipe ID": "Recipe id",
    "Context ID": "Context id",
    "Operation": "op",
    "Data Type": "dtype",
    "HW Event port": "HW event port",
    "HW Event description": "HW event name",
}
"""Key of the arguments that a column shows, where it is not the column's own name."""
END_EVENT = "HW end event name"
MONITOR = {"Min": "BMON min", "Avg": "BMON avg", "Max": "BMON max", "Match": "BMON matches"}
"""Column of a series of a bus monitor."""
SOURCE, NAME, ENGINE, KIND, TIME, DEVICE = "Trace Source", "Name", "Engine", "Event type", "Timestamp[usec]", "Device"
DESCRIPTION, VALUE, SOFTWARE = "HW Event description", "SPMU value", "SW"
_OF_BEGIN = ("HW event name", "HW event port")
"""Arguments that say something about the begin event only."""
_DEVICE = re.compile(r"(?:accel|hl)\d+")
BLOCK = 16384


class GaudiCsvWriter:
    """Arrows and asynchronous work have no place in this format and are told as loss."""

    name, title, suffixes = "gaudi-csv", "Gaudi hardware events CSV", (".csv",)

    def write(self, export: Export, out: BinaryIO) -> None:
        text = io.TextIOWrapper(out, "utf-8", newline="", write_through=False)
        try:
            _Sheet(export).write(csv.writer(text, lineterminator="\n"))
            text.flush()
        finally:
            text.detach()


class _RowSink(Protocol):
    def writerow(self, row: list[str], /) -> object: ...


class _Sheet:
    """One file on its way."""

    def __init__(self, export: Export) -> None:
        self.export = export
        self.trace = trace = export.trace
        self.columns = [*COLUMNS, NODE_ID] if _mentions(trace, NODE_ID) else list(COLUMNS)
        self.place = {name: i for i, name in enumerate(self.columns)}
        self.shown = {KEYS.get(column, column): i for i, column in enumerate(self.columns)}
        self.sources = [_source_of(track) for track in trace.tracks]
        self.devices = [_device_of(trace, track) for track in trace.tracks]
        end_row = np.full(len(trace.slices), -1, np.int64)
        end_row[trace.end_args.slice] = np.arange(len(trace.end_args.slice))
        self.end_row: list[int] = end_row.tolist()
        self.spread = lru_cache(maxsize=1 << 14)(self._spread)
        places = (self.place[column] for column in (SOURCE, DEVICE, NAME, ENGINE, KIND, TIME))
        self.at_source, self.at_device, self.at_name, self.at_engine, self.at_kind, self.at_time = places
        self.at_context = (self.place["Recipe ID"], self.place["Context ID"])
        self.engines, self.renamed = _engines(trace, self.devices)
        self.hidden: set[str] = set()
        self.open: dict[tuple[int, str, str, str], list[int]] = {}
        """Slices between their begin and their end, by what readers pair them by."""
        self.misread = 0

    def write(self, sheet: _RowSink) -> None:
        trace, timeline = self.trace, order_timeline(self.trace, split_all=True)
        slices, instants = trace.slices, trace.instants
        is_async = np.array([track.kind == "async" for track in trace.tracks], bool)
        series_of = np.repeat(np.arange(len(trace.series)), np.diff(trace.counters.offsets))
        sheet.writerow(self.columns)
        for begin in range(0, len(timeline), BLOCK):
            self.export.progress.report("write", begin, len(timeline))
            kind, number = timeline.kind[begin : begin + BLOCK], timeline.number[begin : begin + BLOCK]
            of_slice = np.where(kind <= BEGIN, number, 0)
            of_mark = np.where(kind == MARK, number, 0)
            offset, length = np.zeros(len(kind), np.uint64), np.zeros(len(kind), np.uint32)
            for which, table, rows in ((kind <= BEGIN, slices, of_slice), (kind == MARK, instants, of_mark)):
                offset[which], length[which] = table.args_offset[rows[which]], table.args_length[rows[which]]
            args = read_arguments(trace.args_text, offset, length)
            times = timeline.time_ns[begin : begin + BLOCK].tolist()
            track_of = np.where(kind <= BEGIN, slices.track[of_slice], 0) if len(slices) else np.zeros(len(kind), np.int64)
            name_of = np.where(kind <= BEGIN, slices.name[of_slice], 0) if len(slices) else np.zeros(len(kind), np.int64)
            marks = kind == MARK
            track_of[marks], name_of[marks] = instants.track[number[marks]], instants.name[number[marks]]
            columns = (kind.tolist(), number.tolist(), times, track_of.tolist(), name_of.tolist(), args)
            for what, row, time, track, name_id, raw in zip(*columns, strict=True):
                if what == SAMPLE:
                    sheet.writerow(self._sample(int(series_of[row]), time, float(trace.counters.value[row])))
                    continue
                if is_async[track]:
                    continue
                name = trace.strings[name_id]
                if what == MARK:
                    sheet.writerow(self._row(name, track, "INSTANT", time, raw))
                elif what == END:
                    sheet.writerow(self._end(row, name, track, time, raw))
                else:
                    fields = self._row(name, track, "BEGIN", time, raw)
                    self.open.setdefault(self._key(track, fields), []).append(row)
                    sheet.writerow(fields)
                    if not slices.dur_ns[row] and not timeline.stays_open[row]:
                        sheet.writerow(self._end(row, name, track, time, raw))
        self._report(is_async)

    def _spread(self, raw: bytes, end_raw: bytes | None) -> list[str]:
        """Arguments in their columns; with ``end_raw`` those of the end of a slice: what the end says itself, then what the begin says."""
        fields = [""] * len(self.columns)
        args = decode(MemoryText(raw), 0, len(raw))
        if end_raw is not None:
            own = {k: v for k, v in args.items() if k not in _OF_BEGIN}
            if END_EVENT in args:
                own[KEYS[DESCRIPTION]] = args[END_EVENT]
            args = {**own, **decode(MemoryText(end_raw), 0, len(end_raw))}
        for key, value in args.items():
            at = self.shown.get(key)
            if at is not None:
                fields[at] = value if isinstance(value, str) else str(value)
            elif key != END_EVENT:
                self.hidden.add(key)
        return fields

    def _row(self, name: str, track: int, kind: str, time_ns: int, raw: bytes, end_raw: bytes | None = None) -> list[str]:
        fields = self.spread(raw, end_raw).copy()
        source, device = self.at_source, self.at_device
        fields[source] = fields[source] or self.sources[track]
        fields[device] = fields[device] or self.devices[track]
        fields[self.at_name], fields[self.at_engine] = name, self.engines[track]
        fields[self.at_kind], fields[self.at_time] = kind, _microseconds(time_ns)
        return fields

    def _end(self, slice_id: int, name: str, track: int, time_ns: int, raw: bytes) -> list[str]:
        at = self.end_row[slice_id]
        end_raw = b""
        if at >= 0:
            table = self.trace.end_args
            end_raw = self.trace.args_text.read(int(table.args_offset[at]), int(table.args_length[at]))
        fields = self._row(name, track, "END", time_ns, raw, end_raw)
        began = self.open.get(self._key(track, fields))
        read_as = began.pop(-1 if fields[self.at_source] == SOFTWARE else 0) if began else -1
        self.misread += read_as != slice_id
        return fields

    def _key(self, track: int, fields: list[str]) -> tuple[int, str, str, str]:
        recipe, context = self.at_context
        return track, fields[self.at_name], fields[recipe], fields[context]

    def _sample(self, number: int, time_ns: int, value: float) -> list[str]:
        series, fields, place = self.trace.series[number], [""] * len(self.columns), self.place
        track = self.trace.tracks[series.track]
        monitor = MONITOR.get(series.series)
        plain = monitor is not None or series.series in ("value", series.name, "")
        fields[place[NAME]] = series.name if plain else f"{series.name}: {series.series}"
        fields[place[SOURCE]], fields[place[ENGINE]] = "HW", series.counter_id or self.trace.processes[track.process].name
        fields[place[KIND]], fields[place[TIME]], fields[place[DEVICE]] = "COUNTER", _microseconds(time_ns), self.devices[series.track]
        fields[place[DESCRIPTION]], fields[place[monitor or VALUE]] = "BMON" if monitor else "SPMU", number_text(value).decode()
        return fields

    def _report(self, is_async: npt.NDArray[np.bool_]) -> None:
        log, trace = self.export.log, self.trace
        flows = len(trace.flows.from_slice)
        work = sum(int(np.count_nonzero(is_async[table.track])) for table in (trace.slices, trace.instants))
        log.add("export.flows", "data-loss", "Arrows have no place in the profiler's CSV.", count=flows)
        log.add("export.async", "data-loss", "Asynchronous slices and marks have no place in the profiler's CSV.", count=work)
        overlap = "Slices open together with another of their name and row, whose ends cannot be told apart."
        log.add("export.overlap", "data-loss", overlap, count=self.misread)
        log.add("export.rows", "notice", "Rows with the name of another one got that of their process behind it.", count=len(self.renamed),
                first=tuple(self.renamed))  # fmt: skip
        hidden = sorted(self.hidden)
        log.add("export.args", "data-loss", "Arguments without a column were left out.", count=len(hidden), first=tuple(hidden))
        categories = int(np.count_nonzero(trace.slices.cat)) + int(np.count_nonzero(trace.instants.cat))
        log.add("export.categories", "data-loss", "Categories have no place in the profiler's CSV.", count=categories)
        tell_profile_loss(trace, log)


def _engines(trace: Trace, devices: list[str]) -> tuple[list[str], list[str]]:
    """A name for each track that no other row of its device has; and those that are not the track's own."""
    names, renamed = [], []
    taken: set[tuple[str, str]] = set()
    for track, device in zip(trace.tracks, devices, strict=True):
        process = trace.processes[track.process]
        others = (f"{track.name} ({process.pid} #{number})" for number in count(2))
        name = next(n for n in chain((track.name, f"{track.name} ({process.name})"), others) if (n, device) not in taken)
        if track.kind == "thread":
            taken.add((name, device))
            renamed += [name] if name != track.name else []
        names.append(name)
    return names, renamed


def _microseconds(time_ns: int) -> str:
    whole, rest = divmod(abs(time_ns), 1000)
    return f"{'-' if time_ns < 0 else ''}{whole}.{rest:03d}000"


def _source_of(track: Track) -> str:
    """HW for events of the device, SW for those of its firmware and for what the host says."""
    return "HW" if track.engine not in ("HOST", "") and "ARC" not in track.name.upper() else SOFTWARE


def _device_of(trace: Trace, track: Track) -> str:
    """``accel0``, as far as the trace says it."""
    process = trace.processes[track.process]
    for text in (*process.labels, process.name, track.name):
        if found := _DEVICE.search(text):
            return found[0]
    about = trace.origin.properties.get("hlprof")
    return str(about.get("device", "")) if isinstance(about, dict) else ""


def _mentions(trace: Trace, key: str) -> bool:
    """Whether some slice has this argument: the first of each name is looked at."""
    _, first = np.unique(trace.slices.name, return_index=True)
    encoded = b'"%b"' % key.encode()
    s = trace.slices
    places = first[s.args_length[first] > 0]
    return any(encoded in trace.args_text.read(int(s.args_offset[i]), int(s.args_length[i])) for i in places)
