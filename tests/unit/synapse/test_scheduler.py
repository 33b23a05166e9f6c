from __future__ import annotations

import random

import pytest

from hlprof_core.device import load_generation
from hlprof_core.synapse.compiler import Compiler
from hlprof_core.synapse.graph import Graph
from hlprof_core.synapse.scheduler import Load, schedule
from hlprof_core.synapse.timing.mme import gemm_in_graph_ns

GAUDI = load_generation("gaudi")


def _independent_products(count: int, m: int, k: int, n: int, dtype: str) -> Graph:
    g = Graph("products")
    for i in range(count):
        a, b = g.tensor(f"a{i}", (m, k), dtype, persistent=True), g.tensor(f"b{i}", (k, n), dtype, persistent=True)
        g.node("gemm", f"gemm{i}", [a, b], [g.tensor(f"c{i}", (m, n), dtype)])
    return g


@pytest.mark.parametrize(
    ("count", "m", "k", "n", "dtype"), [(8, 4096, 32, 512, "bf16"), (32, 256, 1024, 256, "f32"), (8, 16384, 64, 512, "f32")]
)
def test_a_launch_of_products_takes_what_the_formula_says(count: int, m: int, k: int, n: int, dtype: str) -> None:
    placements = schedule(Compiler(GAUDI).compile(_independent_products(count, m, k, n, dtype)))
    per_product = (max(p.end for p in placements) + GAUDI.value("launch_overhead_ns")) / count
    assert per_product == pytest.approx(gemm_in_graph_ns(GAUDI, m, k, n, dtype=dtype, nodes_in_graph=count), rel=1e-3)


def test_tensor_cores_work_while_the_matrix_engines_go_on(layer: Graph) -> None:
    placements = schedule(Compiler(GAUDI).compile(layer))
    mme_end = max(p.end for p in placements if p.task.engine_class == "MME")
    assert sum(1 for p in placements if p.task.engine_class == "TPC" and p.end < mme_end) == 6
    assert mme_end < max(p.end for p in placements)


def _two_copies() -> Graph:
    """A memory-bound kernel and a memory-bound copy that have nothing to do with each other."""
    g = Graph("copies")
    x, y = g.tensor("x", (1 << 24,), "f32", persistent=True), g.tensor("y", (1 << 24,), "f32", persistent=True)
    g.node("relu_fwd_f32", "relu", [x], [g.tensor("a", (1 << 24,), "f32")])
    g.node("memcpy", "copy", [y], [g.tensor("b", (1 << 24,), "f32")])
    return g


def test_memory_bandwidth_is_shared() -> None:
    recipe = Compiler(GAUDI).compile(_two_copies())
    alone = [n.cost.alone_ns(GAUDI.hbm_bytes_per_ns) for n in recipe.nodes]
    together = [p.end - p.start for p in schedule(recipe)]
    assert together == pytest.approx([2 * a for a in alone], rel=0.05)


def test_other_traffic_slows_memory_bound_work() -> None:
    g = Graph("one")
    x = g.tensor("x", (1 << 24,), "f32", persistent=True)
    g.node("relu_fwd_f32", "relu", [x], [g.tensor("a", (1 << 24,), "f32")])
    recipe = Compiler(GAUDI).compile(g)
    free = schedule(recipe)[0].end
    loaded = schedule(recipe, loads=[Load(-10.0, free * 10, GAUDI.hbm_bytes_per_ns / 4)])[0].end
    assert loaded == pytest.approx(free * 4 / 3, rel=0.01)
    half = schedule(recipe, loads=[Load(0.0, free / 2, GAUDI.hbm_bytes_per_ns / 4)])[0].end
    assert free < half < loaded


def test_jitter_is_small_and_fixed_by_the_seed(layer: Graph) -> None:
    recipe = Compiler(GAUDI).compile(layer)
    first, again, other = (schedule(recipe, rng=random.Random(s)) for s in (1, 1, 2))
    assert first == again != other
    assert first[-1].end == pytest.approx(schedule(recipe)[-1].end, rel=GAUDI.value("jitter"))
