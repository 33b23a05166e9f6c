"""``.hltv`` and other archives (zip, tar, packed tar): the traces in them, and what the profiler put beside them.

    prof-data/hlprof/trace.json      the parsed trace as we write it: when it is there, it is the trace
    prof-data/host/host_trace.json   host events; any member that another reader knows is read, packed ones too
    views/trace_analyzer.json        the table of nodes: a property, or the trace when there is no other
    prof-data/bin/*.bin              raw data, which needs the vendor's parser
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import orjson
from msgspec import Struct, field

from hlprof_core.diagnostics import FIRST_PLACES, DiagnosticLog
from hlprof_core.errors import TraceDamaged, TraceError, UnrecognizedFormat
from hlprof_core.io.archive import Member, members
from hlprof_core.io.packing import unpacker_of
from hlprof_core.io.readers.hltv_parts import ANALYZER, Trace, read_traces
from hlprof_core.io.readers.reader import HEAD_BYTES, Contents, Reader, best_reader
from hlprof_core.io.source import ByteSource, FileSource
from hlprof_core.io.spill import MAX_RATIO, RATIO_FROM, GrowingText, text_directory
from hlprof_core.io.spooled import SpooledSource
from hlprof_core.io.wide import is_wide, narrow, narrow_head
from hlprof_core.progress import Progress
from hlprof_core.trace.builder import TraceBuilder

OWN_TRACE = "prof-data/hlprof/trace.json"
TEXT = "archive-2"
"""Under this name the text of the traces lies in the cache."""
_KEPT = {"prof-data/config/prof_config.json": "prof_config", "prof-data/profile_state.json": "profile_state"}
_KNOWN = re.compile(r"prof-data/(config|debug-info|post-graph|gcfg)/.*|prof-data/profile_state\.json")
_RAW = re.compile(r".*\.bin", re.IGNORECASE)
MAX_KEPT, MAX_TABLE = 1 << 20, 4 << 20
SURE = 60
"""How sure a reader must be to take a member."""


class Hltv:
    """The profiler's archive, or any archive with traces."""

    name, title, suffixes = "hltv", "HLTV archive", (".hltv", ".zip", ".tar", ".tgz", ".tar.gz")

    def sniff(self, head: bytes) -> int:
        del head  # archives are told apart from texts before readers are asked
        return 0

    def read(self, source: ByteSource, build: TraceBuilder, progress: Progress) -> Contents:
        if not isinstance(source, FileSource):
            raise UnrecognizedFormat(f"{source.path}: an archive within an archive.", hint="Unpack the outer one first.")
        found = _Found(log=build.log)
        head = source.read(0, HEAD_BYTES)
        with closing(GrowingText(source.file, lambda: found.texts(source.file, head, progress), TEXT)) as growing:
            text = growing.settle()
        traces = found.chosen()
        if not traces:
            raise found.refusal(source.file)
        properties = found.tables(text, traces)
        _report(found, traces, build)
        return read_traces(traces, text, properties, build, progress)


