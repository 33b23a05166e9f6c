"""From all events to a Trace, in steps that can be followed and stopped; what a step has used up is given back before the next begins.

    join -> survey -> asynchronous, series, screen -> order by track -> pieces (threads) -> arrows, lanes -> Trace
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

import numpy as np
from msgspec import Struct

from hlprof_core._kernels import layout
from hlprof_core.diagnostics import FIRST_PLACES, DiagnosticLog
from hlprof_core.progress import Progress, Watch, run_watched
from hlprof_core.trace.args import decode
from hlprof_core.trace.arrows import draw_arrows, gather_marks
from hlprof_core.trace.assembly import AsyncPlaces, close_gaps, gather_instants, join_ends, join_lanes, join_stacks, new_slices
from hlprof_core.trace.asynchronous import AsyncWork, gather_async
from hlprof_core.trace.collector import collector_held
from hlprof_core.trace.crossing import take_crossing
from hlprof_core.trace.events import EventBlock, SampleBlock
from hlprof_core.trace.feed import COLUMNS, Joining, join_samples
from hlprof_core.trace.interner import Interner
from hlprof_core.trace.layout_report import LayoutReport, StackTallies, Tally
from hlprof_core.trace.lives import Lives
from hlprof_core.trace.model import ArgsText, Origin, Trace
from hlprof_core.trace.owners import Owners
from hlprof_core.trace.pieces import Laid, Work, cut_pieces, lay_piece
from hlprof_core.trace.ranges import TimeRange
from hlprof_core.trace.screen import Screen, order_screen
from hlprof_core.trace.series import CounterSeries, gather_series
from hlprof_core.trace.slice_stacks import EventStacks
from hlprof_core.trace.stack_samples import SampleFeed
from hlprof_core.trace.stacking import Places, group_by_row
from hlprof_core.trace.survey import Survey, survey_events
from hlprof_core.trace.table import I8, Counters, EndArgs, Slices, SliceStacks, freeze
from hlprof_core.trace.tracks import Series

T = TypeVar("T")

SMALL = 20_000
"""Events that are not worth a thread."""
MAX_THREADS = 8
UNITS = 6
"""How often each event is passed: join, survey, order, match, nest, settle."""
EVENT_BYTES = sum(np.dtype(kind).itemsize for kind in COLUMNS)
STACK_KINDS = ("strays", "closed_by_outer", "unfinished", "negative", "overlaps", "dropped")


class Fed(Struct):
    """Everything the builder was given. The blocks are used up."""

    log: DiagnosticLog
    strings: Interner
    owners: Owners
    blocks: list[EventBlock]
    samples: list[SampleBlock]
    stacks: EventStacks | None
    lives: Lives
    stack_samples: SampleFeed


class Around(Struct):
    """What is not a slice of a thread, and the owners of all."""

    asynchronous: AsyncWork
    series: CounterSeries
    screen: Screen
    places: AsyncPlaces


def complete(fed: Fed, origin: Origin, rank: int, text: ArgsText, progress: Progress) -> Trace:
    """The finished trace; ``rank`` is -1 where it is unknown. ``Cancelled`` when the user does not want it any more."""
    with collector_held():
        work = _Completion(fed, origin, rank, text, progress)
        trace = work.run()
    if not work.is_small:
        del work
        layout.give_back()
    return trace


class _Completion:
    def __init__(self, fed: Fed, origin: Origin, rank: int, text: ArgsText, progress: Progress) -> None:
        self.fed, self.origin, self.rank, self.text, self.progress = fed, origin, rank, text, progress
        self.total = sum(map(len, fed.blocks))
        self.passed = 0
        self.watch = Watch()
        self.threads = min(os.cpu_count() or 1, MAX_THREADS)
        self.is_small = self.total + sum(map(len, fed.samples)) + len(fed.owners.rows) < SMALL

    def report(self, done: int) -> None:
        """``done``: events of this pass."""
        self.progress.report("layout", self.passed + done, UNITS * self.total)

    def beside(self, job: Callable[[], T]) -> T:
        """Run it, in a thread of its own where there is much to do, and tell how far it is."""
        self.report(self.watch.done)
        if self.is_small:
            return job()
        return run_watched([job], lambda: self.report(self.watch.done), self.watch, 1)[0]

    def together(self, jobs: Sequence[Callable[[], T]], report: Callable[[], None]) -> list[T]:
        """Run them all, in several threads where there is much to do."""
        if self.is_small:
            return [job() for job in jobs]
        return run_watched(jobs, report, self.watch, self.threads)

    def run(self) -> Trace:
        fed = self.fed
        events = self.join()
        samples = self.beside(partial(join_samples, fed.samples))
        fed.samples.clear()
        self.passed += self.total
        survey = survey_events(events, samples, len(fed.owners.rows), self.report)
        self.passed += self.total
        report = LayoutReport(fed.log, events.name, events.ts_ns, fed.owners, fed.strings)
        report.bad_times(survey.bad_times)
        report.ignored(survey.ignored, survey.ignored_phases)
        around = self.beside(partial(self.find_owners, events, samples, survey))
        report.bad_samples(around.series.bad_times)
        async_strays = report.on_rows(around.asynchronous.strays, events.row)
        async_unfinished = report.on_rows(around.asynchronous.unfinished, events.row)
        instants = self.beside(partial(gather_instants, events, survey.instants, around.asynchronous, around.screen))
        work, lonely_ends = self.beside(partial(self.order, events, survey, around))
        strays = report.on_rows(lonely_ends, events.row)
        extent = survey.extent
        report.extent(extent)
        del events, samples, survey
        laid = self.lay(work)
        threads = _tell_stacks(laid, work, report, around.screen, strays)
        slices, end_args, stacks, bound = self.beside(partial(self.settle, laid, work, around, report))
        flows, loose = self.beside(partial(draw_arrows, work.marks, bound))
        marks = work.marks
        loose_marks = Tally(len(loose), [report.on_row(int(marks.event[i]), int(marks.row[i])) for i in loose[:FIRST_PLACES]])
        report.layout(threads, async_strays, async_unfinished, int(np.count_nonzero(around.asynchronous.depth < 0)), loose_marks)
        objects = self.beside(partial(fed.lives.finish, fed.log))
        stack_samples, frames = self.beside(fed.stack_samples.finish)
        trace = Trace(
            origin=self.origin,
            strings=self.beside(fed.strings.freeze),
            processes=around.screen.processes,
            tracks=around.screen.tracks,
            series=_finish_series(around.series, around.screen.track_of_counter),
            slices=slices,
            end_args=end_args,
            lanes=join_lanes(laid),
            instants=instants,
            counters=Counters(around.series.time_ns, around.series.value, around.series.offsets),
            flows=flows,
            args_text=self.text,
            objects=objects,
            stack_samples=stack_samples,
            frames=frames,
            diagnostics=fed.log.freeze(),
            extent=_widened(extent, stack_samples.time_ns),
            slice_stacks=stacks,
        )
        for table in (trace.slices, trace.end_args, trace.lanes, trace.instants, trace.counters, trace.flows,
                      trace.objects, trace.stack_samples, trace.frames, trace.slice_stacks):  # fmt: skip
            freeze(table)
        self.progress.report("layout", UNITS * self.total, UNITS * self.total)
        return trace

    def join(self) -> EventBlock:
        """All events, in the order of the file."""
        if len(self.fed.blocks) == 1:
            return self.fed.blocks.pop()
        joining = Joining(self.fed.blocks)
        self.together([partial(joining.work, self.watch.check)] * self.threads, lambda: self.report(joining.copied // EVENT_BYTES))
        return joining.result()

    def find_owners(self, events: EventBlock, samples: SampleBlock, survey: Survey) -> Around:
        """Asynchronous work and counters, and with them the order of the screen."""
        fed, owners = self.fed, self.fed.owners
        row_process = np.array([row.process for row in owners.rows], np.uint32)

        def step_name(event: int, name: int) -> int:
            arguments = decode(self.text, int(events.args_offset[event]), int(events.args_length[event]))
            step = arguments.get("step")
            return fed.strings.intern(str(step)) if isinstance(step, (str, int, float)) else name

        text, end = fed.strings.__getitem__, survey.extent.end_ns if survey.extent else 0
        asynchronous = gather_async(
            events, survey.asynchronous, end, row_process=row_process, text=text, step_name=step_name, check=self.watch.check
        )
        series = gather_series(samples, row_process, text, self.watch.check)
        shown = survey.begins_of_row > 0
        shown |= np.bincount(events.row[survey.instants], minlength=len(owners.rows)) > 0
        self.watch.check()
        rows = set(np.flatnonzero(shown).tolist())
        screen = order_screen(owners, rows, asynchronous.tracks, series.tracks, self.rank, self.origin.properties)
        return Around(asynchronous, series, screen, AsyncPlaces(asynchronous))

    def order(self, events: EventBlock, survey: Survey, around: Around) -> tuple[Work, Places]:
        """Events of slices track by track, and the place of each track's slices; and the ends on rows with nothing to see."""
        screen, count = around.screen, len(around.screen.tracks)
        marks = gather_marks(events, survey.flows, screen.track_of_row, count)
        self.watch.check()
        on_screen = screen.track_of_row >= 0
        is_engine = np.array([track.engine not in ("", "HOST") for track in screen.tracks] + [False])[screen.track_of_row]
        crossing = take_crossing(events, survey.mask, is_engine)
        message = "Slices with an id of their own: it pairs begins and ends of engines, and is not kept."
        self.fed.log.add("layout.slice_ids", "info", message, count=crossing.ids)
        begins = np.zeros(count, np.int64)
        begins[screen.track_of_row[on_screen]] = survey.begins_of_row[on_screen]
        room = begins.copy()
        room[screen.track_of_async] = around.places.counts
        track = np.where(on_screen, screen.track_of_row, count).astype(np.uint32)[events.row]
        wanted = int(survey.events_of_row.sum()) - len(crossing.end)
        order, offsets = group_by_row(track, count + 1, time=events.ts_ns, mask=survey.mask, count=wanted, watch=self.watch)
        lonely = order[offsets[count] :]
        stacked = None
        if self.fed.stacks is not None:
            stacked = np.zeros(len(events), bool)
            stacked[self.fed.stacks.event] = True
        work = Work(
            phase=events.phase,
            ts_ns=events.ts_ns,
            dur_ns=events.dur_ns,
            name=events.name,
            cat=events.cat,
            args_offset=events.args_offset,
            args_length=events.args_length,
            order=order,
            offsets=offsets[:-1],
            begins=begins,
            base=np.cumsum(room) - room,
            slices=new_slices(int(room.sum())),
            marks=marks,
            stacked=stacked,
            crossing=crossing,
            names=len(self.fed.strings),
            trace_end=survey.extent.end_ns if survey.extent else 0,
        )
        return work, (len(lonely), lonely[:FIRST_PLACES].tolist())

    def lay(self, work: Work) -> list[Laid]:
        """Slices of threads, piece by piece."""
        jobs = [partial(lay_piece, work, piece, self.watch) for piece in cut_pieces(work.offsets)]
        return self.together(jobs, lambda: self.report(self.watch.done))

    def settle(self, laid: list[Laid], work: Work, around: Around, report: LayoutReport) -> tuple[Slices, EndArgs, SliceStacks, I8]:
        """All slices and what hangs on them, and the slice of each flow mark in the order of ``work.marks.order``."""
        kept, bound = work.begins.copy(), np.full(len(work.marks.order), -1, np.int64)
        for piece in laid:
            kept[piece.tracks.start : piece.tracks.stop] = piece.kept
            bound[work.marks.offsets[piece.tracks.start] : work.marks.offsets[piece.tracks.stop]] = piece.bound
        if len(around.asynchronous.start):
            laid.append(around.places.settle(work, around.screen.track_of_async))
        self.watch.check()
        slices, number = close_gaps(work.slices, work.base, work.begins, kept)
        stacks, elsewhere = join_stacks(laid, number, self.fed.stacks, self.total)
        report.other_stacks(elsewhere)
        if number is not None:
            bound[bound >= 0] = number[bound[bound >= 0]]
        return slices, join_ends(laid, number, work.args_offset, work.args_length), stacks, bound


