from __future__ import annotations

import pytest

from hlprof_core.device import load_generation
from hlprof_core.errors import SimulationError
from hlprof_core.synapse.compiler import FIRST_RECIPE_ID, LAST_RECIPE_ID, Compiler
from hlprof_core.synapse.graph import Graph

GAUDI = load_generation("gaudi")


def test_debug_records_count_contexts_per_engine_class(layer: Graph) -> None:
    recipe = Compiler(GAUDI).compile(layer)
    assert [(n.engine_class, n.context_id, n.node_name, n.op, n.dtype) for n in recipe.nodes] == [
        ("MME", 0, "fc/forward", "gemm", "float32"),
        ("TPC", 0, "fc/bias", "add_fwd_f32", "float32"),
        ("TPC", 1, "relu", "relu_fwd_f32", "float32"),
    ]
    assert [n.unique_id for n in recipe.nodes] == [1, 2, 3]
    assert [n.num_working_engines for n in recipe.nodes] == [2, 8, 8]
    node = recipe.node_of("TPC", 1)
    assert node is not None
    assert node.node_name == "relu"
    assert recipe.node_of("TPC", 2) is None
    assert len(recipe.nodes_of("TPC")) == 2


def test_a_product_and_what_follows_it_are_sliced_together(layer: Graph) -> None:
    recipe = Compiler(GAUDI).compile(layer)
    order = [(recipe.nodes[t.node].node_name, t.activation) for t in recipe.tasks]
    assert order == [(name, i) for i in range(4) for name in ("fc/forward", "fc/bias", "relu")]
    assert {n.bundle_index for n in recipe.nodes} == {0}
    bias, relu = recipe.nodes[1], recipe.nodes[2]
    assert bias.cost.hbm_bytes == 4096 * 4  # y and z never leave the chip
    assert relu.cost.hbm_bytes == 512 * 4096 * 4


def test_a_tensor_used_elsewhere_leaves_the_chip() -> None:
    g = Graph("g")
    x, w = g.tensor("x", (512, 1024), "f32", persistent=True), g.tensor("w", (1024, 1024), "f32", persistent=True)
    y, a, s = g.tensor("y", (512, 1024), "f32"), g.tensor("a", (512, 1024), "f32"), g.tensor("s", (1024,), "f32", persistent=True)
    g.node("gemm", "fc", [x, w], [y])
    g.node("relu_fwd_f32", "relu", [y], [a])
    g.node("reduce_sum_fwd_f32", "sum", [y], [s])
    recipe = Compiler(GAUDI).compile(g)
    assert recipe.nodes[1].cost.hbm_bytes == 2 * 512 * 1024 * 4 - a.size_bytes  # a is used by nobody outside, y is
    assert recipe.nodes[2].bundle_index is None


def test_weights_that_the_optimizer_updates_later_do_not_prevent_slicing(layer: Graph) -> None:
    bias = layer.tensors["b"]
    moment, rate = layer.tensor("m", bias.shape, "f32", persistent=True), layer.tensor("r", (1,), "f32", persistent=True)
    layer.node("optimizer_adagrad_bwd_f32", "update", [bias, bias, moment, rate], [bias, moment])
    recipe = Compiler(GAUDI).compile(layer)
    assert [n.bundle_index for n in recipe.nodes] == [0, 0, 0, None]
    assert [n.num_descriptors for n in recipe.nodes] == [4, 4, 4, 1]


def test_what_is_made_between_product_and_consumer_keeps_them_apart() -> None:
    g = Graph("g")
    x, w = g.tensor("x", (512, 1024), "f32", persistent=True), g.tensor("w", (1024, 1024), "f32", persistent=True)
    y, other, z = (g.tensor(name, (512, 1024), "f32") for name in ("y", "other", "z"))
    g.node("gemm", "fc", [x, w], [y])
    g.node("relu_fwd_f32", "elsewhere", [x], [other])
    g.node("add_fwd_f32", "join", [y, other], [z])
    assert {n.bundle_index for n in Compiler(GAUDI).compile(g).nodes} == {None}


def test_logical_nodes_vanish_and_pass_their_input_on() -> None:
    g = Graph("g")
    x = g.tensor("x", (64, 64), "f32", persistent=True)
    y, r, z = g.tensor("y", (64, 64), "f32"), g.tensor("r", (4096,), "f32"), g.tensor("z", (4096,), "f32")
    g.node("relu_fwd_f32", "a", [x], [y])
    g.node("reshape", "view", [y], [r])
    g.node("relu_fwd_f32", "b", [r], [z])
    recipe = Compiler(GAUDI).compile(g)
    assert [n.node_name for n in recipe.nodes] == ["a", "b"]
    assert recipe.tasks[1].depends == ((0, GAUDI.value("node_gap_ns")),)


def test_an_update_in_place_waits_for_former_readers() -> None:
    g = Graph("g")
    x, w = g.tensor("x", (64, 64), "f32", persistent=True), g.tensor("w", (64, 64), "f32", persistent=True)
    m, grad = g.tensor("m", (64, 64), "f32", persistent=True), g.tensor("grad", (64, 64), "f32", persistent=True)
    r, y = g.tensor("r", (1,), "f32", persistent=True), g.tensor("y", (64, 64), "f32")
    g.node("gemm", "fc", [x, w], [y])
    g.node("optimizer_adagrad_bwd_f32", "update", [grad, w, m, r], [w, m])
    recipe = Compiler(GAUDI).compile(g)
    assert recipe.tasks[1].depends == ((0, GAUDI.value("sync_latency_ns")),)


def test_recipe_ids_are_drawn_from_the_range_and_fixed_by_the_seed(layer: Graph) -> None:
    def ids(seed: int) -> list[int]:
        compiler = Compiler(GAUDI, seed=seed)
        return [compiler.compile(layer).recipe_id for _ in range(5)]

    assert ids(0) == ids(0) != ids(1)
    assert len(set(ids(0))) == 5
    assert all(FIRST_RECIPE_ID <= i <= LAST_RECIPE_ID for i in ids(0))


def test_a_graph_without_work_is_refused() -> None:
    with pytest.raises(SimulationError, match="'empty'"):
        Compiler(GAUDI).compile(Graph("empty"))
