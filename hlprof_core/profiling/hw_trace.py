"""The hardware probes: turn work into the events that the enabled trace units send, and feed the capture that runs."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from hlprof_core.profiling.buffer import RawEvents, TraceBuffer
from hlprof_core.profiling.capture import Capture, Launch
from hlprof_core.profiling.context_id import NULL_DESCRIPTOR, to_wire
from hlprof_core.profiling.units import INSTRUMENTS, Instrument
from hlprof_core.profiling.units.signal import WorkTimes
from hlprof_core.trace.table import I1, I8, U2

if TYPE_CHECKING:
    from hlprof_core.config.document import ProfConfig
    from hlprof_core.device import Engine, Generation
    from hlprof_core.synapse.shim import EngineWork

B1 = npt.NDArray[np.bool_]
MAX_SIGNALS = 8
"""More than any instrument has."""


class Probe(Struct, frozen=True):
    """The trace units of one engine. ``allowed``: which of the instrument's signals its enabled units can send."""

    number: int
    engine: Engine
    instrument: Instrument
    allowed: tuple[bool, ...]


def make_probes(generation: Generation, config: ProfConfig) -> dict[tuple[str, int], Probe]:
    """A probe for each engine that has at least one enabled trace unit, by (class, index)."""
    from hlprof_core.config.unit_tree import unit_tree

    groups = {unit: group.name for group in unit_tree(generation.name).groups for unit in group.units}
    class_group = {group.name for group in unit_tree(generation.name).groups}
    probes = {}
    for number, engine in enumerate(generation.engines):
        enabled = []
        for unit in engine.units:
            if unit in groups:
                is_on = config.is_unit_on(generation.name, groups[unit], unit)
            else:
                is_on = engine.engine_class not in class_group or config.is_unit_on(generation.name, engine.engine_class)
            if is_on:
                enabled.append(unit)
        instrument = INSTRUMENTS[engine.engine_class][generation.number]
        allowed = tuple(any(signal.unit in unit for unit in enabled) for signal in instrument.signals)
        if any(allowed):
            probes[engine.engine_class, engine.index] = Probe(number, engine, instrument, allowed)
    return probes


