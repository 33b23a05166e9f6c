from __future__ import annotations

import pytest

from hlprof_core.device import load_generation
from hlprof_core.synapse.graph import Node, Tensor
from hlprof_core.synapse.timing.kernels import KERNELS, split_guid
from hlprof_core.synapse.timing.tpc import kernel_cost

GAUDI = load_generation("gaudi")


def _unary(rows: int, width: int = 4096, dtype: str = "f32") -> Node:
    x, y = Tensor("x", (rows, width), dtype), Tensor("y", (rows, width), dtype)
    return Node("n", f"relu_fwd_{dtype}", (x,), (y,))


def test_simple_kernels_are_bound_by_memory() -> None:
    cost = kernel_cost(GAUDI, KERNELS["relu_fwd"], _unary(512))
    assert cost.hbm_bytes == 2 * 512 * 4096 * 4
    assert cost.compute_ns < cost.hbm_bytes / GAUDI.hbm_bytes_per_ns
    assert cost.engines == 8


def test_special_functions_are_bound_by_the_vector_slot() -> None:
    cost = kernel_cost(GAUDI, KERNELS["log_fwd"], _unary(512))
    assert cost.compute_ns > cost.hbm_bytes / GAUDI.hbm_bytes_per_ns
    # 35 operations a vector on eight cores at 1.9 GHz: 28 G elements a second
    assert 512 * 4096 / cost.compute_ns == pytest.approx(28, rel=0.02)


def test_small_tensors_use_fewer_cores() -> None:
    assert kernel_cost(GAUDI, KERNELS["relu_fwd"], _unary(1, 64)).engines == 1
    assert kernel_cost(GAUDI, KERNELS["relu_fwd"], _unary(3, 256)).engines == 3


def test_uneven_index_space_costs_the_slowest_core() -> None:
    even = kernel_cost(GAUDI, KERNELS["log_fwd"], _unary(8, 256))
    uneven = kernel_cost(GAUDI, KERNELS["log_fwd"], _unary(9, 256))
    assert uneven.compute_ns == pytest.approx(2 * even.compute_ns)


def test_what_stays_in_sram_is_no_memory_traffic() -> None:
    node = _unary(512)
    assert kernel_cost(GAUDI, KERNELS["relu_fwd"], node, off_chip=frozenset({"y"})).hbm_bytes == 512 * 4096 * 4
    inside = kernel_cost(GAUDI, KERNELS["relu_fwd"], node, off_chip=frozenset())
    assert inside.hbm_bytes == 0
    assert inside.compute_ns >= 2 * 512 * 4096 * 4 / GAUDI.value("sram_gbps")


@pytest.mark.parametrize(("width", "counted"), [(16, 256), (64, 256), (256, 1024)])
def test_gathered_rows_waste_the_rest_of_a_vector(width: int, counted: int) -> None:
    table, out = Tensor("t", (1_000_000, width), "f32", True), Tensor("o", (100, width), "f32")
    indices, offsets = Tensor("i", (3800,), "i32", True), Tensor("f", (100,), "i32", True)
    node = Node("n", "embedding_bag_sum_2d_fwd_f32", (table, indices, offsets), (out,))
    cost = kernel_cost(GAUDI, KERNELS["embedding_bag_sum_2d_fwd"], node)
    assert cost.hbm_bytes == pytest.approx(3800 * counted / 0.64 + indices.size_bytes + offsets.size_bytes + out.size_bytes)


def test_guids_carry_their_type() -> None:
    assert split_guid("relu_fwd_bf16") == ("relu_fwd", "bf16")
    assert split_guid("gemm") == ("gemm", "")
    assert split_guid("cast_f32_to_bf16") == ("cast_f32_to_bf16", "")
