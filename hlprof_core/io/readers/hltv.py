"""``.hltv`` and other archives (zip, tar, packed tar): the traces in them, and what the profiler put beside them.

    prof-data/hlprof/trace.json      the parsed trace as we write it: when it is there, it is the trace
    prof-data/host/host_trace.json   host events; any member that is Chrome JSON or the profiler's CSV is read
    prof-data/bin/*.bin              raw data, which needs the vendor's parser
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from hlprof_core.diagnostics import FIRST_PLACES
from hlprof_core.errors import TraceDamaged, UnrecognizedFormat
from hlprof_core.io.archive import Member, members
from hlprof_core.io.readers.chrome_json import ChromeJson, Document, feed_builder
from hlprof_core.io.readers.gaudi_csv import GaudiCsv
from hlprof_core.io.readers.reader import HEAD_BYTES, Contents
from hlprof_core.io.source import ByteSource, FileSource
from hlprof_core.io.spill import GrowingText
from hlprof_core.progress import Progress
from hlprof_core.trace.builder import TraceBuilder

OWN_TRACE = "prof-data/hlprof/trace.json"
TEXT = "archive"
"""Under this name the text of the traces lies in the cache."""
_KEPT = {"prof-data/config/prof_config.json": "prof_config", "prof-data/profile_state.json": "profile_state"}
_KNOWN = re.compile(r"prof-data/(config|debug-info|post-graph|gcfg)/.*|views/trace_analyzer\.json|prof-data/profile_state\.json")
_RAW = re.compile(r".*\.bin", re.IGNORECASE)
MAX_KEPT = 1 << 20


class Hltv:
    """The profiler's archive, or any archive with traces."""

    name, title, suffixes = "hltv", "HLTV archive", (".hltv", ".zip", ".tar", ".tgz", ".tar.gz")

    def sniff(self, head: bytes) -> int:
        del head  # archives are told apart from texts before readers are asked
        return 0

    def read(self, source: ByteSource, build: TraceBuilder, progress: Progress) -> Contents:
        if not isinstance(source, FileSource):
            raise UnrecognizedFormat(f"{source.path}: an archive within an archive.", hint="Unpack the outer one first.")
        found = _Found()
        head = source.read(0, HEAD_BYTES)
        with closing(GrowingText(source.file, lambda: found.texts(source.file, head, progress), TEXT)) as growing:
            text = growing.settle()
        traces = found.chosen()
        if not traces:
            raise found.refusal(source.file)
        _report(found, traces, build)
        return _read_traces(traces, text, found.properties, build, progress)


@dataclass(frozen=True, slots=True)
class _Trace:
    name: str
    is_json: bool
    start: int
    size: int


@dataclass(slots=True)
class _Found:
    """What the archive holds."""

    traces: list[_Trace] = field(default_factory=list)
    raw: list[str] = field(default_factory=list)
    other: list[str] = field(default_factory=list)
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
            elif _RAW.fullmatch(name):
                self.raw.append(name)
            elif not _KNOWN.fullmatch(name):
                first = member.read(HEAD_BYTES)
                is_json = ChromeJson().sniff(first) >= 90
                if not is_json and not GaudiCsv().sniff(first):
                    self.other.append(name)
                    continue
                start = at
                for block in (first, *member.blocks()):
                    at += len(block)
                    yield block
                self.traces.append(_Trace(name, is_json, start, at - start))

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

    def chosen(self) -> list[_Trace]:
        """Our own parsed trace alone, as it holds everything; else all traces."""
        return [trace for trace in self.traces if trace.name == OWN_TRACE] or self.traces

    def refusal(self, file: Path) -> UnrecognizedFormat:
        if self.damaged:
            what = f"{file}: the archive is damaged ({self.damaged[0]}); no trace could be read."
            return UnrecognizedFormat(what, hint="Copy the file again.")
        if self.raw:
            what = f"{file}: holds only raw hardware data ({len(self.raw)} .bin), whose format is not public."
            hint = "Turn it into CSV on a machine with the vendor's software (synprof_parser), or record with --merged json."
            return UnrecognizedFormat(what, hint=hint)
        listed = ", ".join(self.other[:FIRST_PLACES]) or "nothing"
        what = f"{file}: an archive without a trace; it holds {listed}."
        return UnrecognizedFormat(what, hint="Pack a Chrome trace JSON or the profiler's CSV.")


class _Section:
    """A stretch of a text as a source of its own."""

    def __init__(self, text: FileSource, trace: _Trace) -> None:
        self.path: Path | None = text.path
        self._text, self._start, self._size = text, trace.start, trace.size

    @property
    def size(self) -> int:
        return self._size

    def read(self, offset: int, length: int) -> bytes:
        return self._text.read(self._start + offset, max(0, min(length, self._size - offset)))

    def read_into(self, offset: int, buffer: memoryview) -> int:
        return self._text.read_into(self._start + offset, buffer[: max(0, self._size - offset)])


def _report(found: _Found, traces: list[_Trace], build: TraceBuilder) -> None:
    unread = [trace.name for trace in found.traces if trace not in traces]
    log = build.log
    for code, names, message in (
        ("archive.raw_data", found.raw, "Raw hardware data that only the vendor's software reads."),
        ("archive.other_members", found.other, "Members that are not read."),
        ("archive.parts", unread, "Traces that the parsed trace holds already."),
    ):
        log.add(code, "info", message, count=len(names), first=tuple(names))
    damaged, message = found.damaged, "Damaged members: what was read until there is here."
    log.add("archive.damaged", "data-loss", message, count=len(damaged), first=tuple(damaged), hint="Copy the file again.")


def _read_traces(traces: list[_Trace], text: FileSource, properties: dict[str, Any], build: TraceBuilder, progress: Progress) -> Contents:
    base_ns = None
    documents: list[Document] = []
    shifts: list[int] = []
    for trace in traces:
        if not trace.is_json:
            continue
        document = Document(_Section(text, trace), build, progress, None)
        document.walk()
        contents = document.contents()
        base_ns = contents.base_ns if base_ns is None else base_ns
        properties = {**contents.properties, **properties}
        documents.append(document)
        shifts.append(trace.start)
    if documents:
        feed_builder(documents, build, tuple(shifts))
    for trace in traces:
        if not trace.is_json:
            GaudiCsv().read(_Section(text, trace), build, progress)
    return Contents(base_ns, properties, text)
