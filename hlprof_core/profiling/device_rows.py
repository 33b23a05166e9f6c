"""Captures as rows of a trace: blocks of begin, end and instant events, one row for each engine that showed anything."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from hlprof_core.profiling.decode import Decoder
from hlprof_core.trace.events import NO_TIME, EventBlock

if TYPE_CHECKING:
    from hlprof_core.device import Engine, Generation
    from hlprof_core.profiling.capture import Capture
    from hlprof_core.trace.builder import TraceBuilder

PROCESSES = {"DMA": 1, "MME": 2, "TPC": 3, "NIC": 4}
ALWAYS_SHOWN = ("DMA", "MME", "TPC")
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
        for launch in capture.launches:
            begins = np.flatnonzero(phase[launch.first : launch.first + launch.count] == PHASES["begin"])
            if len(begins):
                row = launch.first + int(begins[0])
                work = (self._engines[events.engine[row]], int(events.time_ns[row]))
                self.first_work.setdefault((launch.kind, launch.enqueue), work)

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
