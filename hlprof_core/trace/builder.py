"""From events in any order to a Trace: the one place where begin meets end, rows get depths and arrows find their slices."""

from __future__ import annotations

from typing import Any

from hlprof_core.diagnostics import DiagnosticLog
from hlprof_core.progress import Progress
from hlprof_core.trace.events import EventBlock, SampleBlock
from hlprof_core.trace.model import ArgsText, Origin, Trace
from hlprof_core.trace.table import I8

Id = str | int


class TraceBuilder:
    """Fed by readers and by the recorder. Rows are named by (pid, tid) as they come; times in int64 ns; ``args`` JSON-able or JSON bytes."""

    def __init__(self) -> None:
        self.log = DiagnosticLog()

    def intern(self, text: str) -> int:
        """String id of a text; "" is 0."""
        raise NotImplementedError

    def row(self, pid: Id, tid: Id) -> int:
        """Builder row of (pid, tid); ids are opaque and 1 is not "1"."""
        raise NotImplementedError

    def adopt_strings(self, data: bytes, offsets: I8) -> None:
        """Take a whole string table (text 0 is empty, texts are distinct); only before the first ``intern``."""
        raise NotImplementedError

    def add_events(self, block: EventBlock) -> None:
        """Events in file order; blocks of one file in file order."""
        raise NotImplementedError

    def add_samples(self, block: SampleBlock) -> None:
        raise NotImplementedError

    def process(self, pid: Id, name: str | None = None, *, labels: tuple[str, ...] = (), sort_index: int | None = None) -> None:
        """Declare a process, also one without events."""
        raise NotImplementedError

    def thread(self, pid: Id, tid: Id, name: str | None = None, *, sort_index: int | None = None) -> None:
        raise NotImplementedError

    def slice(self, pid: Id, tid: Id, start_ns: int, dur_ns: int | None, name: str, *, cat: str = "", args: dict[str, Any] | bytes | None = None) -> None:
        """A whole slice; ``dur_ns`` None: unfinished."""
        raise NotImplementedError

    def begin(self, pid: Id, tid: Id, time_ns: int, name: str, *, cat: str = "", args: dict[str, Any] | bytes | None = None) -> None:
        raise NotImplementedError

    def end(self, pid: Id, tid: Id, time_ns: int, name: str = "", *, args: dict[str, Any] | bytes | None = None) -> None:
        raise NotImplementedError

    def instant(self, pid: Id, tid: Id, time_ns: int, name: str, *, cat: str = "", scope: str = "thread", args: dict[str, Any] | bytes | None = None) -> None:
        raise NotImplementedError

    def counter(self, pid: Id, time_ns: int, name: str, values: dict[str, float], *, counter_id: str = "") -> None:
        raise NotImplementedError

    def flow(self, phase: str, pid: Id, tid: Id, time_ns: int, flow_id: Id, *, name: str = "", cat: str = "", enclosing: bool = True) -> None:
        """``phase`` is s, t or f."""
        raise NotImplementedError

    def finish(self, origin: Origin, args_text: ArgsText | None = None, progress: Progress | None = None) -> Trace:
        """Everything fed so far as a Trace; the builder is used up.

        ``args_text``: where the argument offsets of added blocks point; arguments given row by row are kept in memory behind them.
        """
        raise NotImplementedError
