"""The device as a program sees it: acquire, compile, launch, copy, wait, release; executed by the model on a virtual clock.

The clock starts at CLOCK_MONOTONIC_RAW and moves by what calls cost, so a run is the same for a seed however busy this machine is.
Device work is placed when it is issued; its plugins hear of it at once, and of nothing that a real probe could not see.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar

from hlprof_core.device import Engine, Generation
from hlprof_core.errors import DeviceError, SessionStateError
from hlprof_core.synapse.compiler import Compiler
from hlprof_core.synapse.graph import Graph
from hlprof_core.synapse.recipe import Recipe
from hlprof_core.synapse.scheduler import Load, Placement, schedule
from hlprof_core.synapse.shim import ApiCall, EngineWork, Plugin, load_plugins
from hlprof_core.synapse.spread import spread_launch
from hlprof_core.synapse.stream import Event, Stream
from hlprof_core.synapse.timing.dma import host_copy_cost
from hlprof_core.units import format_bytes

Direction = Literal["host_to_device", "device_to_host"]
T = TypeVar("T")

# What host calls cost in ns. Nothing is published; these are plausible figures, only the launch is in the device file.
HOST_COSTS = {
    "synInitialize": 2_000_000,
    "synDestroy": 500_000,
    "synDeviceAcquire": 300_000,
    "synDeviceRelease": 200_000,
    "synGraphCompile": 4_000_000,
    "synStreamCreateGeneric": 20_000,
    "synStreamWaitEvent": 900,
    "synStreamSynchronize": 2_000,
    "synEventCreate": 1_500,
    "synEventRecord": 1_200,
    "synEventSynchronize": 2_000,
    "synMemCopyAsync": 4_500,
    "synDeviceMalloc": 30_000,
    "synDeviceFree": 15_000,
    "synDeviceSynchronize": 2_500,
}
COMPILE_NODE_NS = 350_000
WAKE_NS = 6_000
"""From the device's interrupt to the waiting thread running again."""
HOST_JITTER = 0.15
COPY_LABELS = {"host_to_device": "pdma_tx memcpy", "device_to_host": "pdma_rx memcpy"}


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
        self.allocated_bytes = 0
        self._now_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW) if start_ns is None else start_ns
        self._compiler = Compiler(generation, seed=seed)
        self._host_rng = random.Random(f"host {seed}")
        self._device_rng = random.Random(f"device {seed}")
        self._skew_rng = random.Random(f"skew {seed}")
        self._streams: list[Stream] = []
        self._events = 0
        self._compute_free_ns = 0
        self._channel_free_ns: dict[str, int] = {"host_to_device": 0, "device_to_host": 0}
        self._copies: list[EngineWork] = []
        self._addresses: dict[int, int] = {}
        self._finished = False
        for plugin in self.plugins:
            plugin.runtime_started(self)
        self._host_call("synInitialize", HOST_COSTS["synInitialize"])

    # -- clock and host -----------------------------------------------------------------------------------------

    @property
    def now_ns(self) -> int:
        """The host's clock: nanoseconds as of CLOCK_MONOTONIC_RAW, moved by the calls of the program."""
        return self._now_ns

    def spend_host(self, duration_ns: int) -> None:
        """The program works on the host without calling the runtime."""
        self._now_ns += max(0, duration_ns)

    def _host_call(self, name: str, cost_ns: int, args: dict[str, Any] | None = None, inside: Callable[[], T] | None = None) -> T | None:
        """A host call: half of its cost, what it does, the other half; then plugins hear of it."""
        if self._finished:
            raise SessionStateError(f"{name} after synDestroy.", hint="Call synInitialize first.")
        start = self._now_ns
        cost = int(cost_ns * (1 + HOST_JITTER * self._host_rng.uniform(-1, 1)))
        self._now_ns += cost // 2
        result = inside() if inside is not None else None
        self._now_ns += cost - cost // 2
        self._tell_call(name, start, args or {})
        return result

    def _tell_call(self, name: str, start_ns: int, args: dict[str, Any]) -> None:
        if self.plugins:
            call = ApiCall(name, start_ns, self._now_ns, threading.current_thread().name, args=args)
            for plugin in self.plugins:
                plugin.api_called(self, call)

    # -- device -------------------------------------------------------------------------------------------------

    def acquire_device(self) -> int:
        """Take the device; one at a time."""
        if self.device_id is not None:
            raise SessionStateError("The device is acquired already.", hint="Release it first (synDeviceRelease).")
        self.device_id = 0
        for plugin in self.plugins:
            plugin.device_acquired(self, 0)
        self._host_call("synDeviceAcquire", HOST_COSTS["synDeviceAcquire"], {"deviceId": 0})
        return 0

    def release_device(self) -> None:
        """Wait for the device and give it back; what was allocated is gone."""
        device_id = self._require_device("synDeviceRelease")
        self._wait_until(self._last_end())
        self._host_call("synDeviceRelease", HOST_COSTS["synDeviceRelease"], {"deviceId": device_id})
        self.device_id = None
        self._streams.clear()
        self._addresses.clear()
        self.allocated_bytes = 0
        for plugin in self.plugins:
            plugin.device_released(self, device_id)

    def finish(self) -> None:
        """The program is done with the runtime; releases a device it still holds. A second call does nothing."""
        if self._finished:
            return
        if self.device_id is not None:
            self.release_device()
        self._host_call("synDestroy", HOST_COSTS["synDestroy"])
        self._finished = True
        for plugin in self.plugins:
            plugin.runtime_finished(self)

    def compile(self, graph: Graph) -> Recipe:
        """Compile a graph. Needs no device."""
        cost = HOST_COSTS["synGraphCompile"] + COMPILE_NODE_NS * len(graph.nodes)
        recipe = self._host_call("synGraphCompile", cost, {"graph": graph.name}, lambda: self._compiler.compile(graph))
        assert recipe is not None
        self.recipes.append(recipe)
        return recipe

    def malloc(self, size_bytes: int) -> int:
        """Allocate device memory; returns its address. ``DeviceError`` when it does not fit."""
        self._require_device("synDeviceMalloc")
        capacity = self.generation.hbm_bytes
        if self.allocated_bytes + size_bytes > capacity:
            raise DeviceError(
                f"{format_bytes(size_bytes)} do not fit: {self.generation.title} has {format_bytes(capacity)}, "
                f"{format_bytes(self.allocated_bytes)} are in use.",
                hint="Use a smaller batch or model, or a device with more memory.",
            )
        address = 0x2000_0000_0000 + sum(self._addresses.values())
        while address in self._addresses:
            address += 1 << 20
        self._addresses[address] = size_bytes
        self.allocated_bytes += size_bytes
        self._host_call("synDeviceMalloc", HOST_COSTS["synDeviceMalloc"], {"size": size_bytes})
        return address

    def free(self, address: int) -> None:
        """Give device memory back."""
        self._require_device("synDeviceFree")
        if address not in self._addresses:
            raise DeviceError(f"No device memory was allocated at {address:#x}.", hint="Free what synDeviceMalloc returned, once.")
        self.allocated_bytes -= self._addresses.pop(address)
        self._host_call("synDeviceFree", HOST_COSTS["synDeviceFree"])

    # -- streams and events -------------------------------------------------------------------------------------

    def create_stream(self, name: str) -> Stream:
        """A new stream; work of different streams may overlap."""
        self._require_device("synStreamCreateGeneric")
        stream = Stream(0xD97F_0000_0000_0001 + len(self._streams), name)
        self._streams.append(stream)
        self._host_call("synStreamCreateGeneric", HOST_COSTS["synStreamCreateGeneric"])
        return stream

    def create_event(self) -> Event:
        self._require_device("synEventCreate")
        self._events += 1
        self._host_call("synEventCreate", HOST_COSTS["synEventCreate"])
        return Event(0xE7E0_0000 + self._events)

    def record_event(self, event: Event, stream: Stream) -> None:
        """The event happens when everything issued to the stream so far is done."""
        self._host_call("synEventRecord", HOST_COSTS["synEventRecord"], {"streamHandle": hex(stream.handle)})
        event.time_ns = max(stream.ready_ns, self._now_ns)

    def wait_event(self, stream: Stream, event: Event) -> None:
        """What is issued to the stream from now on waits for the event."""
        if event.time_ns is None:
            raise SessionStateError("A stream waits for an event that was never recorded.", hint="Call synEventRecord first.")
        self._host_call("synStreamWaitEvent", HOST_COSTS["synStreamWaitEvent"], {"streamHandle": hex(stream.handle)})
        stream.ready_ns = max(stream.ready_ns, event.time_ns)

    def synchronize_event(self, event: Event) -> None:
        """The host waits for the event."""
        if event.time_ns is None:
            raise SessionStateError("The host waits for an event that was never recorded.", hint="Call synEventRecord first.")
        until = event.time_ns
        self._host_call("synEventSynchronize", HOST_COSTS["synEventSynchronize"], None, lambda: self._wait_until(until))

    def synchronize_stream(self, stream: Stream) -> None:
        """The host waits until the stream is empty."""
        self._host_call("synStreamSynchronize", HOST_COSTS["synStreamSynchronize"], None, lambda: self._wait_until(stream.ready_ns))

    def synchronize_device(self) -> None:
        """The host waits until the device is idle."""
        self._require_device("synDeviceSynchronize")
        self._host_call("synDeviceSynchronize", HOST_COSTS["synDeviceSynchronize"], None, lambda: self._wait_until(self._last_end()))

    # -- enqueues -----------------------------------------------------------------------------------------------

    def launch(self, stream: Stream, recipe: Recipe) -> None:
        """Enqueue a recipe. Returns when the host has issued it, or, if a profiler wants so, when it is done."""
        self._require_device("synLaunch")
        number, wait = self._begin_enqueue("launch")
        start = self._now_ns
        cost = int(self.generation.value("host_launch_ns") * (1 + HOST_JITTER * self._host_rng.uniform(-1, 1)))
        self._now_ns += cost // 8
        inner = self._now_ns
        self._now_ns += cost * 3 // 4
        self._issue_launch(stream, recipe, number)
        handle = f"{recipe.handle:#x}"
        name = f"enqueueWithExternalEvents recipeHandle {handle} recipeSeqNum {self.recipes.index(recipe) + 1} seqId {number}"
        args = {"recipeHandle": handle, "streamHandle": hex(stream.handle), "recipe id": recipe.recipe_id, "graph name": recipe.name}
        args["enqueue"] = number
        self._tell_call(name, inner, args)
        self._now_ns += cost - cost // 8 - cost * 3 // 4
        if wait:
            self._wait_until(stream.ready_ns)
        self._tell_call("synLaunch", start, args)

    def copy(self, stream: Stream, direction: Direction, size_bytes: int, *, tensor: str = "") -> None:
        """Enqueue a copy of ``size_bytes`` between host and device memory."""
        self._require_device("synMemCopyAsync")
        number, wait = self._begin_enqueue("memcpy")

        def issue() -> None:
            self._issue_copy(stream, direction, size_bytes, number)
            if wait:
                self._wait_until(stream.ready_ns)

        args = {"direction": direction, "size": size_bytes, "streamHandle": hex(stream.handle), "enqueue": number}
        if tensor:
            args["tensor"] = tensor
        self._host_call("synMemCopyAsync", HOST_COSTS["synMemCopyAsync"], args, issue)

    def _begin_enqueue(self, kind: str) -> tuple[int, bool]:
        self.enqueues[kind] += 1
        number = self.enqueues[kind]
        # Every plugin is asked: one may start recording here although another already wants to wait.
        wishes = [plugin.enqueue_starting(self, kind, number) for plugin in self.plugins]
        return number, any(wishes)

    def _issue_launch(self, stream: Stream, recipe: Recipe, number: int) -> None:
        overhead = int(self.generation.value("launch_overhead_ns"))
        start = max(self._now_ns, stream.ready_ns, self._compute_free_ns) + overhead
        placements = schedule(recipe, rng=self._device_rng, loads=self._copy_loads(start))
        end = start + max(round(p.end) for p in placements)
        stream.ready_ns = self._compute_free_ns = end
        self._tell_work("launch", number, lambda: self._spread(recipe, placements, start, stream, number))

    def _spread(self, recipe: Recipe, placements: list[Placement], start: int, stream: Stream, number: int) -> list[EngineWork]:
        return spread_launch(recipe, placements, start, self._skew_rng, stream=stream.handle, enqueue=number)

    def _issue_copy(self, stream: Stream, direction: Direction, size_bytes: int, number: int) -> None:
        engine = self._host_channel(direction)
        start = max(self._now_ns, stream.ready_ns, self._channel_free_ns[direction])
        end = start + round(host_copy_cost(self.generation, size_bytes).alone_ns(self.generation.hbm_bytes_per_ns))
        stream.ready_ns = self._channel_free_ns[direction] = end
        label = COPY_LABELS[direction]
        work = EngineWork("DMA", engine.index, 0, None, start, end, stream.handle, number, label=label, size_bytes=size_bytes)
        self._copies.append(work)
        self._tell_work("memcpy", number, lambda: [work])

    def _tell_work(self, kind: str, number: int, make: Callable[[], list[EngineWork]]) -> None:
        """Engine work is only made when somebody listens."""
        if self.plugins:
            work = make()
            for plugin in self.plugins:
                plugin.enqueue_issued(self, kind, number, work)

    def _copy_loads(self, start: int) -> list[Load]:
        """Memory traffic of host copies that were issued before and may overlap a launch at ``start``."""
        self._copies = [c for c in self._copies if c.end_ns > start]
        return [Load(c.start_ns - start, c.end_ns - start, c.size_bytes / max(1, c.end_ns - c.start_ns)) for c in self._copies]

    def _host_channel(self, direction: str) -> Engine:
        channels = self.generation.engines_of("DMA", direction)
        if not channels:
            raise DeviceError(f"{self.generation.title} has no DMA channel for {direction}.", hint="Check its device file.")
        return channels[0]

    def _last_end(self) -> int:
        return max([self._now_ns, *(s.ready_ns for s in self._streams)])

    def settle(self) -> None:
        """The host waits until the device is idle without a call of its own: what a profiler needs before it arms the trace units."""
        self._wait_until(self._last_end())

    def _wait_until(self, time_ns: int) -> None:
        """The host sleeps until the device reaches ``time_ns``; waking up takes a moment."""
        if time_ns > self._now_ns:
            self._now_ns = time_ns + WAKE_NS

    def _require_device(self, call: str) -> int:
        if self.device_id is None:
            raise SessionStateError(f"{call} without a device.", hint="Call synDeviceAcquire first.")
        return self.device_id
