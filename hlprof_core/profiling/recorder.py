"""The profiler that sits at the runtime: passes what happens to phases, probes and the host side, and writes the files at the end."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hlprof_core.errors import HlprofError, SessionStateError
from hlprof_core.profiling.announce import announce
from hlprof_core.profiling.exit_guard import ExitGuard
from hlprof_core.profiling.host_profiler import HostProfiler
from hlprof_core.profiling.hw_trace import HwTrace, make_probes
from hlprof_core.profiling.outputs import unsupported_wishes
from hlprof_core.profiling.phases import ApiPhase, Phase, phase_of
from hlprof_core.profiling.recording import Recording
from hlprof_core.profiling.session import TRACE_ALL, SessionList

if TYPE_CHECKING:
    from hlprof_core.config.document import ProfConfig
    from hlprof_core.device import Generation
    from hlprof_core.synapse.runtime import Runtime
    from hlprof_core.synapse.shim import ApiCall, EngineWork

_current: Recorder | None = None


def current_recorder() -> Recorder | None:
    """The profiler of this process, while its runtime lives."""
    return _current


class Recorder:
    """A plugin of ``synapse.shim``. One runtime, one recorder."""

    def __init__(self, config: ProfConfig) -> None:
        self.config = config
        self.phase: Phase = phase_of(config)
        self.host = HostProfiler(config)
        self.hardware: HwTrace | None = None
        self.sessions = SessionList()
        self.written: list[Path] = []
        self.runtime: Runtime | None = None
        self._generation: Generation | None = None
        self._device_id = 0
        self._base_ns = 0
        self._is_dirty = False
        self._guard: ExitGuard | None = None

    @property
    def is_api_controlled(self) -> bool:
        """Whether the program's sessions decide what is recorded."""
        return type(self.phase) is ApiPhase

    # -- what the runtime tells ---------------------------------------------------------------------------------

    def runtime_started(self, runtime: Runtime) -> None:
        global _current
        self.runtime, self._generation = runtime, runtime.generation
        self._base_ns = time.time_ns() - runtime.now_ns
        wanted = self.config.get("hw.arch")
        if wanted and wanted != runtime.generation.name:
            here = runtime.generation.name
            announce(f"the configuration is for {wanted}, but the program runs on {here}; recording {here}.")
        for line in unsupported_wishes(self.config):
            announce(f"{line}.")
        if self.config.get("hw.enable"):
            self.hardware = HwTrace(make_probes(runtime.generation, self.config), self.config.get("hw.buffer_bytes"))
        self._guard = ExitGuard(self.save_last)
        _current = self

    def device_acquired(self, runtime: Runtime, device_id: int) -> None:
        self._device_id = device_id
        if self.hardware is not None:
            self.phase.device_acquired(self.hardware, runtime.now_ns)

    def enqueue_starting(self, runtime: Runtime, kind: str, enqueue: int) -> bool:
        if self.hardware is None:
            return False
        if self.phase.starts_with(self.hardware, kind, enqueue):
            runtime.settle()
        return self.phase.enqueue_starting(self.hardware, kind, enqueue, runtime.now_ns)

    def enqueue_issued(self, runtime: Runtime, kind: str, enqueue: int, work: list[EngineWork]) -> None:
        if self.hardware is not None:
            launch = self.hardware.record(kind, enqueue, work, runtime.now_ns)
            self.phase.enqueue_issued(self.hardware, kind, enqueue, launch, runtime.now_ns)
            self._is_dirty = self._is_dirty or launch is not None

    def api_called(self, runtime: Runtime, call: ApiCall) -> None:
        if self.host.record_call(call) is not None:
            self._is_dirty = True

    def device_released(self, runtime: Runtime, device_id: int) -> None:
        if self.hardware is not None:
            self.phase.device_released(self.hardware, runtime.now_ns)

    def runtime_finished(self, runtime: Runtime) -> None:
        global _current
        if _current is self:
            _current = None
        if self._guard is not None:
            self._guard.finish()

    # -- what the program asks for (synProfiler...) -------------------------------------------------------------

    def profiler_start(self, runtime: Runtime, trace_type: int, device_id: int, *, name: str = "") -> None:
        """Begin a session; ``SessionStateError`` in the automatic phases and while another session runs."""
        if not self.is_api_controlled:
            phase = self.config.get("hw.phase")
            raise SessionStateError(
                f"The phase {phase} records by itself, so a program cannot start a profiler session.",
                hint="Configure sessions with `hl-prof-config -i`.",
            )
        session = self.sessions.start(trace_type, runtime.now_ns, name)
        self._is_dirty = True
        if session.wants_host:
            self.host.start(runtime.now_ns)
        if session.wants_device and self.hardware is not None:
            self.hardware.start(str(len(self.sessions.sessions)), runtime.now_ns)

    def profiler_stop(self, runtime: Runtime, trace_type: int, device_id: int) -> None:
        """End the session; ``SessionStateError`` when none runs."""
        session = self.sessions.stop(trace_type, runtime.now_ns)
        if session.wants_host and self.config.get("host.start_disabled"):
            self.host.stop()
        if session.wants_device and self.hardware is not None:
            self.hardware.stop(runtime.now_ns)

    def profiler_get_trace(self, runtime: Runtime, trace_type: int, device_id: int, trace_format: int = 1) -> list[Path]:
        """Write the files of everything recorded so far; returns their paths. Not while a session runs."""
        if self.sessions.running is not None:
            name = self.sessions.running.name
            raise SessionStateError(f"Profiler session {name!r} still runs.", hint="Stop it before its trace is taken.")
        return self.save()

    def profiler_add_measurement(
        self, runtime: Runtime, name: str, start_ns: int, end_ns: int, args: Mapping[str, Any], thread: str
    ) -> None:
        """A slice of the program's own on a host row."""
        self.host.record_measurement(name, start_ns, end_ns, thread, args)

    def mark_step(self, name: str, start_ns: int, end_ns: int) -> None:
        """A stretch of the run under a name, in phases where it does not decide what is recorded."""
        self.sessions.start(TRACE_ALL, start_ns, name)
        self.sessions.stop(TRACE_ALL, end_ns)

    # -- files --------------------------------------------------------------------------------------------------

    def recording(self) -> Recording:
        """What was recorded so far."""
        assert self._generation is not None
        return Recording(
            self._generation,
            self._device_id,
            self.config,
            captures=() if self.hardware is None else tuple(self.hardware.captures),
            host_events=self.host.events,
            sessions=self.sessions.sessions,
            base_ns=self._base_ns,
        )

    def save(self) -> list[Path]:
        """Write all files; what is there already is replaced only by a complete one."""
        from hlprof_core.profiling.publish import publish

        self._is_dirty = False
        self.written = publish(self.recording(), owner=id(self), pid=os.getpid())
        return self.written

    def save_last(self) -> None:
        """The runtime ends, or the program dies: keep what was seen until now."""
        if self.runtime is None:
            return
        self._close(self.runtime.now_ns)
        self._save_reporting()

    def _close(self, now_ns: int) -> None:
        running = self.sessions.running
        if running is not None:
            running.end_ns, running.is_cut = now_ns, True
        if self.hardware is not None:
            self.hardware.stop(now_ns)

    def _save_reporting(self) -> None:
        """Write what is not written yet; here is no caller who could handle an error, so it is told."""
        if not self._is_dirty:
            if not self.written:
                announce(self._nothing())
            return
        try:
            self.save()
        except HlprofError as error:
            announce(f"the recording is lost: {error}")

    def _nothing(self) -> str:
        if self.is_api_controlled and not self.sessions.sessions:
            return "nothing was recorded: the configuration waits for profiler sessions, and the program started none."
        return "nothing was recorded."
