"""Where profilers attach to the runtime, as the vendor's shim does: loaded at runtime initialisation by the environment alone.

The runtime tells its plugins what happens and knows nothing about them. What it tells is what real probes could see: host API
calls with their times, and which unit worked on which context of which recipe. Names of nodes are not among it; a plugin joins
them from the debug information of the recipe.
"""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct, field

if TYPE_CHECKING:
    from hlprof_core.synapse.recipe import Recipe
    from hlprof_core.synapse.runtime import Runtime


class ApiCall(Struct, frozen=True):
    """One finished host call. Times in ns of the runtime's clock (``Runtime.now_ns``); ``group`` SYNAPSE, HLTHUNK, HCCL or SCAL."""

    name: str
    start_ns: int
    end_ns: int
    thread: str
    group: str = "SYNAPSE"
    args: dict[str, Any] = field(default_factory=dict)


class EngineWork(Struct, frozen=True):
    """One engine busy with one context of a recipe: what its trace unit would see. ``enqueue`` counts launches and copies from 1."""

    engine_class: str
    """DMA, MME, TPC, NIC."""
    engine_index: int
    context_id: int
    """Full context id within the recipe and engine class, from 0; the wire form (13 bits, recipe id first) is the unit's business."""
    recipe: Recipe | None
    """None for host copies, which belong to no recipe."""
    start_ns: int
    end_ns: int
    stream_handle: int
    enqueue: int
    activation: int = 0
    """Which descriptor of the node, when it has several on one engine."""
    label: str = ""
    """For work without a recipe: what the firmware calls it, e.g. ``pdma_rx memcpy``."""
    size_bytes: int = 0


class Plugin(Protocol):
    """What a profiler may listen to. Called synchronously, in the order of the runtime's clock per enqueue."""

    def runtime_started(self, runtime: Runtime) -> None: ...

    def device_acquired(self, runtime: Runtime, device_id: int) -> None: ...

    def enqueue_starting(self, runtime: Runtime, kind: str, enqueue: int) -> bool:
        """Before launch (``kind`` "launch") or host copy ("memcpy") number ``enqueue`` of its kind.

        True: the runtime waits until it is done on the device."""
        ...

    def enqueue_issued(self, runtime: Runtime, kind: str, enqueue: int, work: list[EngineWork]) -> None:
        """The device work of that enqueue, as scheduled."""
        ...

    def api_called(self, runtime: Runtime, call: ApiCall) -> None: ...

    def device_released(self, runtime: Runtime, device_id: int) -> None: ...

    def runtime_finished(self, runtime: Runtime) -> None: ...


PROFILER = "hlprof_core.profiling.activation"
"""Module with ``plugin_from_environment() -> Plugin | None``; loaded by name, as the vendor's runtime loads its shim library."""


def load_plugins() -> list[Plugin]:
    """The plugins that the environment asks for: none unless HABANA_PROFILE or HABANA_PROF_CONFIG is set."""
    if os.environ.get("HABANA_SHIM_DISABLE") == "1":
        return []
    if os.environ.get("HABANA_PROFILE", "0") in ("", "0") and not os.environ.get("HABANA_PROF_CONFIG"):
        return []
    plugin = importlib.import_module(PROFILER).plugin_from_environment()
    return [] if plugin is None else [plugin]


class Listener:
    """A plugin that wants nothing: override what matters."""

    def runtime_started(self, runtime: Runtime) -> None: ...

    def device_acquired(self, runtime: Runtime, device_id: int) -> None: ...

    def enqueue_starting(self, *_told: Any, **_named: Any) -> bool:
        return False

    def enqueue_issued(self, runtime: Runtime, kind: str, enqueue: int, work: list[EngineWork]) -> None: ...

    def api_called(self, runtime: Runtime, call: ApiCall) -> None: ...

    def device_released(self, runtime: Runtime, device_id: int) -> None: ...

    def runtime_finished(self, runtime: Runtime) -> None: ...


class ProfilerPlugin(Protocol):
    """What a plugin offers beside ``Plugin`` when it also serves the program's own profiling calls (``synProfiler...``)."""

    def profiler_start(self, runtime: Runtime, trace_type: int, device_id: int) -> None: ...

    def profiler_stop(self, runtime: Runtime, trace_type: int, device_id: int) -> None: ...

    def profiler_get_trace(self, runtime: Runtime, trace_type: int, device_id: int, trace_format: int) -> Any: ...

    def profiler_add_measurement(
        self, runtime: Runtime, name: str, start_ns: int, end_ns: int, args: dict[str, Any], thread: str
    ) -> None: ...
