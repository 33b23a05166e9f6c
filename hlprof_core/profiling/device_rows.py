"""Captures as rows of a trace: blocks of begin, end and instant events, one row for each engine that showed anything."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from hlprof_core.profiling.decode import Decoder
from hlprof_core.trace.events import NO_TIME, EventBlock
from hlprof_core.trace.table import I1, I8, U4

if TYPE_CHECKING:
    from hlprof_core.device import Engine, Generation
    from hlprof_core.profiling.buffer import RawEvents
    from hlprof_core.profiling.capture import Capture
    from hlprof_core.trace.builder import TraceBuilder

PROCESSES = {"DMA": 1, "MME": 2, "TPC": 3, "NIC": 4}
ALWAYS_SHOWN = ("DMA", "MME", "TPC")
STOPPED = "end of recording"
PHASES = {"begin": ord("B"), "end": ord("E"), "instant": ord("i")}


class DeviceRows:
    """Adds captures to a builder; ``first_work`` is the first begin of each launch or copy, with its engine and time in ns."""

    def __init__(self, builder: TraceBuilder, generation: Generation, device_id: int) -> None:
        self.first_work: dict[tuple[str, int], tuple[Engine, int]] = {}
        self._builder = builder
        self._engines = generation.engines
        self._decoder = Decoder(generation, device_id)
        self._row_of_engine = np.zeros(len(self._engines), np.uint32)
        self._declared: set[int] = set()

    def declare(self) -> None:
        """The processes that every trace shows."""
        for name in ALWAYS_SHOWN:
            self._builder.process(PROCESSES[name], name, sort_index=PROCESSES[name])

    def argument_text(self) -> bytes:
        """Where the arguments of all added events lie: once for each description."""
        return b"".join(d.args for d in self._decoder.descriptions)

    def add(self, capture: Capture) -> None:
        """All events of a capture."""
        events = capture.buffer.events()
        if not len(events):
            return
        self._declare_rows(np.unique(events.engine).tolist())
        numbers = np.zeros(len(events), np.uint32)
        for launch in capture.launches:
            rows = slice(launch.first, launch.first + launch.count)
            if launch.count:
                numbers[rows] = self._decoder.describe(launch, events.take(rows))
        # Arguments lie one after the other in the order of the descriptions, so later ones do not move earlier ones.
        descriptions = self._decoder.descriptions
        lengths = [len(d.args) for d in descriptions]
        offsets = [0, *accumulate(lengths[:-1])]
        phase = np.array([PHASES[d.signal.edge] for d in descriptions], np.uint8)[numbers]
        intern = self._builder.intern
        count = len(events)
        self._builder.add_events(
            EventBlock(
                phase=phase,
                ts_ns=events.time_ns,
                dur_ns=np.full(count, NO_TIME, np.int64),
                row=self._row_of_engine[events.engine],
                name=np.array([intern(d.name) for d in descriptions], np.uint32)[numbers],
                cat=np.array([intern("" if d.signal.edge == "end" else d.category) for d in descriptions], np.uint32)[numbers],
                id=np.zeros(count, np.uint32),
                args_offset=np.array(offsets, np.uint64)[numbers],
                args_length=np.array(lengths, np.uint32)[numbers],
                flags=np.zeros(count, np.uint8),
            )
        )
        self._end_what_runs(capture, events, phase, numbers)
        for launch in capture.launches:
            begins = np.flatnonzero(phase[launch.first : launch.first + launch.count] == PHASES["begin"])
            if len(begins):
                row = launch.first + int(begins[0])
                work = (self._engines[events.engine[row]], int(events.time_ns[row]))
                self.first_work.setdefault((launch.kind, launch.enqueue), work)

    def _end_what_runs(self, capture: Capture, events: RawEvents, phase: I1, numbers: U4) -> None:
        """End the work whose end was not seen where recording stopped, so that it does not reach into what came later."""
        stopped_ns = capture.end_ns if capture.buffer.full_since_ns is None else capture.buffer.full_since_ns
        if stopped_ns is None:
            return
        builder, cut = self._builder, 0
        for row, begun in open_begins(events, phase, self._node_of(numbers)):
            engine, end_ns = self._engines[events.engine[row]], max(stopped_ns, begun)
            name = self._decoder.descriptions[numbers[row]].name
            builder.end(PROCESSES[engine.engine_class], engine.index, end_ns, name, args={"ended by": STOPPED})
            cut += 1
        builder.log.add(
            "record.cut",
            "notice",
            "work that still ran when recording stopped is drawn up to that moment",
            count=cut,
            first=(f"{stopped_ns} ns",),
        )

    def _node_of(self, numbers: U4) -> I8:
        """The builder's id of each event's name: begin and end of one node meet by it."""
        intern = self._builder.intern
        return np.array([intern(d.name) for d in self._decoder.descriptions], np.int64)[numbers]

    def _declare_rows(self, numbers: list[int]) -> None:
        for number in numbers:
            if number in self._declared:
                continue
            self._declared.add(number)
            engine = self._engines[number]
            pid = PROCESSES[engine.engine_class]
            if engine.engine_class not in ALWAYS_SHOWN:
                self._builder.process(pid, engine.engine_class, sort_index=pid)
            self._builder.thread(pid, engine.index, engine.name, sort_index=engine.index)
            self._row_of_engine[number] = self._builder.row(pid, engine.index)


def open_begins(events: RawEvents, phase: I1, node: I8) -> list[tuple[int, int]]:
    """Row and time of each begin that no end of the same engine and node followed; an end without a begin ends nothing."""
    edges = phase != PHASES["instant"]
    keys = (events.engine.astype(np.int64) << 32) | node
    _, place = np.unique(keys, return_inverse=True)
    step = np.where(phase == PHASES["begin"], 1, -1) * edges
    rows = np.flatnonzero(edges)
    rows = rows[np.lexsort((step[rows], events.time_ns[rows]))]
    # Only engines and nodes where something is missing are looked at one by one: with more of one edge than of the other, or
    # with an end first.
    suspicious = np.bincount(place, weights=step) != 0
    groups, first = np.unique(place[rows], return_index=True)
    suspicious[groups[step[rows[first]] < 0]] = True
    rows = rows[suspicious[place[rows]]]
    running: dict[int, list[int]] = {}
    for row in rows.tolist():
        begun = running.setdefault(int(place[row]), [])
        if step[row] > 0:
            begun.append(row)
        elif begun:
            begun.pop()
    return [(row, int(events.time_ns[row])) for begun in running.values() for row in begun]
