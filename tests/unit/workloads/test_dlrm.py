from __future__ import annotations

import time

import pytest

from hlprof_core.device import load_generation
from hlprof_core.errors import UsageError
from hlprof_core.synapse.compiler import Compiler
from hlprof_core.synapse.runtime import Runtime
from hlprof_core.synapse.shim import EngineWork, Listener
from hlprof_core.workloads.catalog import WORKLOADS
from hlprof_core.workloads.loop import run_iterations
from hlprof_core.workloads.workload import Program

DLRM = WORKLOADS.get("dlrm")
GAUDI = load_generation("gaudi")


def _program(**chosen: str) -> Program:
    return DLRM.build(GAUDI, DLRM.values(chosen))


def test_the_medium_configuration_is_the_published_one() -> None:
    program = _program()
    weights = [t for t in program.graph.tensors.values() if t.name.endswith("/weight") and t.persistent]
    dense = sum(t.elements for t in weights if "mlp" in t.name)
    assert dense == pytest.approx(103.4e6, rel=0.001)
    assert [t.shape for t in weights if "embedding" in t.name] == [(3_000_000, 64)]
    assert program.published is not None
    assert _program(batch="256").published is None


def test_an_iteration_takes_what_was_published() -> None:
    program = _program()
    times = run_iterations(Runtime(GAUDI, plugins=[], start_ns=0), program, 4)
    print(f"model {times.iteration_ns / 1e6:.2f} ms, published 25.35 ms")
    assert times.iteration_ns == pytest.approx(25_350_000, rel=0.10)
    assert 512e9 / times.iteration_ns == pytest.approx(20_197, rel=0.10)


def test_operations_of_an_iteration() -> None:
    recipe = Compiler(GAUDI).compile(_program().graph)
    ops = [n.op for n in recipe.nodes]
    assert (ops.count("gemm"), ops.count("gemm_dedx"), ops.count("gemm_dedw")) == (11, 10, 11)  # the first layer passes no gradient on
    assert (ops.count("relu_fwd_f32"), ops.count("relu_bwd_f32")) == (10, 10)
    assert ops.count("optimizer_adagrad_bwd_f32") == 22
    assert ops.count("optimizer_sparse_adagrad_with_valid_count_2d_f32") == 1
    assert {n.op for n in recipe.nodes_of("DMA")} == {"memcpy_dma", "memset_dma"}
    assert {n.dtype for n in recipe.nodes} == {"float32"}
    assert {n.num_descriptors for n in recipe.nodes if n.op in ("add_fwd_f32", "relu_bwd_f32") and n.outputs[0].shape == (512, 4096)} == {4}
    names = {n.node_name for n in recipe.nodes}
    assert {"bottom_mlp/fc1/forward", "top_mlp/fc8/backward/weight", "embedding/table0/forward"} <= names
    assert {"interaction/concat", "loss/forward", "optimizer/adagrad/top_mlp/fc1/weight"} <= names


def test_mixed_precision_keeps_embeddings_loss_and_optimizer_in_f32() -> None:
    recipe = Compiler(GAUDI).compile(_program(dtype="bf16").graph)
    by_name = {n.node_name: n for n in recipe.nodes}
    assert by_name["top_mlp/fc1/forward"].dtype == "bfloat16"
    assert by_name["top_mlp/fc1/backward/weight"].outputs[0].dtype == "f32"
    assert by_name["embedding/table0/forward"].dtype == by_name["loss/forward"].dtype == "float32"
    assert {n.dtype for n in recipe.nodes if n.op.startswith("optimizer")} == {"float32"}
    f32, bf16 = (run_iterations(Runtime(GAUDI, plugins=[], start_ns=0), _program(dtype=d), 3).iteration_ns for d in ("f32", "bf16"))
    assert f32 / 4 < bf16 < f32 / 2


class _Collector(Listener):
    def __init__(self) -> None:
        self.work: list[EngineWork] = []

    def enqueue_issued(self, runtime: Runtime, kind: str, enqueue: int, work: list[EngineWork]) -> None:
        self.work += work


def test_input_copies_hide_behind_computing() -> None:
    recorder = _Collector()
    run_iterations(Runtime(GAUDI, plugins=[recorder], start_ns=0), _program(), 3)
    down = [w for w in recorder.work if w.recipe is None and w.engine_index == 0]
    assert len(down) == 3 * len(_program().inputs)
    launches = [[w for w in recorder.work if w.recipe is not None and w.enqueue == i] for i in (1, 2, 3)]
    starts, ends = [min(w.start_ns for w in x) for x in launches], [max(w.end_ns for w in x) for x in launches]
    per_batch = len(_program().inputs)
    assert all(w.end_ns <= starts[0] for w in down[:per_batch])
    # The second batch goes to the free set at once; the third as soon as the first iteration has left its set.
    second, third = down[per_batch : 2 * per_batch], down[2 * per_batch :]
    assert all(starts[0] < w.start_ns and w.end_ns < ends[0] for w in second)
    assert all(ends[0] <= w.start_ns and w.end_ns < ends[1] for w in third)
    back = [w for w in recorder.work if w.recipe is None and w.engine_index == 1]
    assert [w.size_bytes for w in back] == [4, 4, 4]


@pytest.mark.parametrize(
    ("chosen", "says"),
    [
        ({"batch": "0"}, "batch='0'"),
        ({"bottom": "64-x"}, "bottom='64-x'"),
        ({"bottom": "64-32"}, "bottom ends in 32"),
        ({"top": "8-2"}, "top ends in 2"),
        ({"dtype": "f8"}, "f32, bf16"),
        ({"bach": "1"}, "batch"),
    ],
)
def test_impossible_options_are_explained(chosen: dict[str, str], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        _program(**chosen)


@pytest.mark.parametrize("device", ["gaudi2", "gaudi3"])
def test_later_generations_are_faster(device: str) -> None:
    generation = load_generation(device)
    program = DLRM.build(generation, DLRM.values({}))
    assert program.published is None
    assert run_iterations(Runtime(generation, plugins=[], start_ns=0), program, 2).iteration_ns < 20_000_000


def test_fifteen_observed_iterations_cost_little_time() -> None:
    began = time.thread_time()
    collector = _Collector()
    run_iterations(Runtime(GAUDI, plugins=[collector]), _program(), 15)
    assert time.thread_time() - began < 1.5
    assert len(collector.work) > 15_000
