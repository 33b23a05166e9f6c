from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from hlprof_core.device import load_generation
from hlprof_core.synapse.graph import Graph
from hlprof_core.synapse.runtime import Runtime
from hlprof_core.synapse.shim import ApiCall, EngineWork


def dense_layer(name: str = "g", rows: int = 512, width: int = 4096, out: int = 4096) -> Graph:
    """gemm, bias and relu of one layer."""
    g = Graph(name)
    x, w = g.tensor("x", (rows, width), "f32", persistent=True), g.tensor("w", (out, width), "f32", persistent=True)
    b, a = g.tensor("b", (out,), "f32", persistent=True), g.tensor("a", (rows, out), "f32", persistent=True)
    y, z = g.tensor("y", (rows, out), "f32"), g.tensor("z", (rows, out), "f32")
    g.node("gemm", "fc/forward", [x, w], [y])
    g.node("add_fwd_f32", "fc/bias", [y, b], [z])
    g.node("relu_fwd_f32", "relu", [z], [a])
    return g


@dataclass
class Recorder:
    """A plugin that writes down what it is told."""

    wait: bool = False
    told: list[str] = field(default_factory=list)
    work: list[EngineWork] = field(default_factory=list)
    calls: list[ApiCall] = field(default_factory=list)

    def runtime_started(self, runtime: Runtime) -> None:
        self.told.append("runtime started")

    def device_acquired(self, runtime: Runtime, device_id: int) -> None:
        self.told.append("device acquired")

    def enqueue_starting(self, runtime: Runtime, kind: str, enqueue: int) -> bool:
        self.told.append(f"{kind} {enqueue} starting")
        return self.wait

    def enqueue_issued(self, runtime: Runtime, kind: str, enqueue: int, work: list[EngineWork]) -> None:
        self.told.append(f"{kind} {enqueue} issued")
        self.work += work

    def api_called(self, runtime: Runtime, call: ApiCall) -> None:
        self.calls.append(call)

    def device_released(self, runtime: Runtime, device_id: int) -> None:
        self.told.append("device released")

    def runtime_finished(self, runtime: Runtime) -> None:
        self.told.append("runtime finished")


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture
def runtime(recorder: Recorder) -> Runtime:
    return Runtime(load_generation("gaudi"), plugins=[recorder], start_ns=1_000_000_000)


@pytest.fixture
def layer() -> Graph:
    return dense_layer()
