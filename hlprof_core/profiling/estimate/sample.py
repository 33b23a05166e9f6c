"""What one enqueue or call becomes in a file: a small sample of it, composed and written as a recording would be."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from hlprof_core.profiling.capture import Capture
from hlprof_core.profiling.compose import Composer
from hlprof_core.profiling.estimate.amount import NOTHING, Amount
from hlprof_core.profiling.estimate.launch_events import count_events
from hlprof_core.profiling.estimate.text_size import TextSize, measure_text, packed_size
from hlprof_core.profiling.hltv_members import hltv_members
from hlprof_core.profiling.host_profiler import HostProfiler
from hlprof_core.profiling.hw_trace import HwTrace, make_probes
from hlprof_core.profiling.recording import Recording
from hlprof_core.profiling.session import Session
from hlprof_core.synapse.rehearsal import Rehearsed
from hlprof_core.synapse.scheduler import Placement
from hlprof_core.synapse.shim import ApiCall, EngineWork
from hlprof_core.synapse.spread import spread_launch

if TYPE_CHECKING:
    from hlprof_core.config.document import ProfConfig
    from hlprof_core.device import Generation
    from hlprof_core.synapse.recipe import Recipe

SAMPLE_EVENTS = 6000
"""Enough for a mean within a few percent, and for gzip to find its pace."""
START_NS = 1_000_000_000_000_000
"""As many digits as the clock of a server has that runs for some days."""


class FileSize(Struct, frozen=True):
    """Bytes that a file has whatever was recorded; ``members``: what an archive holds beside the trace, packed."""

    json: float
    packed: float
    csv: float
    members: float

    @classmethod
    def of(cls, text: TextSize, members: float = 0.0) -> FileSize:
        return cls(text.json_head, text.packed_head, text.csv_head, members)


class Sampler:
    """Measures for one configuration and generation."""

    def __init__(self, generation: Generation, config: ProfConfig, *, with_csv: bool) -> None:
        self.generation, self.config, self.with_csv = generation, config, with_csv
        self.probes = make_probes(generation, config) if config.get("hw.enable") else {}
        self._launches: dict[int, Amount] = {}
        self._copies: dict[str, Amount] = {}
        self._captures: list[Capture] = []
        self._packing = self._device_packing = 0.0
        self._texts: dict[int, TextSize] = {}
        """By identity of the capture."""

    def launch(self, recipe: Recipe) -> Amount:
        """Everything a launch of the recipe sends."""
        if recipe.recipe_id not in self._launches:
            events = count_events(recipe, self.probes)
            self._launches[recipe.recipe_id] = self._device_amount(self._sample_work(recipe, events, 0, START_NS), events)
        return self._launches[recipe.recipe_id]

    def copy(self, work: EngineWork) -> Amount:
        """What a host copy sends."""
        if work.label not in self._copies:
            self._copies[work.label] = self._device_amount([work], None)
        return self._copies[work.label]

    def calls(self, calls: Sequence[ApiCall], *, sessions: int = 0) -> Amount:
        """Calls of the host and slices of sessions, as far as they are recorded when recording is on."""
        size, count = self._host_text(calls, sessions)
        if not count:
            return NOTHING
        packing = self._packing or size.packing
        return Amount(host_events=count, json=size.json_events, packed=size.json_events * packing, csv=size.csv_events)

    def learn_packing(self, calls: Sequence[ApiCall]) -> None:
        """Let gzip show what it makes of the calls of many iterations: a few of them alone are too little for it."""
        self._packing = self._host_text(calls, 0)[0].packing

    def learn_device_packing(self, enqueues: Sequence[Rehearsed]) -> None:
        """The same for the device and what is recorded of it, as far as it takes: small launches pack better the more there are."""
        trace = HwTrace(self.probes, 1 << 30)
        capture = trace.start("", 0)
        at_ns = START_NS
        for number, enqueue in enumerate(enqueues):
            if enqueue.work is not None:
                kind, work = "memcpy", [replace(enqueue.work, start_ns=at_ns, end_ns=at_ns + enqueue.end_ns - enqueue.start_ns)]
            else:
                assert enqueue.recipe is not None
                events = count_events(enqueue.recipe, self.probes)
                kind, work = "launch", self._sample_work(enqueue.recipe, events, number, at_ns)
            trace.record(kind, work[0].enqueue, work, at_ns)
            at_ns = max(w.end_ns for w in work)
            if len(capture.buffer) >= SAMPLE_EVENTS:
                break
        trace.stop(at_ns)
        recording = Recording(self.generation, 0, self.config, [capture])
        self._device_packing = measure_text(Composer(recording, with_host=False).compose([capture]), with_csv=False).packing

    def _host_text(self, calls: Sequence[ApiCall], sessions: int) -> tuple[TextSize, int]:
        host = HostProfiler(self.config)
        host.start(0)
        for call in calls:
            host.record_call(call)
        start_ns = calls[0].start_ns if calls else START_NS
        recording = Recording(self.generation, 0, self.config, host_events=host.events)
        if host.is_enabled:
            recording.sessions = [Session(f"iteration {n}", 1, start_ns, start_ns + 1000) for n in range(sessions)]
        size = measure_text(Composer(recording).compose([], hardware=False), with_csv=self.with_csv)
        return size, len(host.events) + len(recording.sessions)

    def arrow(self, call: ApiCall, work: EngineWork) -> Amount:
        """The arrow from a call that issued an enqueue to what the device did for it."""
        host = HostProfiler(self.config)
        host.start(0)
        host.record_call(call)
        kind = "memcpy" if work.recipe is None else "launch"
        recording = Recording(self.generation, 0, self.config, [self._capture(kind, [work])], host.events)
        size = measure_text(Composer(recording).compose(recording.captures), with_csv=False)
        return Amount(json=size.json_arrow, packed=size.json_arrow * size.packing)

    def file(self, *, with_launches: bool) -> FileSize:
        """What a file has once that shows launches, or copies only; ask when all of them were measured."""
        captures = [c for c in self._captures if with_launches or c.launches[0].recipe is None]
        recording = Recording(self.generation, 0, self.config, captures)
        seen = [self._texts[id(capture)] for capture in captures]
        size = max(seen, key=lambda text: text.json_head, default=self._host_text([], 0)[0])
        return FileSize.of(size, packed_size(b"".join(hltv_members(recording).values())))

    def file_of_calls(self) -> FileSize:
        """What a file has once that shows the host only."""
        return FileSize.of(self._host_text([], 0)[0])

    def _device_amount(self, work: Sequence[EngineWork], events: int | None) -> Amount:
        """``events``: how many there are of which ``work`` is a sample; None: all."""
        capture = self._capture("memcpy" if work[0].recipe is None else "launch", work) if work else None
        if capture is None or not capture.launches:
            return NOTHING
        self._captures.append(capture)
        seen = len(capture.buffer)
        recording = Recording(self.generation, 0, self.config, [capture])
        size = measure_text(Composer(recording, with_host=False).compose([capture]), with_csv=self.with_csv)
        self._texts[id(capture)] = size
        is_whole = bool(self.config.get("hw.recipe_busy"))
        share = 1.0 if is_whole or events is None else events / seen
        return self._amount(size, share, device_events=float(seen if events is None else events), arrows=0.0 if is_whole else 1.0)

    def _capture(self, kind: str, work: Sequence[EngineWork]) -> Capture:
        trace = HwTrace(self.probes, 1 << 30)
        capture = trace.start("", 0)
        trace.record(kind, work[0].enqueue, work, capture.start_ns)
        trace.stop(max(w.end_ns for w in work))
        return capture

    def _amount(self, size: TextSize, factor: float, **counts: Any) -> Amount:
        json = size.json_events * factor
        return Amount(**counts, json=json, packed=json * (self._device_packing or size.packing), csv=size.csv_events * factor)

    def _sample_work(self, recipe: Recipe, events: int, number: int, start_ns: int) -> list[EngineWork]:
        """Work of some tasks of the recipe, evenly chosen, one after the other; launches of different ``number`` vary as real ones do."""
        stride = max(1, round(events / SAMPLE_EVENTS))
        at, placements = 0.0, []
        for task in recipe.tasks[::stride]:
            duration = task.cost.alone_ns(recipe.generation.hbm_bytes_per_ns)
            placements.append(Placement(task, at, at + duration))
            at += duration
        return spread_launch(recipe, placements, start_ns, random.Random(number), stream=0xD97F_0000_0000_0001, enqueue=number + 1)
