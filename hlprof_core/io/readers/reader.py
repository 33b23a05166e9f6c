"""What a reader is: what it claims, what it yields, and the list of all of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Protocol

from msgspec import Struct, field

from hlprof_core.io.source import ByteSource
from hlprof_core.progress import Progress
from hlprof_core.registry import Registry
from hlprof_core.trace.builder import TraceBuilder
from hlprof_core.trace.model import ArgsText

HEAD_BYTES = 1 << 16
"""How much of a file ``sniff`` gets."""


class Contents(Struct, frozen=True):
    """What a file says beside its events. ``args_text``: where argument offsets point, None where all lie in memory."""

    base_ns: int | None = None
    properties: Mapping[str, Any] = field(default_factory=dict)
    args_text: ArgsText | None = None


class Reader(Protocol):
    """One format."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def suffixes(self) -> tuple[str, ...]: ...

    def sniff(self, head: bytes) -> int:
        """How sure it is, 0 to 100, from the first bytes of the file."""
        ...

    def read(self, source: ByteSource, build: TraceBuilder, progress: Progress) -> Contents:
        """Feed everything to the builder; what cannot be read goes to ``build.log``."""
        ...


@cache
def readers() -> Registry[Reader]:
    """All readers."""
    from hlprof_core.io.readers.chrome_json import ChromeJson
    from hlprof_core.io.readers.gaudi_csv import GaudiCsv
    from hlprof_core.io.readers.gaudi_nodes import GaudiNodes
    from hlprof_core.io.readers.hltv import Hltv
    from hlprof_core.io.readers.syn_buffer import SynBuffer

    registry: Registry[Reader] = Registry("format")
    for reader in (ChromeJson(), GaudiCsv(), GaudiNodes(), Hltv(), SynBuffer()):
        registry.add(reader.name, reader)
    return registry


def best_reader(head: bytes) -> Reader | None:
    """The reader that is surest of these first bytes, None when none claims them."""
    sureness, reader = max(((r.sniff(head), r) for r in readers()), key=lambda pair: pair[0])
    return reader if sureness > 0 else None
