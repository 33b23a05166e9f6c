"""Where events in any order become a Trace: readers and the recorder feed it, ``completion`` does the work.

    add_events, slice, begin ... -> completion -> Trace
"""

from __future__ import annotations

import numpy as np

from hlprof_core.diagnostics import DiagnosticLog
from hlprof_core.progress import Progress
from hlprof_core.trace.args import JoinedText, MemoryText
from hlprof_core.trace.completion import Fed, complete
from hlprof_core.trace.events import ENCLOSING, SCOPE_GLOBAL, SCOPE_PROCESS, EventBlock, SampleBlock
from hlprof_core.trace.feed import Arguments, EventFeed
from hlprof_core.trace.interner import Interner
from hlprof_core.trace.lives import Lives
from hlprof_core.trace.model import ArgsText, Origin, Trace
from hlprof_core.trace.owners import Id, Owners
from hlprof_core.trace.producers import rank_of
from hlprof_core.trace.slice_stacks import EventStacks, StackNotes
from hlprof_core.trace.stack_samples import SampleFeed
from hlprof_core.trace.survey import ASYNC, CLASS_OF_PHASE, FLOW
from hlprof_core.trace.table import I8

_SCOPE_FLAGS = {"thread": 0, "process": SCOPE_PROCESS, "global": SCOPE_GLOBAL}


