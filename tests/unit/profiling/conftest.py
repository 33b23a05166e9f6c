"""A small program on the modelled device, recorded as a configuration says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from hlprof_core.config.commandline import parse_words
from hlprof_core.config.document import ProfConfig
from hlprof_core.config.request import apply_request
from hlprof_core.device import load_generation
from hlprof_core.profiling.compose import compose_trace
from hlprof_core.profiling.recorder import Recorder
from hlprof_core.synapse.graph import Graph
from hlprof_core.synapse.runtime import Runtime
from hlprof_core.trace.model import Trace

START_NS = 5_000_000_000


def configured(line: str) -> ProfConfig:
    """The configuration that ``hl-prof-config`` makes of these words."""
    config = ProfConfig()
    request = parse_words(line.split())
    assert request.problems == []
    assert apply_request(request, config) == []
    return config


def small_graph(name: str = "net", layers: int = 3) -> Graph:
    """Layers of a product and an activation."""
    graph = Graph(name)
    x = graph.tensor("x", (512, 1024), "f32", persistent=True)
    for i in range(layers):
        weight = graph.tensor(f"w{i}", (1024, 1024), "f32", persistent=True)
        product = graph.tensor(f"p{i}", (512, 1024), "f32")
        graph.node("gemm", f"fc{i}/forward", [x, weight], [product])
        x = graph.tensor(f"a{i}", (512, 1024), "f32")
        graph.node("relu_fwd_f32", f"relu{i}/forward", [product], [x])
    return graph


@dataclass
class Run:
    """A recorder that writes nothing, at a runtime that starts at a known time."""

    recorder: Recorder
    runtime: Runtime

    def program(self, launches: int = 4, *, copies: bool = True, waits: bool = True) -> None:
        """Acquire, copy in and launch some times, release."""
        self.runtime.acquire_device()
        recipe = self.runtime.compile(small_graph())
        compute, feed = self.runtime.create_stream("compute"), self.runtime.create_stream("feed")
        for _ in range(launches):
            if copies:
                self.runtime.copy(feed, "host_to_device", 1 << 20, tensor="x")
            self.runtime.launch(compute, recipe)
        if waits:
            self.runtime.synchronize_device()
        self.runtime.release_device()

    def trace(self) -> Trace:
        return compose_trace(self.recorder.recording())

    def device_slices(self) -> list[tuple[str, str]]:
        """(row, name) of every slice of an engine."""
        trace = self.trace()
        tracks = [trace.tracks[t] for t in trace.slices.track]
        return [(t.name, trace.name(i)) for i, t in enumerate(tracks) if trace.processes[t.process].name != "Host"]


@pytest.fixture
def record(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Run]:
    """``record("-i", device="gaudi2")``: a recorder for that configuration at a fresh runtime; no file is written."""

    def start(line: str = "", device: str = "gaudi") -> Run:
        recorder = Recorder(configured(line))
        monkeypatch.setattr(recorder, "save", list)
        runtime = Runtime(load_generation(device), start_ns=START_NS, plugins=[recorder])
        started.append(runtime)
        return Run(recorder, runtime)

    started: list[Runtime] = []
    yield start
    for runtime in started:
        runtime.finish()
