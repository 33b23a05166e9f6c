"""Work-alikes of the Synapse C API over the device model: one runtime a process, calls under their own names.

The profiling calls reach whatever profiler the environment attached; without one they say so, as the vendor's library does.
"""

from __future__ import annotations

import threading
from enum import IntEnum
from typing import Any, cast

from hlprof_core.device import DEFAULT, Generation, load_generation
from hlprof_core.errors import SessionStateError
from hlprof_core.synapse.graph import Graph
from hlprof_core.synapse.recipe import Recipe
from hlprof_core.synapse.runtime import Direction, Runtime
from hlprof_core.synapse.shim import ProfilerPlugin
from hlprof_core.synapse.stream import Event, Stream


class TraceType(IntEnum):
    """What a profiling call is about (``synTraceAll``...)."""

    ALL = 1
    HOST = 2
    DEVICE = 3


TRACE_FORMAT_TEF = 1

_runtime: Runtime | None = None


def current_runtime() -> Runtime:
    """The runtime of this process, or ``SessionStateError`` before synInitialize."""
    if _runtime is None:
        raise SessionStateError("The runtime is not initialised.", hint="Call synInitialize first.")
    return _runtime


def synInitialize(device: str | Generation = DEFAULT, *, seed: int = 0) -> None:
    """Start the runtime on the model of ``device``; profilers named by the environment attach now."""
    global _runtime
    if _runtime is not None:
        raise SessionStateError("The runtime is initialised already.", hint="Call synDestroy first.")
    generation = device if isinstance(device, Generation) else load_generation(device)
    _runtime = Runtime(generation, seed=seed)


def synDestroy() -> None:
    """End the runtime; releases the device when it is still held."""
    global _runtime
    runtime = current_runtime()
    _runtime = None
    runtime.finish()


def synDeviceAcquire() -> int:
    return current_runtime().acquire_device()


def synDeviceRelease() -> None:
    current_runtime().release_device()


def synDeviceSynchronize() -> None:
    current_runtime().synchronize_device()


def synDeviceMalloc(size_bytes: int) -> int:
    return current_runtime().malloc(size_bytes)


def synDeviceFree(address: int) -> None:
    current_runtime().free(address)


def synGraphCompile(graph: Graph) -> Recipe:
    return current_runtime().compile(graph)


def synStreamCreateGeneric(name: str) -> Stream:
    return current_runtime().create_stream(name)


def synStreamWaitEvent(stream: Stream, event: Event) -> None:
    current_runtime().wait_event(stream, event)


def synStreamSynchronize(stream: Stream) -> None:
    current_runtime().synchronize_stream(stream)


def synEventCreate() -> Event:
    return current_runtime().create_event()


def synEventRecord(event: Event, stream: Stream) -> None:
    current_runtime().record_event(event, stream)


def synEventSynchronize(event: Event) -> None:
    current_runtime().synchronize_event(event)


def synLaunch(stream: Stream, recipe: Recipe) -> None:
    current_runtime().launch(stream, recipe)


def synMemCopyAsync(stream: Stream, direction: Direction, size_bytes: int, *, tensor: str = "") -> None:
    current_runtime().copy(stream, direction, size_bytes, tensor=tensor)


def synProfilerStart(trace_type: int, device_id: int = 0) -> None:
    """Start recording, in the API phase of a configuration."""
    _profiler("synProfilerStart").profiler_start(current_runtime(), trace_type, device_id)


def synProfilerStop(trace_type: int, device_id: int = 0) -> None:
    _profiler("synProfilerStop").profiler_stop(current_runtime(), trace_type, device_id)


def synProfilerGetTrace(trace_type: int, device_id: int = 0, trace_format: int = TRACE_FORMAT_TEF) -> Any:
    """Write the files of what was recorded, as a call with null buffer and size does."""
    return _profiler("synProfilerGetTrace").profiler_get_trace(current_runtime(), trace_type, device_id, trace_format)


def synProfilerGetCurrentTimeNS() -> int:
    return current_runtime().now_ns


def synProfilerAddCustomMeasurement(description: str, start_ns: int, args: dict[str, Any] | None = None, thread: str | None = None) -> None:
    """A slice from ``start_ns`` to now on a row of the host."""
    runtime = current_runtime()
    name = thread or threading.current_thread().name
    _profiler("synProfilerAddCustomMeasurement").profiler_add_measurement(runtime, description, start_ns, runtime.now_ns, args or {}, name)


def _profiler(call: str) -> ProfilerPlugin:
    for plugin in current_runtime().plugins:
        if hasattr(plugin, "profiler_start"):
            return cast(ProfilerPlugin, plugin)
    raise SessionStateError(f"{call}: unsupported, no profiler is attached.", hint="Set HABANA_PROFILE=1 before the program starts.")
