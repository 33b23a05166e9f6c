"""What building a trace has to tell: each thing passed over, moved or completed, counted with its first places."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hlprof_core.diagnostics import FIRST_PLACES, DiagnosticLog, Severity
from hlprof_core.trace.asynchronous import AsyncWork
from hlprof_core.trace.events import EventBlock
from hlprof_core.trace.interner import Interner
from hlprof_core.trace.owners import Owners
from hlprof_core.trace.stacking import Matched, Nested, Places

BAD_TIME = "Events without a readable time were left out."
TOO_DEEP = "Slices nested deeper than 65536 were left out."


class LayoutReport:
    """Turns what the steps of building found into diagnostics."""

    def __init__(self, log: DiagnosticLog, events: EventBlock, owners: Owners, strings: Interner) -> None:
        self._log = log
        self._events = events
        self._owners = owners
        self._strings = strings

    def bad_times(self, bad: npt.NDArray[np.bool_]) -> None:
        """Events without a usable time."""
        places = np.flatnonzero(bad)
        first = tuple(f"{self._name(int(i))!r}, event {int(i)}" for i in places[:FIRST_PLACES])
        self._log.add("read.bad_ts", "data-loss", BAD_TIME, count=len(places), first=first)

    def bad_samples(self, count: int) -> None:
        """Counter samples without a usable time."""
        self._log.add("read.bad_ts", "data-loss", BAD_TIME, count=count)

    def other_stacks(self, count: int) -> None:
        """Events with a call stack that are no slices."""
        self._log.add("layout.other_stack", "notice", "Call stacks of events that are no slices were left out.", count=count)

    def ignored(self, ignored: npt.NDArray[np.bool_]) -> None:
        """Events of a phase that no table holds."""
        count = int(np.count_nonzero(ignored))
        if count:
            phases = ", ".join(chr(int(p)) for p in np.unique(self._events.phase[ignored]))
            self._log.add("layout.not_shown", "notice", f"Events of phase {phases} are not shown.", count=count)

    def layout(self, matched: Matched, nested: Nested, asynchronous: AsyncWork, loose_marks: Places) -> None:
        """What matching, nesting and binding had to decide."""

        def of_slices(places: Places) -> Places:
            return places[0], [int(matched.source[i]) for i in places[1]]

        overlap = "Slices that overlap without nesting are on rows of their own."
        by_outer = "Slices without an end of their own end with the slice around them."
        unfinished = "Slices without an end are drawn to the end of their parent or of the trace."
        self._tell("layout.overlap", "notice", overlap, of_slices(nested.overlaps))
        for strays in (matched.strays, asynchronous.strays):
            self._tell("layout.stray_end", "notice", "End events without an open slice were passed over.", strays)
        self._tell("layout.closed_by_outer", "notice", by_outer, matched.closed_by_outer)
        for open_ends in (matched.unfinished, asynchronous.unfinished):
            self._tell("layout.unfinished", "notice", unfinished, open_ends)
        self._tell("read.negative_dur", "notice", "Negative durations were taken as zero.", matched.negative)
        self._tell("layout.unbound_flow", "notice", "Flow events without a slice or a partner give no arrow.", loose_marks)
        self._tell("layout.too_deep", "data-loss", TOO_DEEP, of_slices(nested.dropped))
        self._log.add("layout.too_deep", "data-loss", TOO_DEEP, count=int(np.count_nonzero(asynchronous.depth < 0)))

    def _tell(self, code: str, severity: Severity, message: str, places: Places) -> None:
        first = tuple(self._place(event) for event in places[1])
        self._log.add(code, severity, message, count=places[0], first=first)

    def _name(self, event: int) -> str:
        return self._strings[int(self._events.name[event])]

    def _place(self, event: int) -> str:
        row = self._owners.rows[int(self._events.row[event])]
        pid = self._owners.processes[row.process].pid
        return f"{self._name(event)!r} at {int(self._events.ts_ns[event])} ns, pid {pid} tid {row.tid}"
