"""Profiling under the program's control: sessions by hand, or chosen iterations of a loop.

with profiler.iterations({2, 6, 12}) as steps:
    for i in range(1, 16):
        with steps.step(i):
            train()
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from hlprof_core.errors import SessionStateError
from hlprof_core.profiling.announce import announce
from hlprof_core.profiling.recorder import Recorder, current_recorder
from hlprof_core.profiling.session import TRACE_ALL, TRACE_DEVICE, TRACE_HOST

if TYPE_CHECKING:
    from hlprof_core.synapse.runtime import Runtime

__all__ = [
    "TRACE_ALL",
    "TRACE_DEVICE",
    "TRACE_HOST",
    "add_custom_measurement",
    "current_time_ns",
    "get_trace",
    "iterations",
    "start",
    "stop",
]


def start(trace_type: int = TRACE_ALL, device_id: int = 0, *, name: str = "") -> None:
    """Begin a session; its slice in the trace gets ``name``, else ``session N``."""
    recorder, runtime = _attached("start")
    recorder.profiler_start(runtime, trace_type, device_id, name=name)


def stop(trace_type: int = TRACE_ALL, device_id: int = 0) -> None:
    """End the session. Synchronize the device first: what it does later is not seen."""
    recorder, runtime = _attached("stop")
    recorder.profiler_stop(runtime, trace_type, device_id)


def get_trace(trace_type: int = TRACE_ALL, device_id: int = 0) -> list[Path]:
    """Write the files of all sessions so far; returns their paths."""
    recorder, runtime = _attached("get_trace")
    return recorder.profiler_get_trace(runtime, trace_type, device_id)


def current_time_ns() -> int:
    """The profiler's clock."""
    return _attached("current_time_ns")[1].now_ns


def add_custom_measurement(name: str, start_ns: int, args: Mapping[str, Any] | None = None, *, thread: str = "") -> None:
    """A slice from ``start_ns`` to now on a row of the host."""
    recorder, runtime = _attached("add_custom_measurement")
    recorder.profiler_add_measurement(runtime, name, start_ns, runtime.now_ns, args or {}, thread or threading.current_thread().name)


def iterations(chosen: Collection[int]) -> Iterations:
    """Record the chosen iterations, counted from 1, and write the files at the end of the ``with`` block."""
    return Iterations(chosen)


def _attached(call: str) -> tuple[Recorder, Runtime]:
    recorder = current_recorder()
    if recorder is None or recorder.runtime is None:
        raise SessionStateError(
            f"profiler.{call}: unsupported, no profiler is attached.", hint="Set HABANA_PROFILE=1 before the program starts."
        )
    return recorder, recorder.runtime


class Iterations:
    """Context manager of a loop; ``step(i)`` is one of each iteration.

    Without a profiler it says so once and does nothing; in the automatic phases it marks the iterations and the phase decides.
    """

    def __init__(self, chosen: Collection[int]) -> None:
        self.chosen = frozenset(chosen)
        self.seen: set[int] = set()
        self._is_warned = False

    def __enter__(self) -> Iterations:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        recorder = current_recorder()
        if kind is None:
            missed = sorted(self.chosen - self.seen)
            if missed:
                announce(f"iterations {', '.join(map(str, missed))} were to be profiled, but the program did not come to them.")
        if recorder is not None and recorder.is_api_controlled and recorder.sessions.sessions:
            recorder.save()

    @contextmanager
    def step(self, iteration: int) -> Iterator[None]:
        """One iteration of the program; recorded between two waits for the device when it is chosen."""
        recorder = current_recorder()
        runtime = None if recorder is None else recorder.runtime
        if iteration not in self.chosen:
            yield
            return
        self.seen.add(iteration)
        if recorder is None or runtime is None:
            self._warn("no profiler is attached, so no iteration is recorded; set HABANA_PROFILE=1 before the program starts.")
            yield
            return
        name = f"iteration {iteration}"
        if not recorder.is_api_controlled:
            self._warn(
                f"the phase {recorder.config.get('hw.phase')} decides what is recorded; for chosen iterations use `hl-prof-config -i`."
            )
            began_ns = runtime.now_ns
            yield
            recorder.mark_step(name, began_ns, runtime.now_ns)
            return
        runtime.synchronize_device()
        recorder.profiler_start(runtime, TRACE_ALL, 0, name=name)
        try:
            yield
            runtime.synchronize_device()
        finally:
            recorder.profiler_stop(runtime, TRACE_ALL, 0)

    def _warn(self, text: str) -> None:
        if not self._is_warned:
            self._is_warned = True
            announce(text)
