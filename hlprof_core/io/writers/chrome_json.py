"""Chrome trace JSON: what the profiler writes and what Perfetto, chrome://tracing and this program read.

Slices recorded as begin and end stay B and E, with the end's arguments on the E; others are X. Asynchronous work is b, e and n.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from typing import BinaryIO

import numpy as np
import orjson

from hlprof_core.errors import ExportError
from hlprof_core.io.writers.argument_block import read_arguments
from hlprof_core.io.writers.chrome_events import Identities, Names, microseconds, number_text
from hlprof_core.io.writers.flow_marks import plan_marks
from hlprof_core.io.writers.gzip import pack_gzip
from hlprof_core.io.writers.profile_events import object_lines, sample_lines, stack_frames
from hlprof_core.io.writers.timeline import ARROW, BEGIN, END, MARK, SAMPLE, order_timeline
from hlprof_core.io.writers.writer import Export
from hlprof_core.progress import Progress
from hlprof_core.trace.model import Trace
from hlprof_core.trace.producers import rank_of
from hlprof_core.trace.table import BEGIN_END, I8, NO_FRAME

BLOCK = 16384
_TABLES = ("traceEvents", "samples", "stackFrames")
"""Top-level members that hold events, which are written anew."""
_SCOPES = (b'"t"', b'"p"', b'"g"')


class ChromeJsonWriter:
    """Plain text."""

    name, title, suffixes = "chrome-json", "Chrome trace JSON", (".json",)

    def write(self, export: Export, out: BinaryIO) -> None:
        for part in chrome_json_parts(export):
            out.write(part)


class ChromeJsonGzWriter:
    """The same, packed; equal traces give equal files."""

    name, title, suffixes = "chrome-json-gz", "Chrome trace JSON, gzip", (".json.gz",)

    def write(self, export: Export, out: BinaryIO) -> None:
        with pack_gzip(out) as packed:
            for part in chrome_json_parts(export):
                packed.write(part)


def chrome_json_parts(export: Export) -> Iterator[bytes]:
    """The text of the whole file, in pieces."""
    trace, ids = export.trace, Identities(export.trace)
    renamed = "Processes whose id several files have got another one, as one file tells them apart by it."
    export.log.add("export.ids", "notice", renamed, count=ids.renamed)
    one = rank_of(trace.origin.properties)
    rankless = "Rows whose rank is not kept, as one file has a place for one rank."
    export.log.add("export.ranks", "data-loss", rankless, count=sum(track.rank not in (-1, one) for track in trace.tracks))
    yield b"{%b" % _properties(trace) + stack_frames(trace) + b'"traceEvents":[\n'
    separator = b""
    for block in _line_blocks(trace, ids, export.progress):
        if block:
            yield separator + b",\n".join(block)
            separator = b",\n"
    yield b"\n]}\n"


def _line_blocks(trace: Trace, ids: Identities, progress: Progress) -> Iterator[list[bytes]]:
    """All events as lines: names first, then what happens in order of time, then objects and samples."""
    yield _metadata(trace, ids)
    lines = _EventLines(trace, ids)
    total = len(lines.timeline)
    for begin in range(0, total, BLOCK):
        progress.report("write", begin, total)
        yield lines.block(begin, min(total, begin + BLOCK))
    for block in chain(object_lines(trace, ids), sample_lines(trace, ids)):
        progress.check()
        yield block


def _properties(trace: Trace) -> bytes:
    """Top-level facts, each behind its key and a comma."""
    facts = {"displayTimeUnit": "ns", **{k: v for k, v in trace.origin.properties.items() if k not in _TABLES}}
    if trace.origin.base_ns is not None:
        facts.setdefault("baseTimeNanoseconds", trace.origin.base_ns)
    try:
        return b"".join(orjson.dumps(key) + b":" + orjson.dumps(value) + b",\n" for key, value in facts.items())
    except TypeError as error:
        hint = "Remove it from the trace's properties."
        raise ExportError(f"A fact about the trace cannot be written as JSON: {error}.", hint=hint) from error


def _metadata(trace: Trace, ids: Identities) -> list[bytes]:
    lines = []

    def declare(kind: bytes, who: bytes, args: object) -> None:
        lines.append(b'{"ph":"M","name":"%b",%b,"args":%b}' % (kind, who, orjson.dumps(args)))

    for process, pid in zip(trace.processes, ids.pid, strict=True):
        who = b'"pid":' + pid
        declare(b"process_name", who, {"name": process.name})
        if process.labels:
            declare(b"process_labels", who, {"labels": ",".join(process.labels)})
        if process.sort_index:
            declare(b"process_sort_index", who, {"sort_index": process.sort_index})
    for track, who in zip(trace.tracks, ids.row, strict=True):
        if track.kind != "thread":
            continue
        declare(b"thread_name", who, {"name": track.name})
        if track.sort_index:
            declare(b"thread_sort_index", who, {"sort_index": track.sort_index})
    return lines


class _EventLines:
    """The events of a trace as JSON lines, by blocks of its timeline."""

    def __init__(self, trace: Trace, ids: Identities) -> None:
        self.trace = trace
        self.marks = plan_marks(trace)
        self.timeline = order_timeline(trace, self.marks.time_ns)
        self.text = Names(trace).text
        self.row = ids.row
        self.is_async = np.array([track.kind == "async" for track in trace.tracks], bool)
        self.end_row = np.full(len(trace.slices), -1, np.int64)
        self.end_row[trace.end_args.slice] = np.arange(len(trace.end_args.slice))
        self.root = _roots(trace, self.is_async)
        stacks = trace.slice_stacks
        places = zip(stacks.slice.tolist(), stacks.frame.tolist(), stacks.end_frame.tolist(), strict=True)
        self.frames = {slice_id: (frame, end_frame) for slice_id, frame, end_frame in places}
        self.series_of_sample = np.repeat(np.arange(len(trace.series)), np.diff(trace.counters.offsets))

    def block(self, begin: int, end: int) -> list[bytes]:
        lines: list[list[bytes]] = [[] for _ in range(5)]
        kind, number = self.timeline.kind[begin:end], self.timeline.number[begin:end]
        times = microseconds(self.timeline.time_ns[begin:end])
        writers = {END: self._ends, BEGIN: self._begins, MARK: self._instants, SAMPLE: self._samples, ARROW: self._arrows}
        for which, write in writers.items():
            places = np.flatnonzero(kind == which)
            if len(places):
                lines[which] = write(number[places], [times[i] for i in places.tolist()])
        iterators = [iter(part) for part in lines]
        return [next(iterators[k]) for k in kind.tolist()]

    def _async_id(self, slice_id: int) -> bytes:
        """The id of the file where the track has one, else one for each tree."""
        track = self.trace.tracks[int(self.trace.slices.track[slice_id])]
        return orjson.dumps(track.tid or f"tree {int(self.root[slice_id])}")

    def _begins(self, number: I8, times: list[bytes]) -> list[bytes]:
        s, text, row = self.trace.slices, self.text, self.row
        durations = microseconds(s.dur_ns[number])
        args = read_arguments(self.trace.args_text, s.args_offset[number], s.args_length[number])
        lines = []
        owner, form = s.track[number], s.flags[number] & BEGIN_END
        columns = (number, owner, s.name[number], s.cat[number], form, self.timeline.stays_open[number], self.is_async[owner])
        events = zip(*(column.tolist() for column in columns), strict=True)
        for place, (slice_id, track, name, cat, is_pair, stays_open, is_async) in enumerate(events):
            head = b'"name":%b,%b,"ts":%b' % (text(name), row[track], times[place])
            tail = b',"cat":%b' % text(cat) if cat else b""
            if self.end_row[slice_id] >= 0 and not is_pair and not is_async:
                tail += b',"args":' + json.dumps(self.trace.args(slice_id), ensure_ascii=False).encode("utf-8", "replace")
            elif args[place]:
                tail += b',"args":' + args[place]
            frame, end_frame = self.frames.get(slice_id, (NO_FRAME, NO_FRAME))
            if frame != NO_FRAME:
                tail += b',"sf":"%d"' % frame
            if end_frame != NO_FRAME and not is_async and not is_pair:
                tail += b',"esf":"%d"' % end_frame
            if is_async:
                line = b'{"ph":"b",%b,"id":%b%b}' % (head, self._async_id(slice_id), tail)
            elif is_pair:
                line = b'{"ph":"B",%b%b}' % (head, tail)
            elif stays_open:
                line = b'{"ph":"X",%b%b}' % (head, tail)
            else:
                line = b'{"ph":"X",%b,"dur":%b%b}' % (head, durations[place], tail)
            if durations[place] == b"0" and (is_pair or is_async) and not stays_open:
                line += b",\n" + self._end(slice_id, track, name, cat, times[place], is_async)
            lines.append(line)
        return lines

    def _ends(self, number: I8, times: list[bytes]) -> list[bytes]:
        s = self.trace.slices
        columns = (number, s.track[number], s.name[number], s.cat[number], self.is_async[s.track[number]])
        return [
            self._end(slice_id, track, name, cat, time, is_async)
            for time, slice_id, track, name, cat, is_async in zip(times, *(c.tolist() for c in columns), strict=True)
        ]

    def _end(self, slice_id: int, track: int, name: int, cat: int, time: bytes, is_async: bool) -> bytes:
        line = b'"name":%b,%b,"ts":%b' % (self.text(name), self.row[track], time)
        if is_async:
            line = b'{"ph":"e",%b,"id":%b%b' % (line, self._async_id(slice_id), b',"cat":%b' % self.text(cat) if cat else b"")
        else:
            line = b'{"ph":"E",' + line
        end_frame = self.frames.get(slice_id, (NO_FRAME, NO_FRAME))[1]
        if end_frame != NO_FRAME:
            line += b',"sf":"%d"' % end_frame
        place = int(self.end_row[slice_id])
        if place >= 0:
            ends = self.trace.end_args
            line += b',"args":' + self.trace.args_text.read(int(ends.args_offset[place]), int(ends.args_length[place]))
        return line + b"}"

    def _instants(self, number: I8, times: list[bytes]) -> list[bytes]:
        t, lines = self.trace.instants, []
        args = read_arguments(self.trace.args_text, t.args_offset[number], t.args_length[number])
        columns = (t.track[number], t.name[number], t.cat[number], t.scope[number])
        for time, arguments, track, name, cat, scope in zip(times, args, *(c.tolist() for c in columns), strict=True):
            owner = self.trace.tracks[track]
            if owner.kind == "async":
                head = b'{"ph":"n","id":%b' % orjson.dumps(owner.tid or f"mark {track}")
            else:
                head = b'{"ph":"i","s":' + _SCOPES[scope]
            line = b'%b,"name":%b,%b,"ts":%b' % (head, self.text(name), self.row[track], time)
            if cat:
                line += b',"cat":' + self.text(cat)
            if arguments:
                line += b',"args":' + arguments
            lines.append(line + b"}")
        return lines

    def _samples(self, number: I8, times: list[bytes]) -> list[bytes]:
        lines = []
        values = self.trace.counters.value[number].tolist()
        for time, value, place in zip(times, values, self.series_of_sample[number].tolist(), strict=True):
            series = self.trace.series[place]
            line = b'{"ph":"C","name":%b,%b,"ts":%b' % (orjson.dumps(series.name), self.row[series.track], time)
            if series.counter_id:
                line += b',"id":' + orjson.dumps(series.counter_id)
            lines.append(line + b',"args":{%b:%b}}' % (orjson.dumps(series.series), number_text(value)))
        return lines

    def _arrows(self, number: I8, times: list[bytes]) -> list[bytes]:
        flows, marks, lines = self.trace.flows, self.marks, []
        for time, mark in zip(times, number.tolist(), strict=True):
            flow = marks.flow[mark]
            flow_id = orjson.dumps(self.trace.strings[int(flows.id[flow])] + marks.suffix[mark])
            row = self.row[int(self.trace.slices.track[marks.slice[mark]])]
            name = self.text(int(flows.name[flow]))
            line = b'{"ph":"%b","bp":"e","id":%b,"name":%b,%b,"ts":%b' % (marks.phase[mark], flow_id, name, row, time)
            if flows.cat[flow]:
                line += b',"cat":' + self.text(int(flows.cat[flow]))
            lines.append(line + b"}")
        return lines


def _roots(trace: Trace, is_async: np.ndarray) -> I8:
    """The outermost slice of each asynchronous slice's tree; other slices are their own."""
    root = np.arange(len(trace.slices))
    if not is_async.any():
        return root
    parent = trace.slices.parent
    places = np.flatnonzero(is_async[trace.slices.track])
    while len(places):
        up = parent[root[places]]
        places, up = places[up >= 0], up[up >= 0]
        root[places] = up
    return root
