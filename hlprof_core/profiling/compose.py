"""From a recording to a trace in the profiler's native shape: processes DMA, MME and TPC, then Host; a row for each engine and thread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hlprof_core.profiling.capture import Capture, Launch
from hlprof_core.profiling.decode import DecodedEvent, Decoder
from hlprof_core.profiling.host_profiler import HostEvent
from hlprof_core.profiling.recording import Recording
from hlprof_core.trace.builder import TraceBuilder
from hlprof_core.trace.model import Origin, Trace

PROCESSES = {"DMA": 1, "MME": 2, "TPC": 3, "NIC": 4}
HOST_PID, RECIPE_PID = 5, 6
ALWAYS_SHOWN = ("DMA", "MME", "TPC")
SESSION_ROW, SESSION_CATEGORY = "*Profiler sessions", "profiler_session"
FLOW = "enqueue"
BUFFER_FULL = "trace buffer full"


@dataclass(slots=True)
class Composer:
    """Feeds a builder. ``with_host``: the host's calls, sessions and arrows too."""

    recording: Recording
    with_host: bool = True
    builder: TraceBuilder = field(default_factory=TraceBuilder)
    _engines: set[int] = field(default_factory=set)
    _threads: dict[str, int] = field(default_factory=dict)
    _flows: int = 0

    def compose(self, captures: Sequence[Capture], *, hardware: bool = True) -> Trace:
        """A trace of these captures."""
        recording, builder = self.recording, self.builder
        first_work: dict[tuple[str, int], DecodedEvent] = {}
        if hardware:
            for name in ALWAYS_SHOWN:
                builder.process(PROCESSES[name], name, sort_index=PROCESSES[name])
            decoder = Decoder(recording.generation, recording.device_id)
            is_busy_only = recording.config.get("hw.recipe_busy")
            for capture in captures:
                for launch in capture.launches:
                    if is_busy_only:
                        self._busy(launch, decoder, capture)
                        continue
                    first = self._device_events(launch, decoder, capture)
                    if first is not None:
                        first_work.setdefault((launch.kind, launch.enqueue), first)
            self._report_loss(captures)
        if self.with_host:
            self._host_events(recording.host_events)
            self._sessions()
            if hardware and recording.config.get("hw.flows"):
                self._arrows(first_work)
        builder.log.extend(recording.log.freeze())
        return builder.finish(self._origin())

    def _row(self, event: DecodedEvent) -> tuple[int, int]:
        engine = event.engine
        pid = PROCESSES[engine.engine_class]
        number = pid * 1000 + engine.index
        if number not in self._engines:
            self._engines.add(number)
            if engine.engine_class not in ALWAYS_SHOWN:
                self.builder.process(pid, engine.engine_class, sort_index=pid)
            self.builder.thread(pid, engine.index, engine.name, sort_index=engine.index)
        return pid, engine.index

    def _device_events(self, launch: Launch, decoder: Decoder, capture: Capture) -> DecodedEvent | None:
        """All events of a launch; returns the first that begins work."""
        first = None
        builder = self.builder
        for event in decoder.events(capture, launch):
            pid, tid = self._row(event)
            if event.signal.edge == "begin":
                first = first or event
                builder.begin(pid, tid, event.time_ns, event.name, cat=event.category, args=event.args)
            elif event.signal.edge == "end":
                builder.end(pid, tid, event.time_ns, event.name, args=event.args)
            else:
                builder.instant(pid, tid, event.time_ns, event.name, cat=event.category, args=event.args)
        return first

    def _busy(self, launch: Launch, decoder: Decoder, capture: Capture) -> None:
        """One slice for a whole launch, from its first to its last event."""
        if launch.recipe is None or not launch.count:
            return
        times = capture.buffer.time_ns[launch.first : launch.first + launch.count]
        self.builder.process(RECIPE_PID, "Recipe", sort_index=RECIPE_PID)
        self.builder.thread(RECIPE_PID, 0, "Busy")
        args = {"Recipe name": launch.recipe.name, "Recipe id": launch.recipe.recipe_id, "Device": decoder.device}
        self.builder.slice(RECIPE_PID, 0, min(times), max(times) - min(times), f"Busy {launch.recipe.name}", cat="Busy", args=args)

    def _report_loss(self, captures: Sequence[Capture]) -> None:
        for capture in captures:
            full_since = capture.buffer.full_since_ns
            if full_since is None:
                continue
            lost = capture.buffer.lost
            self._host_row(SESSION_ROW)
            args = {"lost events": lost, "kept events": len(capture.buffer)}
            self.builder.instant(HOST_PID, self._host_row(SESSION_ROW), full_since, BUFFER_FULL, scope="global", args=args)
            self.builder.log.add(
                "record.buffer_full",
                "data-loss",
                "the trace buffer was full: hardware events after that were not recorded",
                count=lost,
                first=(f"{full_since} ns",),
                hint="Give a larger buffer (hl-prof-config -b), a smaller range (-g) or fewer units.",
            )

    def _host_row(self, thread: str) -> int:
        """Row of a host thread; the sessions come first, threads as they appear."""
        if thread not in self._threads:
            if not self._threads:
                self.builder.process(HOST_PID, "Host", sort_index=HOST_PID)
            number = 0 if thread == SESSION_ROW else len(self._threads) + (SESSION_ROW not in self._threads)
            self._threads[thread] = number
            self.builder.thread(HOST_PID, number, thread, sort_index=number)
        return self._threads[thread]

    def _host_events(self, events: Sequence[HostEvent]) -> None:
        for event in events:
            tid = self._host_row(event.thread)
            args = dict(event.args) if event.args else None
            self.builder.slice(HOST_PID, tid, event.start_ns, event.end_ns - event.start_ns, event.name, cat=event.category, args=args)

    def _sessions(self) -> None:
        for session in self.recording.sessions:
            end_ns = session.start_ns if session.end_ns is None else session.end_ns
            args: dict[str, Any] | None = {"ended by": "end of the program"} if session.is_cut else None
            tid = self._host_row(SESSION_ROW)
            self.builder.slice(HOST_PID, tid, session.start_ns, end_ns - session.start_ns, session.name, cat=SESSION_CATEGORY, args=args)

    def _arrows(self, first_work: dict[tuple[str, int], DecodedEvent]) -> None:
        """From the innermost host call that issued an enqueue to the first work it made on the device."""
        calls: dict[tuple[str, int], HostEvent] = {}
        for event in self.recording.host_events:
            number = event.args.get("enqueue")
            if isinstance(number, int):
                key = ("memcpy" if "copy" in event.name.lower() else "launch", number)
                # Inner calls are told first.
                calls.setdefault(key, event)
        for key, call in calls.items():
            work = first_work.get(key)
            if work is None:
                continue
            self._flows += 1
            pid, tid = self._row(work)
            self.builder.flow("s", HOST_PID, self._host_row(call.thread), call.start_ns, self._flows, name=FLOW, cat=FLOW)
            self.builder.flow("f", pid, tid, work.time_ns, self._flows, name=FLOW, cat=FLOW)

    def _origin(self) -> Origin:
        recording = self.recording
        generation = recording.generation
        properties: dict[str, Any] = {
            "displayTimeUnit": "ns",
            "deviceProperties": [{"id": recording.device_id, "name": generation.title, "totalGlobalMem": generation.hbm_bytes}],
            "hlprof": {
                "arch": generation.name,
                "device": recording.device,
                "phase": recording.config.get("hw.phase"),
                "session": recording.config.get("session.name"),
                "diagnostics": [d.to_dict() for d in self.builder.log.freeze()],
            },
        }
        return Origin("recording", base_ns=recording.base_ns, properties=properties)


def compose_trace(recording: Recording) -> Trace:
    """The merged trace of host and device."""
    is_merged = bool(recording.config.get("hw.merge_with_host")) and bool(recording.config.get("hw.enable"))
    return Composer(recording).compose(recording.captures, hardware=is_merged)


def compose_capture(recording: Recording, capture: Capture, *, with_host: bool = False) -> Trace:
    """The hardware trace of one invocation."""
    return Composer(recording, with_host=with_host).compose([capture])
