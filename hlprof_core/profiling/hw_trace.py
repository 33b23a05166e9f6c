"""The hardware probes: turn work into the events that the enabled trace units send, and feed the capture that runs."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hlprof_core.profiling.buffer import TraceBuffer
from hlprof_core.profiling.capture import Capture, Launch
from hlprof_core.profiling.context_id import NULL_DESCRIPTOR, to_wire
from hlprof_core.profiling.units import INSTRUMENTS, Instrument

if TYPE_CHECKING:
    from hlprof_core.config.document import ProfConfig
    from hlprof_core.device import Engine, Generation
    from hlprof_core.synapse.shim import EngineWork

FOREVER = 1 << 63
Event = tuple[int, int, int, int]
"""Time in ns, engine number, signal number, context id on the wire."""


@dataclass(frozen=True, slots=True)
class Probe:
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
        self.buffer_bytes = buffer_bytes
        self.captures: list[Capture] = []
        self._recent: deque[tuple[str, int, Sequence[EngineWork]]] = deque()

    @property
    def running(self) -> Capture | None:
        return self.captures[-1] if self.captures and self.captures[-1].is_open else None

    def start(self, label: str, now_ns: int) -> Capture:
        """Arm the units."""
        capture = Capture(label, now_ns, TraceBuffer(self.buffer_bytes))
        self.captures.append(capture)
        for kind, enqueue, work in self._recent:
            self._feed(capture, kind, enqueue, work)
        return capture

    def stop(self, now_ns: int) -> None:
        """Disarm the units: nothing after ``now_ns`` was seen."""
        capture = self.running
        if capture is not None:
            capture.end_ns = now_ns
            trim(capture, now_ns)

    def record(self, kind: str, enqueue: int, work: Sequence[EngineWork], now_ns: int) -> Launch | None:
        """Work of one enqueue, as scheduled; its launch when a capture runs."""
        while self._recent and max((w.end_ns for w in self._recent[0][2]), default=0) <= now_ns:
            self._recent.popleft()
        self._recent.append((kind, enqueue, work))
        # A capture that ends in the future (with the last launch of a range) still sees what else the device does until then.
        capture = self.captures[-1] if self.captures else None
        if capture is None or not (capture.is_open or now_ns < (capture.end_ns or 0)):
            return None
        return self._feed(capture, kind, enqueue, work)

    def _feed(self, capture: Capture, kind: str, enqueue: int, work: Sequence[EngineWork]) -> Launch | None:
        events = self.events_of(work, capture.start_ns, capture.end_ns)
        end_ns = max((w.end_ns for w in work), default=0)
        if not events:
            return None
        first = len(capture.buffer)
        count = capture.buffer.push(events)
        head = work[0]
        launch = Launch(kind, enqueue, head.recipe, head.stream_handle, head.label, head.size_bytes, end_ns, first, count)
        capture.launches.append(launch)
        return launch

    def events_of(self, work: Sequence[EngineWork], start_ns: int, end_ns: int | None = None) -> list[Event]:
        """Events from ``start_ns`` to ``end_ns`` that enabled units send, in time order."""
        last_ns = FOREVER if end_ns is None else end_ns
        events: list[Event] = []
        for item in work:
            probe = self.probes.get((item.engine_class, item.engine_index))
            if probe is None or item.end_ns < start_ns:
                continue
            wire = NULL_DESCRIPTOR if item.recipe is None else to_wire(item.context_id, item.recipe.recipe_id)
            for time_ns, signal in probe.instrument.emit(item):
                if probe.allowed[signal] and start_ns <= time_ns <= last_ns:
                    events.append((time_ns, probe.number, signal, wire))
        events.sort(key=lambda event: event[0])
        return events


def trim(capture: Capture, end_ns: int) -> None:
    """Forget events after ``end_ns``: the units were off by then. Rows of each launch are in time order."""
    old = capture.buffer
    if not len(old) or max(old.time_ns) <= end_ns:
        return
    new = TraceBuffer(0)
    new.capacity, new.lost, new.full_since_ns = old.capacity, old.lost, old.full_since_ns
    for launch in capture.launches:
        rows = range(launch.first, launch.first + launch.count)
        kept = [(old.time_ns[i], old.engine[i], old.signal[i], old.context[i]) for i in rows if old.time_ns[i] <= end_ns]
        launch.first = len(new)
        for time_ns, engine, signal, context in kept:
            new.time_ns.append(time_ns)
            new.engine.append(engine)
            new.signal.append(signal)
            new.context.append(context)
        launch.count = len(kept)
    if new.full_since_ns is not None and new.full_since_ns > end_ns:
        new.full_since_ns, new.lost = None, 0
    capture.buffer = new