class HwTrace:
    """Collects captures. Work that is still on the device when a capture starts is seen by it too, as real probes would."""

    def __init__(self, probes: dict[tuple[str, int], Probe], buffer_bytes: int) -> None:
        self.probes = probes
        self._begins = np.zeros((1 + max((p.number for p in probes.values()), default=0), MAX_SIGNALS), bool)
        """Engine number and signal to: it begins work."""
        for probe in probes.values():
            for number, signal in enumerate(probe.instrument.signals):
                self._begins[probe.number, number] = signal.edge == "begin"
        self.buffer_bytes = buffer_bytes
        self.captures: list[Capture] = []
        self._recent: deque[tuple[int, str, int, Sequence[EngineWork]]] = deque()
        """End in ns, kind, number and work of enqueues that the device may not have finished."""

    @property
    def running(self) -> Capture | None:
        return self.captures[-1] if self.captures and self.captures[-1].is_open else None

    def start(self, label: str, now_ns: int) -> Capture:
        """Arm the units."""
        capture = Capture(label, now_ns, TraceBuffer(self.buffer_bytes))
        self.captures.append(capture)
        for _, kind, enqueue, work in self._recent:
            self._feed(capture, kind, enqueue, work)
        return capture

    def stop(self, now_ns: int) -> None:
        """Disarm the units: nothing after ``now_ns`` was seen."""
        capture = self.captures[-1] if self.captures else None
        if capture is not None and (capture.end_ns is None or capture.end_ns > now_ns):
            capture.end_ns = now_ns
            self.trim(capture, now_ns)

    def record(self, kind: str, enqueue: int, work: Sequence[EngineWork], now_ns: int) -> Launch | None:
        """Work of one enqueue, as scheduled; its launch when a capture runs."""
        while self._recent and self._recent[0][0] <= now_ns:
            self._recent.popleft()
        end_ns = max((w.end_ns for w in work), default=0)
        self._recent.append((end_ns, kind, enqueue, work))
        # A capture that ends in the future (with the last launch of a range) still sees what else the device does until then.
        capture = self.captures[-1] if self.captures else None
        if capture is None or not (capture.is_open or now_ns < (capture.end_ns or 0)):
            return None
        return self._feed(capture, kind, enqueue, work)

    def _feed(self, capture: Capture, kind: str, enqueue: int, work: Sequence[EngineWork]) -> Launch | None:
        events = self.events_of(work, capture.start_ns, capture.end_ns)
        end_ns = max((w.end_ns for w in work), default=0)
        if not len(events):
            return None
        first = len(capture.buffer)
        count = capture.buffer.push(events)
        head = work[0]
        launch = Launch(kind, enqueue, head.recipe, head.stream_handle, head.label, head.size_bytes, end_ns, first, count)
        capture.launches.append(launch)
        return launch

    def events_of(self, work: Sequence[EngineWork], start_ns: int, end_ns: int | None = None) -> RawEvents:
        """Events from ``start_ns`` to ``end_ns`` that enabled units send, in time order."""
        by_class: dict[str, list[EngineWork]] = {}
        for item in work:
            by_class.setdefault(item.engine_class, []).append(item)
        parts = [part for items in by_class.values() for part in self._events_of_class(items)]
        if not parts:
            return _NOTHING
        columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
        time_ns = columns[0]
        events = RawEvents(*columns)
        kept = time_ns >= start_ns
        if end_ns is not None:
            kept &= self._until(events, end_ns)
        # Of two events at one moment the end comes first: descriptors follow each other on an engine without a gap.
        order = np.lexsort((self._begins[events.engine, events.signal], time_ns))
        return events.take(order[kept[order]])

    def _until(self, events: RawEvents, end_ns: int) -> B1:
        """Which events belong to a capture that ends at ``end_ns``: work that begins at that moment does not."""
        return events.time_ns <= end_ns - self._begins[events.engine, events.signal]

    def trim(self, capture: Capture, end_ns: int) -> None:
        """Forget events after ``end_ns``: the units were off by then."""
        buffer = capture.buffer
        events = buffer.events()
        kept = self._until(events, end_ns)
        if kept.all():
            return
        before = np.concatenate(([0], np.cumsum(kept)))
        for launch in capture.launches:
            first, last = int(before[launch.first]), int(before[launch.first + launch.count])
            launch.first, launch.count = first, last - first
        since = buffer.full_since_ns
        buffer.keep(events.take(kept), is_full=since is not None and since <= end_ns)

    def _events_of_class(self, items: list[EngineWork]) -> Iterator[tuple[I8, U2, I1, U2]]:
        """Columns of raw events of work on engines of one class, one signal after the other."""
        probes = [self.probes.get((w.engine_class, w.engine_index)) for w in items]
        seen = [(w, probe) for w, probe in zip(items, probes, strict=True) if probe is not None]
        if not seen:
            return
        engine = np.array([probe.number for _, probe in seen], np.uint16)
        wire = [NULL_DESCRIPTOR if w.recipe is None else to_wire(w.context_id, w.recipe.recipe_id) for w, _ in seen]
        context = np.array(wire, np.uint16)
        allowed = np.array([probe.allowed for _, probe in seen])
        times = WorkTimes(
            np.array([w.start_ns for w, _ in seen], np.int64),
            np.array([w.end_ns for w, _ in seen], np.int64),
            np.array([w.activation for w, _ in seen], np.int64),
        )
        every = np.arange(len(seen))
        for time_ns, which in seen[0][1].instrument.emit(times):
            signal = np.broadcast_to(np.asarray(which, np.uint8), len(seen))
            sent = allowed[every, signal]
            yield time_ns[sent], engine[sent], signal[sent], context[sent]


_NOTHING = RawEvents(np.empty(0, np.int64), np.empty(0, np.uint16), np.empty(0, np.uint8), np.empty(0, np.uint16))
