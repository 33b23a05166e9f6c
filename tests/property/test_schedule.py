"""Whatever graph is compiled: order, dependencies, memory bandwidth and the conservation of work hold."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from hlprof_core.device import device_names, load_generation
from hlprof_core.synapse.compiler import Compiler
from hlprof_core.synapse.graph import Graph, Tensor
from hlprof_core.synapse.scheduler import schedule
from hlprof_core.synapse.spread import spread_launch


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Square activations through a random mix of products, kernels, copies and views."""
    side = draw(st.sampled_from([16, 64, 256, 1024]))
    g = Graph("random")
    made: list[Tensor] = [g.tensor("x", (side, side), "f32", persistent=True)]
    kinds = st.sampled_from(["gemm", "relu_fwd_f32", "add_fwd_f32", "memcpy", "memset", "transpose", "reshape", "reduce_sum_fwd_f32"])
    for i in range(draw(st.integers(1, 14))):
        kind = draw(kinds)
        count = {"gemm": 2, "add_fwd_f32": 2, "memset": 0}.get(kind, 1)
        inputs = [draw(st.sampled_from(made)) for _ in range(count)]
        out = g.tensor(f"t{i}", (side, side), "f32")
        g.node(kind, f"{kind}/{i}", inputs, [out])
        made.append(out)
    g.node("relu_fwd_f32", "last", [made[-1]], [g.tensor("end", (side, side), "f32")])
    return g


@settings(max_examples=80, deadline=None)
@given(graph=graphs(), device=st.sampled_from(device_names()), seed=st.integers(0, 3))
def test_schedules_keep_their_promises(graph: Graph, device: str, seed: int) -> None:
    generation = load_generation(device)
    recipe = Compiler(generation).compile(graph)
    placements = schedule(recipe, rng=random.Random(seed))
    assert len(placements) == len(recipe.tasks)
    bandwidth, jitter = generation.hbm_bytes_per_ns, generation.value("jitter")
    queues: dict[str, float] = {}
    for placement in placements:
        task = placement.task
        for index, latency in task.depends:
            assert placement.start >= placements[index].end + latency - 1e-3
        assert placement.start >= queues.get(task.engine_class, 0.0) - 1e-3  # in order, one at a time
        queues[task.engine_class] = placement.end
        assert placement.end - placement.start >= task.cost.alone_ns(bandwidth) * (1 - jitter) - 1e-3
    span = max(p.end for p in placements)
    assert sum(t.cost.hbm_bytes for t in recipe.tasks) <= bandwidth * span * (1 + jitter) + 1
    assert sum(1 for t in recipe.tasks) == sum(n.num_descriptors for n in recipe.nodes)


@settings(max_examples=40, deadline=None)
@given(graph=graphs(), device=st.sampled_from(device_names()), seed=st.integers(0, 3))
def test_engines_never_overlap_and_cover_their_tasks(graph: Graph, device: str, seed: int) -> None:
    generation = load_generation(device)
    recipe = Compiler(generation).compile(graph)
    placements = schedule(recipe, rng=random.Random(seed))
    work = spread_launch(recipe, placements, 1_000, random.Random(seed), stream=1, enqueue=1)
    assert len(work) == sum(t.cost.engines for t in recipe.tasks)
    rows: dict[tuple[str, int], int] = {}
    for item in work:
        key = (item.engine_class, item.engine_index)
        assert item.start_ns >= rows.get(key, 0)
        assert item.end_ns >= item.start_ns
        rows[key] = item.end_ns
        node = recipe.node_of(item.engine_class, item.context_id)
        assert node is not None
    assert max(w.end_ns for w in work) == 1_000 + round(max(p.end for p in placements))
