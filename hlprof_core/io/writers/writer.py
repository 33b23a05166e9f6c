"""What a writer is, the list of all of them, and how a trace is written with one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import BinaryIO, Protocol

from msgspec import Struct, field

from hlprof_core.diagnostics import Diagnostic, DiagnosticLog
from hlprof_core.errors import UsageError
from hlprof_core.progress import Progress
from hlprof_core.registry import Registry
from hlprof_core.replacement import replaced_whole
from hlprof_core.trace.model import Trace


class Export(Struct):
    """One writing: the trace, members that only archives take, and what the format could not hold."""

    trace: Trace
    extras: Mapping[str, bytes] = field(default_factory=dict)
    container: str = "tar"
    progress: Progress = field(default_factory=Progress)
    log: DiagnosticLog = field(default_factory=DiagnosticLog)
    folder: Path = Path()
    """Where temporary files belong: beside the target, so that they take room where the result does."""


class Writer(Protocol):
    """One format."""

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def suffixes(self) -> tuple[str, ...]:
        """With their dot; the longest that fits a file name counts."""
        ...

    def write(self, export: Export, out: BinaryIO) -> None:
        """Write the whole trace; what the format has no place for goes to ``export.log``."""
        ...


@cache
def writers() -> Registry[Writer]:
    """All writers."""
    from hlprof_core.io.writers.chrome_json import ChromeJsonGzWriter, ChromeJsonWriter
    from hlprof_core.io.writers.gaudi_csv import GaudiCsvWriter
    from hlprof_core.io.writers.hltv import HltvWriter

    registry: Registry[Writer] = Registry("format")
    for writer in (ChromeJsonWriter(), ChromeJsonGzWriter(), HltvWriter(), GaudiCsvWriter()):
        registry.add(writer.name, writer)
    return registry


def find_writer(path: Path, others: Iterable[str] = ()) -> Writer:
    """The writer for a file name; the longest suffix counts. ``others``: further suffixes that the caller knows, for the error."""
    name = path.name.lower()
    fitting = [(len(suffix), writer) for writer in writers() for suffix in writer.suffixes if name.endswith(suffix)]
    if not fitting:
        known = " ".join([*(suffix for writer in writers() for suffix in writer.suffixes), *others])
        raise UsageError(f"{path}: no trace format has this suffix.", hint=f"Known: {known}.")
    return max(fitting, key=lambda pair: pair[0])[1]


def write_trace(
    trace: Trace,
    path: Path | str,
    *,
    extras: Mapping[str, bytes] | None = None,
    container: str = "tar",
    progress: Progress | None = None,
) -> tuple[Diagnostic, ...]:
    """Write a trace in the format of the suffix; returns what that format could not hold.

    ``extras``: further members of an archive (.hltv), by name. ``container``: ``tar`` (gzip) or ``zip``, for .hltv.
    ``ExportError`` when it cannot be written; what stood there before is untouched then.
    """
    path = Path(path)
    writer = find_writer(path)
    export = Export(trace, extras or {}, container, progress or Progress(), folder=path.parent)
    with replaced_whole(path) as temporary, temporary.open("wb") as out:
        writer.write(export, out)
    return export.log.freeze()


def tell_profile_loss(trace: Trace, log: DiagnosticLog) -> None:
    """For formats without a place for objects, samples and call stacks."""
    for code, what, count in (
        ("export.objects", "Objects", len(trace.objects)),
        ("export.samples", "Samples of a profiler", len(trace.stack_samples)),
        ("export.stacks", "Call stacks of slices", len(trace.slice_stacks)),
    ):
        log.add(code, "data-loss", f"{what} have no place in this format.", count=count, hint="Write .json to keep them.")
