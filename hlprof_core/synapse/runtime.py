"""The device as a program sees it: acquire, compile, launch, copy, wait, release; executed by the model on a virtual clock.

A run is the same for a seed however busy this machine is. Device work is placed when it is issued; plugins hear of it at once,
and of nothing that a real probe could not see.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, Literal

from hlprof_core.device import Engine, Generation
from hlprof_core.errors import DeviceError, SessionStateError
from hlprof_core.synapse.compiler import Compiler
from hlprof_core.synapse.graph import Graph
from hlprof_core.synapse.host import COMPILE_NODE_NS, HostClock
from hlprof_core.synapse.memory import DeviceMemory
from hlprof_core.synapse.recipe import Recipe
from hlprof_core.synapse.scheduler import Load, schedule
from hlprof_core.synapse.shim import ApiCall, EngineWork, Plugin, load_plugins
from hlprof_core.synapse.spread import spread_launch
from hlprof_core.synapse.stream import Event, Stream
from hlprof_core.synapse.timing.dma import host_copy_cost

Direction = Literal["host_to_device", "device_to_host"]
COPY_LABELS: dict[Direction, str] = {"host_to_device": "pdma_tx memcpy", "device_to_host": "pdma_rx memcpy"}
_FIRST_STREAM, _FIRST_EVENT = 0xD97F_0000_0000_0001, 0xE7E0_0001


def _nothing() -> None:
    """A call that only costs time."""


class Runtime:
    """One process's use of one device. ``plugins``: None loads what the environment asks for."""

    def __init__(
        self, generation: Generation, *, seed: int = 0, start_ns: int | None = None, plugins: Sequence[Plugin] | None = None
    ) -> None:
        self.generation = generation
        self.device_id: int | None = None
        self.recipes: list[Recipe] = []
        self.plugins: list[Plugin] = list(load_plugins() if plugins is None else plugins)
        self.enqueues = {"launch": 0, "memcpy": 0}
        self.memory = DeviceMemory(generation)
        self._host = HostClock(self._tell_call, seed=seed, start_ns=start_ns)
        self._compiler = Compiler(generation, seed=seed)
        self._device_rng = random.Random(f"device {seed}")
        # Its own source: whether somebody listens must not change when things happen.
        self._skew_rng = random.Random(f"skew {seed}")
        self._streams: list[Stream] = []
        self._events = 0
        self._compute_free_ns = 0
        self._channel_free_ns: dict[Direction, int] = {"host_to_device": 0, "device_to_host": 0}
        self._copies: list[EngineWork] = []
        self._is_finished = False
        for plugin in self.plugins:
            plugin.runtime_started(self)
        self._host.call("synInitialize", _nothing)

    @property
    def now_ns(self) -> int:
        """The host's clock: nanoseconds as of CLOCK_MONOTONIC_RAW, moved by the calls of the program."""
        return self._host.now_ns

    def spend_host(self, duration_ns: int) -> None:
        """The program works on the host without calling the runtime."""
        self._host.spend(duration_ns)

    def settle(self) -> None:
        """The host waits until the device is idle without a call of its own: what a profiler needs before it arms the trace units."""
        self._host.wait_until(self._last_end())

    # -- device -------------------------------------------------------------------------------------------------

    def acquire_device(self) -> int:
        """Take the device; one at a time."""
        self._require_running("synDeviceAcquire")
        if self.device_id is not None:
            raise SessionStateError("The device is acquired already.", hint="Release it first (synDeviceRelease).")
        self.device_id = 0
        for plugin in self.plugins:
            plugin.device_acquired(self, 0)
        self._host.call("synDeviceAcquire", _nothing, args={"deviceId": 0})
        return 0

    def release_device(self) -> None:
        """Wait for the device and give it back; what was allocated is gone."""
        device_id = self._require_device("synDeviceRelease")
        self._host.wait_until(self._last_end())
        self._host.call("synDeviceRelease", _nothing, args={"deviceId": device_id})
        self.device_id = None
        self._streams.clear()
        self.memory.clear()
        for plugin in self.plugins:
            plugin.device_released(self, device_id)

    def finish(self) -> None:
        """The program is done with the runtime; releases a device it still holds. A second call does nothing."""
        if self._is_finished:
            return
        if self.device_id is not None:
            self.release_device()
        self._host.call("synDestroy", _nothing)
        self._is_finished = True
        for plugin in self.plugins:
            plugin.runtime_finished(self)

    def compile(self, graph: Graph) -> Recipe:
        """Compile a graph. Needs no device."""
        self._require_running("synGraphCompile")
        extra = COMPILE_NODE_NS * len(graph.nodes)
        recipe = self._host.call("synGraphCompile", lambda: self._compiler.compile(graph), args={"graph": graph.name}, extra_ns=extra)
        self.recipes.append(recipe)
        return recipe

    def malloc(self, size_bytes: int) -> int:
        """Allocate device memory; returns its address. ``DeviceError`` when it does not fit."""
        self._require_device("synDeviceMalloc")
        return self._host.call("synDeviceMalloc", lambda: self.memory.allocate(size_bytes), args={"size": size_bytes})

    def free(self, address: int) -> None:
        """Give device memory back."""
        self._require_device("synDeviceFree")
        self._host.call("synDeviceFree", lambda: self.memory.release(address))

    # -- streams and events -------------------------------------------------------------------------------------

    def create_stream(self, name: str) -> Stream:
        """A new stream; work of different streams may overlap."""
        self._require_device("synStreamCreateGeneric")
        stream = Stream(_FIRST_STREAM + len(self._streams), name)
        self._streams.append(stream)
        self._host.call("synStreamCreateGeneric", _nothing)
        return stream

    def create_event(self) -> Event:
        self._require_device("synEventCreate")
        event = Event(_FIRST_EVENT + self._events)
        self._events += 1
        self._host.call("synEventCreate", _nothing)
        return event

    def record_event(self, event: Event, stream: Stream) -> None:
        """The event happens when everything issued to the stream so far is done."""
        self._require_device("synEventRecord")
        self._host.call("synEventRecord", _nothing, args={"streamHandle": hex(stream.handle)})
        event.time_ns = max(stream.ready_ns, self.now_ns)

    def wait_event(self, stream: Stream, event: Event) -> None:
        """What is issued to the stream from now on waits for the event."""
        self._require_device("synStreamWaitEvent")
        time_ns = _recorded(event, "A stream")
        self._host.call("synStreamWaitEvent", _nothing, args={"streamHandle": hex(stream.handle)})
        stream.ready_ns = max(stream.ready_ns, time_ns)

    def synchronize_event(self, event: Event) -> None:
        """The host waits for the event."""
        self._require_device("synEventSynchronize")
        time_ns = _recorded(event, "The host")
        self._host.call("synEventSynchronize", lambda: self._host.wait_until(time_ns))

    def synchronize_stream(self, stream: Stream) -> None:
        """The host waits until the stream is empty."""
        self._require_device("synStreamSynchronize")
        self._host.call("synStreamSynchronize", lambda: self._host.wait_until(stream.ready_ns))

    def synchronize_device(self) -> None:
        """The host waits until the device is idle."""
        self._require_device("synDeviceSynchronize")
        self._host.call("synDeviceSynchronize", self.settle)

    # -- enqueues -----------------------------------------------------------------------------------------------

    def launch(self, stream: Stream, recipe: Recipe) -> None:
        """Enqueue a recipe. Returns when the host has issued it, or, if a profiler wants so, when it is done."""
        self._require_device("synLaunch")
        if recipe not in self.recipes:
            raise SessionStateError(f"Recipe {recipe.name!r} was compiled by another runtime.", hint="Compile its graph in this one.")
        number, wait = self._begin_enqueue("launch")
        host, handle = self._host, hex(recipe.handle)
        args = {"recipeHandle": handle, "streamHandle": hex(stream.handle), "recipe id": recipe.recipe_id, "graph name": recipe.name}
        args["enqueue"] = number
        start, cost = host.now_ns, host.vary(self.generation.value("host_launch_ns"))
        host.spend(cost // 8)
        inner = host.now_ns
        host.spend(cost * 3 // 4)
        self._issue_launch(stream, recipe, number)
        sequence = self.recipes.index(recipe) + 1
        host.report(f"enqueueWithExternalEvents recipeHandle {handle} recipeSeqNum {sequence} seqId {number}", inner, args)
        host.spend(cost - cost // 8 - cost * 3 // 4)
        if wait:
            host.wait_until(stream.ready_ns)
        host.report("synLaunch", start, args)

    def copy(self, stream: Stream, direction: Direction, size_bytes: int, *, tensor: str = "") -> None:
        """Enqueue a copy of ``size_bytes`` between host and device memory."""
        self._require_device("synMemCopyAsync")
        number, wait = self._begin_enqueue("memcpy")

        def issue() -> None:
            self._issue_copy(stream, direction, size_bytes, number)
            if wait:
                self._host.wait_until(stream.ready_ns)

        args: dict[str, Any] = {"direction": direction, "size": size_bytes, "streamHandle": hex(stream.handle), "enqueue": number}
        if tensor:
            args["tensor"] = tensor
        self._host.call("synMemCopyAsync", issue, args=args)

    def _begin_enqueue(self, kind: str) -> tuple[int, bool]:
        self.enqueues[kind] += 1
        number = self.enqueues[kind]
        # Every plugin is asked: one may start recording here although another already wants to wait.
        wishes = [plugin.enqueue_starting(self, kind, number) for plugin in self.plugins]
        return number, any(wishes)

    def _issue_launch(self, stream: Stream, recipe: Recipe, number: int) -> None:
        overhead = int(self.generation.value("launch_overhead_ns"))
        start = max(self.now_ns, stream.ready_ns, self._compute_free_ns) + overhead
        placements = schedule(recipe, rng=self._device_rng, loads=self._copy_loads(start))
        stream.ready_ns = self._compute_free_ns = start + max(round(p.end) for p in placements)

        def spread() -> list[EngineWork]:
            return spread_launch(recipe, placements, start, self._skew_rng, stream=stream.handle, enqueue=number)

        self._tell_work("launch", number, spread)

    def _issue_copy(self, stream: Stream, direction: Direction, size_bytes: int, number: int) -> None:
        engine = self._host_channel(direction)
        start = max(self.now_ns, stream.ready_ns, self._channel_free_ns[direction])
        end = start + round(host_copy_cost(self.generation, size_bytes).alone_ns(self.generation.hbm_bytes_per_ns))
        stream.ready_ns = self._channel_free_ns[direction] = end
        label = COPY_LABELS[direction]
        work = EngineWork("DMA", engine.index, 0, None, start, end, stream.handle, number, label=label, size_bytes=size_bytes)
        self._copies.append(work)
        self._tell_work("memcpy", number, lambda: [work])

    def _copy_loads(self, start: int) -> list[Load]:
        """Memory traffic of host copies that were issued before and may overlap a launch at ``start``."""
        self._copies = [c for c in self._copies if c.end_ns > start]
        return [Load(c.start_ns - start, c.end_ns - start, c.size_bytes / max(1, c.end_ns - c.start_ns)) for c in self._copies]

    def _host_channel(self, direction: Direction) -> Engine:
        channels = self.generation.engines_of("DMA", direction)
        if not channels:
            raise DeviceError(f"{self.generation.title} has no DMA channel for {direction}.", hint="Check its device file.")
        return channels[0]

    # -- plugins and checks -------------------------------------------------------------------------------------

    def _tell_call(self, call: ApiCall) -> None:
        for plugin in self.plugins:
            plugin.api_called(self, call)

    def _tell_work(self, kind: str, number: int, make: Callable[[], list[EngineWork]]) -> None:
        """Engine work is only made when somebody listens."""
        if self.plugins:
            work = make()
            for plugin in self.plugins:
                plugin.enqueue_issued(self, kind, number, work)

    def _last_end(self) -> int:
        return max([self.now_ns, *(s.ready_ns for s in self._streams)])

    def _require_running(self, call: str) -> None:
        if self._is_finished:
            raise SessionStateError(f"{call} after synDestroy.", hint="Call synInitialize first.")

    def _require_device(self, call: str) -> int:
        self._require_running(call)
        if self.device_id is None:
            raise SessionStateError(f"{call} without a device.", hint="Call synDeviceAcquire first.")
        return self.device_id


def _recorded(event: Event, who: str) -> int:
    """When an event happens, or ``SessionStateError`` before it was recorded."""
    if event.time_ns is None:
        raise SessionStateError(f"{who} waits for an event that was never recorded.", hint="Call synEventRecord first.")
    return event.time_ns
