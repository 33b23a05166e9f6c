"""The iteration loop of a program: launch, fetch the result, prepare and send the next batch while the device computes."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from msgspec import Struct

from hlprof_core.synapse.runtime import Runtime
from hlprof_core.synapse.stream import Event, Stream
from hlprof_core.workloads.workload import Program

Step = Callable[[int], AbstractContextManager[object]]


class RunTimes(Struct, frozen=True):
    """When the device had the batch and when it finished it, per iteration; ns of the runtime's clock."""

    started_ns: tuple[int, ...]
    done_ns: tuple[int, ...]

    @property
    def iteration_ns(self) -> int:
        """Time per iteration once the device is busy: the median distance between ends, or the only iteration's own time."""
        gaps = [b - a for a, b in zip(self.done_ns, self.done_ns[1:], strict=False)]
        return round(statistics.median(gaps)) if gaps else self.done_ns[0] - self.started_ns[0]


def run_iterations(runtime: Runtime, program: Program, iterations: int, step: Step | None = None) -> RunTimes:
    """Run ``iterations`` of the program, counted from 1; ``step(i)`` is entered around what belongs to iteration i."""
    recipe = runtime.compile(program.graph)
    runtime.acquire_device()
    # Inputs exist twice, so that the next batch can arrive while this one is used.
    second_set = sum(t.size_bytes for t in program.inputs)
    buffers = [runtime.malloc(program.graph.persistent_bytes + second_set), runtime.malloc(program.graph.workspace_bytes)]
    feed = _Feed(runtime, program)
    compute, fetch = runtime.create_stream("compute"), runtime.create_stream("device_to_host")
    done = [runtime.create_event() for _ in range(2)]
    fetched = [runtime.create_event() for _ in range(2)]
    started: list[int] = []
    finished: list[int] = []
    feed.send(0, None)
    for i in range(1, iterations + 1):
        with step(i) if step is not None else nullcontext():
            slot = (i - 1) % 2
            feed.wait(compute, slot)
            started.append(max(runtime.now_ns, compute.ready_ns))
            runtime.launch(compute, recipe)
            runtime.record_event(done[slot], compute)
            finished.append(compute.ready_ns)
            runtime.wait_event(fetch, done[slot])
            for tensor in program.outputs:
                runtime.copy(fetch, "device_to_host", tensor.size_bytes, tensor=tensor.name)
            runtime.record_event(fetched[slot], fetch)
            if i < iterations:
                runtime.spend_host(program.host_prepare_ns)
                feed.send(1 - slot, done[1 - slot] if i > 1 else None)
            if i > 1:
                # The result of the iteration before: the host is never more than one iteration ahead.
                runtime.synchronize_event(fetched[1 - slot])
    runtime.synchronize_device()
    for address in buffers:
        runtime.free(address)
    runtime.release_device()
    return RunTimes(tuple(started), tuple(finished))


class _Feed:
    """Sends batches into two alternating sets of input tensors."""

    def __init__(self, runtime: Runtime, program: Program) -> None:
        self._runtime, self._inputs = runtime, program.inputs
        self._stream = runtime.create_stream("host_to_device")
        self._ready: list[Event] = [runtime.create_event() for _ in range(2)]

    def send(self, slot: int, used: Event | None) -> None:
        """Copy the next batch into a set; ``used``: when the device has finished with what is there."""
        if used is not None:
            self._runtime.wait_event(self._stream, used)
        for tensor in self._inputs:
            self._runtime.copy(self._stream, "host_to_device", tensor.size_bytes, tensor=tensor.name)
        self._runtime.record_event(self._ready[slot], self._stream)

    def wait(self, stream: Stream, slot: int) -> None:
        """The stream waits until the batch in that set is complete."""
        self._runtime.wait_event(stream, self._ready[slot])