def _widened(extent: TimeRange | None, times: I8) -> TimeRange | None:
    """A time that holds these moments too; ``times`` ascend."""
    if not len(times):
        return extent
    first, last = int(times[0]), int(times[-1])
    return TimeRange(first, last) if extent is None else TimeRange(min(extent.start_ns, first), max(extent.end_ns, last))


def _tell_stacks(laid: list[Laid], work: Work, report: LayoutReport, screen: Screen, strays: Tally) -> StackTallies:
    """What the pieces found, with the first places in words. ``strays``: those on no track."""
    tallies = StackTallies(strays=strays)
    for piece in laid:
        for name in STACK_KINDS:
            count, events = getattr(piece, name)
            tally: Tally = getattr(tallies, name)
            tally.count += count
            for event in events[: FIRST_PLACES - len(tally.first)]:
                track = screen.tracks[_track_of(event, piece.tracks, work)]
                tally.first.append(report.place(event, track.pid, track.tid))
    return tallies


def _track_of(event: int, tracks: range, work: Work) -> int:
    """The one of these tracks that the event is on."""
    if len(tracks) == 1:
        return tracks.start
    offsets = work.offsets[tracks.start : tracks.stop + 1]
    at = int(np.flatnonzero(work.order[offsets[0] : offsets[-1]] == event)[0]) + int(offsets[0])
    return tracks.start + int(np.searchsorted(offsets, at, "right")) - 1


def _finish_series(series: CounterSeries, track_of_counter: I8) -> tuple[Series, ...]:
    return tuple(
        Series(number, int(track_of_counter[track]), series.tracks[track].name, name, series.tracks[track].counter_id)
        for number, (track, name) in enumerate(zip(series.track, series.name, strict=True))
    )
