"""What building a trace has to tell: each thing passed over, moved or completed, counted with its first places."""

from __future__ import annotations

from msgspec import Struct, field

from hlprof_core.diagnostics import DiagnosticLog, Severity
from hlprof_core.trace.interner import Interner
from hlprof_core.trace.owners import Owners
from hlprof_core.trace.ranges import TimeRange
from hlprof_core.trace.stacking import Places
from hlprof_core.trace.table import I8, U4

BAD_TIME = "Events without a readable time were left out."
TOO_DEEP = "Slices nested deeper than 65536 were left out."


class Tally(Struct):
    """Something that happened: how often, and where first, in words."""

    count: int = 0
    first: list[str] = field(default_factory=list)


class StackTallies(Struct):
    """What matching and nesting had to decide."""

    strays: Tally = field(default_factory=Tally)
    closed_by_outer: Tally = field(default_factory=Tally)
    unfinished: Tally = field(default_factory=Tally)
    negative: Tally = field(default_factory=Tally)
    overlaps: Tally = field(default_factory=Tally)
    dropped: Tally = field(default_factory=Tally)


class LayoutReport:
    """Turns what the steps of building found into diagnostics."""

    def __init__(self, log: DiagnosticLog, name: U4, time: I8, owners: Owners, strings: Interner) -> None:
        """``name``, ``time``: of the events."""
        self._log = log
        self._event_name = name
        self._time = time
        self._owners = owners
        self._strings = strings

    def bad_times(self, places: Places) -> None:
        """Events without a usable time."""
        first = tuple(f"{self._name(event)!r}, event {event}" for event in places[1])
        self._log.add("read.bad_ts", "data-loss", BAD_TIME, count=places[0], first=first)

    def bad_samples(self, count: int) -> None:
        """Counter samples without a usable time."""
        self._log.add("read.bad_ts", "data-loss", BAD_TIME, count=count)

    def other_stacks(self, count: int) -> None:
        """Events with a call stack that are no slices."""
        self._log.add("layout.other_stack", "notice", "Call stacks of events that are no slices were left out.", count=count)

    def ignored(self, count: int, phases: set[int]) -> None:
        """Events of a phase that no table holds."""
        if count:
            listed = ", ".join(chr(phase) for phase in sorted(phases))
            self._log.add("layout.not_shown", "notice", f"Events of phase {listed} are not shown.", count=count)

    def extent(self, extent: TimeRange | None) -> None:
        """Events so far apart that no window can hold all."""
        message = "The events lie over 292 years apart: a window shows those nearer than 146 years to the clock's zero."
        self._log.add("layout.too_far", "notice", message, count=int(extent is not None and extent.length_ns >= 1 << 63))

    def on_rows(self, places: Places, row: U4) -> Tally:
        """Places of events whose row can be told by ``row``."""
        return Tally(places[0], [self.on_row(event, int(row[event])) for event in places[1]])

    def on_row(self, event: int, row: int) -> str:
        """Where an event is."""
        owner = self._owners.rows[row]
        return self.place(event, str(self._owners.processes[owner.process].pid), str(owner.tid))

    def place(self, event: int, pid: str, tid: str) -> str:
        """Where an event is, in words."""
        return f"{self._name(event)!r} at {int(self._time[event])} ns, pid {pid} tid {tid}"

    def layout(self, threads: StackTallies, async_strays: Tally, async_unfinished: Tally, async_dropped: int, loose_marks: Tally) -> None:
        """What matching, nesting and binding had to decide."""
        overlap = "Slices that overlap without nesting are on rows of their own."
        by_outer = "Slices without an end of their own end with the slice around them."
        unfinished = "Slices without an end are drawn to the end of their parent or of the trace."
        self._tell("layout.overlap", "notice", overlap, threads.overlaps)
        for strays in (threads.strays, async_strays):
            self._tell("layout.stray_end", "notice", "End events without an open slice were passed over.", strays)
        self._tell("layout.closed_by_outer", "notice", by_outer, threads.closed_by_outer)
        for open_ends in (threads.unfinished, async_unfinished):
            self._tell("layout.unfinished", "notice", unfinished, open_ends)
        self._tell("read.negative_dur", "notice", "Negative durations were taken as zero.", threads.negative)
        self._tell("layout.unbound_flow", "notice", "Flow events without a slice or a partner give no arrow.", loose_marks)
        self._tell("layout.too_deep", "data-loss", TOO_DEEP, threads.dropped)
        self._log.add("layout.too_deep", "data-loss", TOO_DEEP, count=async_dropped)

    def _tell(self, code: str, severity: Severity, message: str, tally: Tally) -> None:
        self._log.add(code, severity, message, count=tally.count, first=tuple(tally.first))

    def _name(self, event: int) -> str:
        return self._strings[int(self._event_name[event])]