class TraceBuilder:
    """Fed by readers and by the recorder. Rows are named by (pid, tid) as they come; times in int64 ns; ``args`` JSON-able or JSON text."""

    def __init__(self) -> None:
        self.log = DiagnosticLog()
        self._strings = Interner()
        self._owners = Owners()
        self._feed = EventFeed()
        self.lives = Lives(self.intern)
        """Takes what happens to objects."""
        self.stack_samples = SampleFeed(self.intern)
        """Takes samples of a profiler and their stacks."""
        self._blocks: list[EventBlock] = []
        self._samples: list[SampleBlock] = []
        self._stacks = StackNotes()
        self._id_suffix = ""
        self._fed_blocks: set[int] = set()
        """Which of the blocks came row by row: their arguments lie in ``_feed.text``."""

    def intern(self, text: str) -> int:
        """String id of a text; "" is 0."""
        return self._strings.intern(text)

    def begin_member(self, label: str, rank: int = -1) -> None:
        """What follows comes from another file of several: equal ids of processes, threads, flows and objects are not the same there.

        ``label`` is given to its processes; ``rank`` to its rows, -1 where it is unknown.
        """
        self._flush()
        self._owners.begin_member(label, rank)
        self.lives.id_suffix = self._id_suffix = f"@{label}"

    def row(self, pid: Id, tid: Id) -> int:
        """Builder row of (pid, tid); ids are opaque and 1 is not "1"."""
        return self._owners.row(pid, tid)

    def only_processes(self) -> dict[Id, Id]:
        """For each tid that only one process has so far, that process."""
        return self._owners.only_processes()

    def adopt_strings(self, data: bytes, offsets: I8) -> None:
        """Take a whole string table (text 0 is empty, texts are distinct); only before the first ``intern``."""
        self._strings.adopt(data, offsets)

    def add_events(self, block: EventBlock, stacks: EventStacks | None = None) -> None:
        """Events in file order; blocks of one file in file order. ``stacks``: call stacks of some of them, frames of ``stack_samples``."""
        self._flush()
        if stacks is not None:
            self._stacks.add(len(self._blocks), stacks)
        if len(block):
            if self._id_suffix:
                self._mark_ids(block)
            self._blocks.append(block)

    def _mark_ids(self, block: EventBlock) -> None:
        """Make the ids of asynchronous work and flows those of their file, in place."""
        kinds = CLASS_OF_PHASE[block.phase]
        places = np.flatnonzero(((kinds == ASYNC) | (kinds == FLOW)) & (block.id != 0))
        ids, number = np.unique(block.id[places], return_inverse=True)
        own = np.array([self.intern(self._strings[int(i)] + self._id_suffix) for i in ids], np.uint32)
        if len(places):
            block.id[places] = own[number]

    def add_samples(self, block: SampleBlock) -> None:
        """Counter samples in file order."""
        self._flush()
        if len(block):
            self._samples.append(block)

    def process(self, pid: Id, name: str | None = None, *, labels: tuple[str, ...] = (), sort_index: int | None = None) -> None:
        """Declare a process, also one without events."""
        self._owners.declare_process(pid, name, labels, sort_index)

    def thread(self, pid: Id, tid: Id, name: str | None = None, *, sort_index: int | None = None) -> None:
        """Declare a thread; it is shown even when nothing happens on it."""
        self._owners.declare_thread(pid, tid, name, sort_index)

    def slice(self, pid: Id, tid: Id, start_ns: int, dur_ns: int | None, name: str, *, cat: str = "", args: Arguments = None) -> None:
        """A whole slice; ``dur_ns`` None: unfinished."""
        self._feed.event("X", start_ns, self.row(pid, tid), dur_ns=dur_ns, name=self.intern(name), cat=self.intern(cat), args=args)

    def begin(self, pid: Id, tid: Id, time_ns: int, name: str, *, cat: str = "", args: Arguments = None) -> int:
        """Start of a slice that an ``end`` of the same row closes. Returns its number for ``complete``."""
        return self._feed.event("B", time_ns, self.row(pid, tid), name=self.intern(name), cat=self.intern(cat), args=args)

    def complete(self, number: int, end_ns: int, args: Arguments = None) -> None:
        """Make what ``begin`` started a whole slice with these arguments, for slices that cross others. Only while events are given one by
        one: not after ``add_events``, ``add_samples`` or ``begin_member``."""
        self._feed.complete(number, end_ns, args)

    def end(self, pid: Id, tid: Id, time_ns: int, name: str = "", *, args: Arguments = None) -> None:
        """End of the innermost open slice of that name; "": of the innermost one."""
        self._feed.event("E", time_ns, self.row(pid, tid), name=self.intern(name), args=args)

    def instant(
        self, pid: Id, tid: Id, time_ns: int, name: str, *, cat: str = "", scope: str = "thread", args: Arguments = None
    ) -> None:
        """A moment; ``scope`` is thread, process or global."""
        flags = _SCOPE_FLAGS[scope]
        self._feed.event("i", time_ns, self.row(pid, tid), name=self.intern(name), cat=self.intern(cat), args=args, flags=flags)

    def counter(self, pid: Id, time_ns: int, name: str, values: dict[str, float], *, counter_id: str = "") -> None:
        """One sample of each series of a counter."""
        row, name_id, number = self.row(pid, pid), self.intern(name), self.intern(counter_id)
        for series, value in values.items():
            self._feed.sample(time_ns, row, name_id, self.intern(series), number, value)

    def flow(
        self, phase: str, pid: Id, tid: Id, time_ns: int, flow_id: Id, *, name: str = "", cat: str = "", enclosing: bool = True
    ) -> None:
        """``phase`` is s, t or f."""
        flags = ENCLOSING if enclosing else 0
        number = self.intern(f"{flow_id}{self._id_suffix}")
        self._feed.event(phase, time_ns, self.row(pid, tid), name=self.intern(name), cat=self.intern(cat), event_id=number, flags=flags)

    def finish(self, origin: Origin, args_text: ArgsText | None = None, progress: Progress | None = None) -> Trace:
        """Everything fed so far as a Trace; the builder is used up.

        ``args_text``: where the argument offsets of added blocks point; arguments given row by row are kept in memory behind them.
        """
        text = self._join_texts(args_text)
        stacks = self._stacks.join([len(block) for block in self._blocks])
        fed = Fed(self.log, self._strings, self._owners, self._blocks, self._samples, stacks, self.lives, self.stack_samples)
        return complete(fed, origin, rank_of(origin.properties), text, progress or Progress())

    def _flush(self) -> None:
        """Close the block of events given row by row, so that the order of all events is kept."""
        block = self._feed.take_events()
        if block is not None:
            self._fed_blocks.add(len(self._blocks))
            self._blocks.append(block)
        samples = self._feed.take_samples()
        if samples is not None:
            self._samples.append(samples)

    def _join_texts(self, args_text: ArgsText | None) -> ArgsText:
        self._flush()
        memory = MemoryText(bytes(self._feed.text))
        if args_text is None:
            return memory
        if not memory.data:
            return args_text
        for index in self._fed_blocks:
            self._blocks[index].args_offset[:] += np.uint64(JoinedText.BORDER)
        return JoinedText(args_text, memory)
