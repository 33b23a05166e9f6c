"""From a recording to a trace in the profiler's native shape: processes DMA, MME and TPC, then Host; a row for each engine and thread."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct, field

from hlprof_core.profiling.capture import Capture
from hlprof_core.profiling.device_rows import PROCESSES, DeviceRows
from hlprof_core.profiling.host_profiler import HostEvent
from hlprof_core.profiling.recording import Recording
from hlprof_core.trace.args import MemoryText
from hlprof_core.trace.builder import TraceBuilder
from hlprof_core.trace.model import Origin, Trace

HOST_PID, RECIPE_PID = 5, 6
SESSION_ROW, SESSION_CATEGORY = "*Profiler sessions", "profiler_session"
FLOW = "enqueue"
BUFFER_FULL = "trace buffer full"
Enqueue = tuple[str, int]
"""Kind and number of a launch or copy."""


class Composer(Struct):
    """Feeds a builder. ``with_host``: the host's calls, sessions and arrows too."""

    recording: Recording
    with_host: bool = True
    builder: TraceBuilder = field(default_factory=TraceBuilder)
    _threads: dict[str, int] = field(default_factory=dict)

    def compose(self, captures: Sequence[Capture], *, hardware: bool = True) -> Trace:
        """A trace of these captures."""
        recording, builder = self.recording, self.builder
        device = DeviceRows(builder, recording.generation, recording.device_id)
        if hardware:
            device.declare()
            for capture in captures:
                if recording.config.get("hw.recipe_busy"):
                    self._busy(capture)
                else:
                    device.add(capture)
            self._report_loss(captures)
        if self.with_host:
            self._host_events(recording.host_events)
            self._sessions()
            if hardware and recording.config.get("hw.flows"):
                self._arrows(device)
        builder.log.extend(recording.log.freeze())
        return builder.finish(self._origin(), MemoryText(device.argument_text()))

    def _busy(self, capture: Capture) -> None:
        """One slice for each whole launch, from its first to its last event."""
        time_ns = capture.buffer.events().time_ns
        for launch in capture.launches:
            if launch.recipe is None or not launch.count:
                continue
            start_ns, end_ns = int(time_ns[launch.first]), int(time_ns[launch.first + launch.count - 1])
            self.builder.process(RECIPE_PID, "Recipe", sort_index=RECIPE_PID)
            self.builder.thread(RECIPE_PID, 0, "Busy")
            args = {"Recipe name": launch.recipe.name, "Recipe id": launch.recipe.recipe_id, "Device": self.recording.device}
            self.builder.slice(RECIPE_PID, 0, start_ns, end_ns - start_ns, f"Busy {launch.recipe.name}", cat="Busy", args=args)

    def _report_loss(self, captures: Sequence[Capture]) -> None:
        for capture in captures:
            full_since, lost = capture.buffer.full_since_ns, capture.buffer.lost
            if full_since is None:
                continue
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

    def _arrows(self, device: DeviceRows) -> None:
        """From the innermost host call that issued an enqueue to the first work it made on the device."""
        calls: dict[Enqueue, HostEvent] = {}
        for event in self.recording.host_events:
            number = event.args.get("enqueue")
            if isinstance(number, int):
                # Inner calls are told first.
                calls.setdefault(("memcpy" if "copy" in event.name.lower() else "launch", number), event)
        flow_id = 0
        for enqueue, call in calls.items():
            work = device.first_work.get(enqueue)
            if work is None:
                continue
            flow_id += 1
            engine, time_ns = work
            tid = self._host_row(call.thread)
            self.builder.flow("s", HOST_PID, tid, call.start_ns, flow_id, name=FLOW, cat=FLOW)
            self.builder.flow("f", PROCESSES[engine.engine_class], engine.index, time_ns, flow_id, name=FLOW, cat=FLOW)

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
