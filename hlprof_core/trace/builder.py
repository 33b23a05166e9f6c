"""From events in any order to a Trace: the one place where begin meets end, rows get depths and arrows find their slices.

    add_events, slice, begin ... -> join -> stacking (threads), asynchronous, series, arrows -> screen -> assembly -> Trace
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hlprof_core.diagnostics import DiagnosticLog
from hlprof_core.progress import Progress
from hlprof_core.trace.args import JoinedText, MemoryText, decode
from hlprof_core.trace.arrows import bind_arrows
from hlprof_core.trace.assembly import collect_pieces, gather_instants, sort_into_lanes
from hlprof_core.trace.asynchronous import AsyncWork, gather_async
from hlprof_core.trace.events import ENCLOSING, NO_TIME, SCOPE_GLOBAL, SCOPE_PROCESS, EventBlock, SampleBlock
from hlprof_core.trace.feed import Arguments, EventFeed, join_blocks, join_samples, saturated_sum
from hlprof_core.trace.interner import Interner
from hlprof_core.trace.layout_report import LayoutReport
from hlprof_core.trace.lives import Lives
from hlprof_core.trace.model import ArgsText, Origin, Trace
from hlprof_core.trace.owners import Id, Owners
from hlprof_core.trace.ranges import TimeRange
from hlprof_core.trace.screen import order_screen
from hlprof_core.trace.series import CounterSeries, gather_series
from hlprof_core.trace.slice_stacks import EventStacks, StackNotes
from hlprof_core.trace.stack_samples import SampleFeed
from hlprof_core.trace.stacking import group_by_row, match_events, nest_slices
from hlprof_core.trace.table import I1, I8, U4, Counters, Flows, freeze

SLICE, INSTANT, ASYNC, FLOW, IGNORED = 1, 2, 3, 4, 5
_CLASS = np.full(256, IGNORED, np.uint8)
for _kind, _phases in ((SLICE, b"BEX"), (INSTANT, b"iIR"), (ASYNC, b"bneSTpF"), (FLOW, b"stf")):
    _CLASS[list(_phases)] = _kind
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
        self._fed_blocks: set[int] = set()
        """Which of the blocks came row by row: their arguments lie in ``_feed.text``."""

    def intern(self, text: str) -> int:
        """String id of a text; "" is 0."""
        return self._strings.intern(text)

    def row(self, pid: Id, tid: Id) -> int:
        """Builder row of (pid, tid); ids are opaque and 1 is not "1"."""
        return self._owners.row(pid, tid)

    def adopt_strings(self, data: bytes, offsets: I8) -> None:
        """Take a whole string table (text 0 is empty, texts are distinct); only before the first ``intern``."""
        self._strings.adopt(data, offsets)

    def add_events(self, block: EventBlock, stacks: EventStacks | None = None) -> None:
        """Events in file order; blocks of one file in file order. ``stacks``: call stacks of some of them, frames of ``stack_samples``."""
        self._flush()
        if stacks is not None:
            self._stacks.add(len(self._blocks), stacks)
        if len(block):
            self._blocks.append(block)

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

    def begin(self, pid: Id, tid: Id, time_ns: int, name: str, *, cat: str = "", args: Arguments = None) -> None:
        """Start of a slice that an ``end`` of the same row closes."""
        self._feed.event("B", time_ns, self.row(pid, tid), name=self.intern(name), cat=self.intern(cat), args=args)

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
        number = self.intern(str(flow_id))
        self._feed.event(phase, time_ns, self.row(pid, tid), name=self.intern(name), cat=self.intern(cat), event_id=number, flags=flags)

    def finish(self, origin: Origin, args_text: ArgsText | None = None, progress: Progress | None = None) -> Trace:
        """Everything fed so far as a Trace; the builder is used up.

        ``args_text``: where the argument offsets of added blocks point; arguments given row by row are kept in memory behind them.
        """
        progress = progress or Progress()
        self._flush()
        stacks = self._stacks.join([len(block) for block in self._blocks])
        events, text = self._join_events(args_text)
        samples = join_samples(self._samples)
        total = len(events)
        progress.report("layout", 0, total)
        names = len(self._strings)
        kind = _CLASS[events.phase]
        report = LayoutReport(self.log, events, self._owners, self._strings)
        usable = events.ts_ns != NO_TIME
        if not usable.all():
            report.bad_times(~usable)
            kind[~usable] = 0
        report.ignored(kind == IGNORED)
        counts = np.bincount(kind, minlength=IGNORED + 1)
        extent = _find_extent(events, samples, kind)
        trace_end = extent.end_ns if extent else 0

        mask = (kind == SLICE).view(np.uint8)
        order, offsets = group_by_row(events.row, len(self._owners.rows), time=events.ts_ns, mask=mask, count=int(counts[SLICE]))
        progress.report("layout", total // 4, total)
        matched = match_events(order, offsets, events.phase, events.ts_ns, events.dur_ns, events.name, names, trace_end)
        del order, mask
        nested = nest_slices(matched.offsets, matched.start, matched.end, trace_end)
        progress.report("layout", total // 2, total)

        row_process = np.array([row.process for row in self._owners.rows], np.uint32)
        asynchronous = self._gather_async(events, kind, trace_end, row_process, text)
        series = gather_series(samples, row_process, self._strings.__getitem__)
        instants = np.flatnonzero(kind == INSTANT).astype(np.uint32)
        rows = len(self._owners.rows)
        shown = np.diff(matched.offsets) > 0
        shown |= np.bincount(events.row[instants], minlength=rows) > 0
        rank = _rank_of(origin)
        screen = order_screen(self._owners, set(np.flatnonzero(shown).tolist()), asynchronous.tracks, series.tracks, rank)

        height = np.zeros(len(screen.tracks), np.int64)
        on_screen = screen.track_of_row >= 0
        height[screen.track_of_row[on_screen]] = nested.height[on_screen]
        height[screen.track_of_async] = [track.height for track in asynchronous.tracks]
        pieces = collect_pieces(matched, nested, asynchronous, screen, events)
        flow_events = np.flatnonzero(kind == FLOW).astype(np.uint32)
        arrow_from, arrow_to, arrow_event, loose = bind_arrows(
            events, flow_events, matched.offsets, matched.start, matched.end
        )
        report.layout(matched, nested, asynchronous, loose)
        progress.report("layout", 3 * total // 4, total)
        slices, end_args, lanes, number, (slice_stacks, elsewhere) = sort_into_lanes(pieces, height, events, stacks)
        report.other_stacks(elsewhere)
        flows = _renumber_arrows(events, number, arrow_from, arrow_to, arrow_event)
        report.bad_samples(series.bad_times)
        objects = self.lives.finish(self.log)
        stack_samples, frames = self.stack_samples.finish()
        trace = Trace(
            origin=origin,
            strings=self._strings.freeze(),
            processes=screen.processes,
            tracks=screen.tracks,
            series=_finish_series(series, screen.track_of_counter),
            slices=slices,
            end_args=end_args,
            lanes=lanes,
            instants=gather_instants(events, instants, asynchronous, screen),
            counters=Counters(series.time_ns, series.value, series.offsets),
            flows=flows,
            args_text=text,
            objects=objects,
            stack_samples=stack_samples,
            frames=frames,
            diagnostics=self.log.freeze(),
            extent=extent,
            slice_stacks=slice_stacks,
        )
        for table in (trace.slices, trace.end_args, trace.lanes, trace.instants, trace.counters, trace.flows,
                      trace.objects, trace.stack_samples, trace.frames, trace.slice_stacks):  # fmt: skip
            freeze(table)
        progress.report("layout", total, total)
        return trace

    def _flush(self) -> None:
        """Close the block of events given row by row, so that the order of all events is kept."""
        block = self._feed.take_events()
        if block is not None:
            self._fed_blocks.add(len(self._blocks))
            self._blocks.append(block)
        samples = self._feed.take_samples()
        if samples is not None:
            self._samples.append(samples)

    def _join_events(self, args_text: ArgsText | None) -> tuple[EventBlock, ArgsText]:
        self._flush()
        memory = MemoryText(bytes(self._feed.text))
        text: ArgsText = memory
        if args_text is not None:
            text = args_text
            if memory.data:
                text = JoinedText(args_text, memory)
                for index in self._fed_blocks:
                    self._blocks[index].args_offset[:] += np.uint64(JoinedText.BORDER)
        events = join_blocks(self._blocks)
        self._blocks = []
        return events, text

    def _gather_async(self, events: EventBlock, kind: I1, trace_end: int, row_process: U4, text: ArgsText) -> AsyncWork:
        def step_name(event: int, name: int) -> int:
            arguments = decode(text, int(events.args_offset[event]), int(events.args_length[event]))
            step = arguments.get("step")
            return self._strings.intern(str(step)) if isinstance(step, (str, int, float)) else name

        select = np.flatnonzero(kind == ASYNC).astype(np.uint32)
        return gather_async(
            events, select, trace_end, row_process=row_process, text=self._strings.__getitem__, step_name=step_name
        )


def _find_extent(events: EventBlock, samples: SampleBlock, kind: I1) -> TimeRange | None:
    """First to last moment of all that can be placed in time, ends without a begin included."""
    first, last = [], []
    placed = kind > 0
    if placed.any():
        times = events.ts_ns if placed.all() else events.ts_ns[placed]
        first.append(int(times.min()))
        last.append(int(times.max()))
        lasting = events.dur_ns > 0  # NO_TIME is negative
        lasting &= placed
        if lasting.any():
            last.append(int(saturated_sum(events.ts_ns[lasting], events.dur_ns[lasting]).max()))
    sampled = samples.time_ns[samples.time_ns != NO_TIME]
    if len(sampled):
        first.append(int(sampled.min()))
        last.append(int(sampled.max()))
    return TimeRange(min(first), max(last)) if first else None


def _rank_of(origin: Origin) -> int:
    """Rank of the process group, where the file states it."""
    info = origin.properties.get("distributedInfo")
    rank = info.get("rank") if isinstance(info, dict) else None
    return rank if isinstance(rank, int) and not isinstance(rank, bool) else -1


def _finish_series(series: CounterSeries, track_of_counter: I8) -> tuple[Any, ...]:
    from hlprof_core.trace.tracks import Series

    return tuple(
        Series(number, int(track_of_counter[track]), series.tracks[track].name, name, series.tracks[track].counter_id)
        for number, (track, name) in enumerate(zip(series.track, series.name, strict=True))
    )


def _renumber_arrows(events: EventBlock, number: I8, arrow_from: I8, arrow_to: I8, arrow_event: U4) -> Flows:
    source, target = number[arrow_from], number[arrow_to]
    kept = (source >= 0) & (target >= 0)
    event = arrow_event[kept]
    return Flows(source[kept].astype(np.uint32), target[kept].astype(np.uint32), events.name[event], events.cat[event], events.id[event])

