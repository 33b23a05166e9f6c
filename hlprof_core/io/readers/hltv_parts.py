"""The traces of an archive as one: processes of different members never merge, clocks are aligned where the members state their base."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from hlprof_core.io.readers.chrome_json import ChromeJson, Document, Part, feed_builder
from hlprof_core.io.readers.gaudi_nodes import GaudiNodes
from hlprof_core.io.readers.reader import Contents, Reader
from hlprof_core.io.source import FileSource
from hlprof_core.progress import Progress
from hlprof_core.trace.builder import TraceBuilder
from hlprof_core.trace.producers import rank_in_name, rank_of

ANALYZER = GaudiNodes.name
MAX_DELAY_NS = 1 << 60
"""Bases further apart than this (36 years) are no clocks of one run."""


class Trace(Struct, frozen=True):
    """A member: where its text lies in the text of the archive."""

    name: str
    reader: Reader
    start: int
    size: int


class _Section:
    """A stretch of a text as a source of its own."""

    def __init__(self, text: FileSource, trace: Trace) -> None:
        self.path: Path | None = text.path
        self._text, self._start, self._size = text, trace.start, trace.size

    @property
    def size(self) -> int:
        return self._size

    def read(self, offset: int, length: int) -> bytes:
        return self._text.read(self._start + offset, max(0, min(length, self._size - offset)))

    def read_into(self, offset: int, buffer: memoryview) -> int:
        return self._text.read_into(self._start + offset, buffer[: max(0, self._size - offset)])


def read_traces(traces: list[Trace], text: FileSource, properties: dict[str, Any], build: TraceBuilder, progress: Progress) -> Contents:
    """Feed all of them to the builder. ``properties``: what the archive says beside its traces; a trace's own go behind them."""
    several = len(traces) > 1
    documents, about, parts = [], [], []
    texts = [trace for trace in traces if isinstance(trace.reader, ChromeJson)]
    for trace in texts:
        document = Document(_Section(text, trace), build, progress, None)
        document.walk()
        documents.append(document)
        about.append(document.contents())
    base_ns = next((contents.base_ns for contents in about if contents.base_ns is not None), None)
    for trace, contents in zip(texts, about, strict=True):
        delay = 0 if base_ns is None or contents.base_ns is None else contents.base_ns - base_ns
        if abs(delay) > MAX_DELAY_NS:
            message = "Members whose clock began too far from the first one's to be of the same run keep their times as they are."
            build.log.add("archive.other_clock", "notice", message, first=(trace.name,))
            delay = 0
        label = trace.name if several else ""
        parts.append(Part(trace.start, delay, label, _rank(trace.name, contents.properties) if several else -1))
    moved = sum(part.delay_ns != 0 for part in parts)
    build.log.add("archive.aligned", "info", "Members whose times were moved to the clock of the first one.", count=moved)
    if documents:
        feed_builder(documents, build, tuple(parts), progress)
    for trace in traces:
        if trace not in texts:
            if several:
                build.begin_member(trace.name, _rank(trace.name, {}))
            trace.reader.read(_Section(text, trace), build, progress)
    return Contents(base_ns, _join_properties(texts, about, properties), text)


def _rank(name: str, properties: Mapping[str, Any]) -> int:
    """The rank that a member states, else the one in its name (``rank3.json``)."""
    stated = rank_of(properties)
    return stated if stated >= 0 else rank_in_name(name)


def _join_properties(traces: list[Trace], about: list[Contents], archive: dict[str, Any]) -> dict[str, Any]:
    """What all traces say alike stays as it is; what they say differently goes under ``members`` and the name of each."""
    if not about:
        return archive
    first = about[0].properties
    common = {key: value for key, value in first.items() if all(c.properties.get(key) == value for c in about[1:])}
    own = {
        trace.name: {key: value for key, value in contents.properties.items() if key not in common}
        for trace, contents in zip(traces, about, strict=True)
    }
    joined = {**common, **archive}
    return joined | {"members": own} if any(own.values()) else joined