class _Found(Struct):
    """What the archive holds."""

    log: DiagnosticLog
    traces: list[Trace] = field(default_factory=list)
    raw: list[str] = field(default_factory=list)
    other: list[str] = field(default_factory=list)
    known: list[str] = field(default_factory=list)
    properties: dict[str, Any] = field(default_factory=dict)
    damaged: list[str] = field(default_factory=list)

    def texts(self, file: Path, head: bytes, progress: Progress) -> Iterator[bytes]:
        """The texts of all traces behind each other, while everything else is noted."""
        at = 0
        for member in self._members(file, head):
            progress.check()
            name = member.name.removeprefix("./")
            if name in _KEPT and member.size <= MAX_KEPT:
                self._keep(name, member)
                continue
            if _KNOWN.fullmatch(name):
                self.known.append(name)
                continue
            start = at
            for block in self._text(name, file, member):
                at += len(block)
                yield block
            if self.traces and self.traces[-1].size < 0:
                self.traces[-1] = Trace(name, self.traces[-1].reader, start, at - start)

    def _text(self, name: str, file: Path, member: Member) -> Iterator[bytes]:
        """The unpacked text of a member that is a trace, which is noted with size -1; nothing of others."""
        first = member.read(HEAD_BYTES)
        unpack = unpacker_of(first)
        if unpack is None:
            yield from self._plain(name, (first,), member.blocks())
            return
        room = max(RATIO_FROM, MAX_RATIO * file.stat().st_size)
        with closing(SpooledSource(_within(room, _joined(first, member.blocks()), file), file, text_directory())) as packed:
            log = DiagnosticLog()
            blocks = unpack(packed, log)
            try:
                yield from self._plain(name, (next(blocks, b""),), blocks)
            except TraceDamaged as error:
                self.damaged.append(f"{name}: {error.message}")
            self.damaged += [f"{name}: {told.message.rstrip('.')}" for told in log.freeze() if told.severity == "data-loss"]

    def _plain(self, name: str, begin: tuple[bytes, ...], blocks: Iterator[bytes]) -> Iterator[bytes]:
        first = b"".join(begin)
        while len(first) < HEAD_BYTES and (more := next(blocks, b"")):
            first += more
        wide = is_wide(first)
        reader = _reader_of(narrow_head(first) if wide else first)
        if reader is None:
            (self.raw if _RAW.fullmatch(name) else self.other).append(name)
            return
        self.traces.append(Trace(name, reader, 0, -1))
        text = _joined(first, blocks)
        yield from narrow(text, self.log) if wide else text

    def _members(self, file: Path, head: bytes) -> Iterator[Member]:
        """The members up to where the archive cannot be read on; that is an error only when no trace came before."""
        try:
            for member in members(file, head):
                yield member
                if member.damage:
                    self.damaged.append(f"{member.name}: {member.damage}")
        except TraceDamaged as error:
            if not self.traces:
                raise
            self.damaged.append(error.message)

    def _keep(self, name: str, member: Member) -> None:
        try:
            self.properties[_KEPT[name]] = orjson.loads(member.read(MAX_KEPT))
        except orjson.JSONDecodeError:
            self.other.append(name)

    def chosen(self) -> list[Trace]:
        """Our own parsed trace alone, as it holds everything; else all traces, and tables of nodes only when there is nothing else."""
        own = [trace for trace in self.traces if trace.name == OWN_TRACE]
        return own or [trace for trace in self.traces if trace.reader.name != ANALYZER] or self.traces

    def tables(self, text: FileSource, chosen: list[Trace]) -> dict[str, Any]:
        """The properties, with the rows of the analyzer where they are not the trace themselves."""
        for table in self.traces:
            if table.reader.name == ANALYZER and table not in chosen:
                try:
                    if table.size <= MAX_TABLE:
                        self.properties["trace_analyzer"] = orjson.loads(text.read(table.start, table.size))
                        continue
                except orjson.JSONDecodeError:
                    pass  # a CSV, or damaged: told like every member that is not read
                self.other.append(table.name)
        return self.properties

    def refusal(self, file: Path) -> UnrecognizedFormat:
        if self.damaged:
            what = f"{file}: the archive is damaged ({self.damaged[0].rstrip('.')}); no trace could be read."
            return UnrecognizedFormat(what, hint="Copy the file again.")
        if self.raw:
            what = f"{file}: holds only raw hardware data ({len(self.raw)} .bin), whose format is not public."
            hint = "Turn it into CSV on a machine with the vendor's software (synprof_parser), or record with --merged json."
            return UnrecognizedFormat(what, hint=hint)
        listed = ", ".join(self.other[:FIRST_PLACES]) or "nothing"
        what = f"{file}: an archive without a trace; it holds {listed}."
        return UnrecognizedFormat(what, hint="Pack a Chrome trace JSON or the profiler's CSV.")


def _reader_of(head: bytes) -> Reader | None:
    """The reader that is sure of a member."""
    reader = best_reader(head)
    return reader if reader is not None and reader.sniff(head) >= SURE else None


def _within(room: int, blocks: Iterator[bytes], file: Path) -> Iterator[bytes]:
    """The blocks, as long as they are not more bytes than ``room``."""
    for block in blocks:
        room -= len(block)
        if room < 0:
            message = f"{file}: one of its members unpacks to more than {MAX_RATIO} times the size of the archive."
            raise TraceError(message, hint="It is no trace, but a decompression bomb.")
        yield block


def _joined(first: bytes, blocks: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from blocks


def _report(found: _Found, traces: list[Trace], build: TraceBuilder) -> None:
    unread = [trace.name for trace in found.traces if trace not in traces and trace.reader.name != ANALYZER]
    log = build.log
    for code, names, message in (
        ("archive.raw_data", found.raw, "Raw hardware data that only the vendor's software reads."),
        ("archive.known_members", found.known, "Members of a recording that hold nothing to show: graphs, debug information, settings."),
        ("archive.other_members", found.other, "Members that are not read."),
        ("archive.parts", unread, "Traces that the parsed trace holds already."),
    ):
        log.add(code, "info", message, count=len(names), first=tuple(names))
    damaged, message = tuple(place.rstrip(".") for place in found.damaged), "Damaged members: what was read until there is here."
    log.add("archive.damaged", "data-loss", message, count=len(damaged), first=damaged, hint="Copy the file again.")
