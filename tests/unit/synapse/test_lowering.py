from __future__ import annotations

import pytest

from hlprof_core.device import load_generation
from hlprof_core.errors import SimulationError, UnknownName
from hlprof_core.synapse.graph import Node, Tensor
from hlprof_core.synapse.lowering import lower, node_cost, product_shape


def _tensor(*shape: int, name: str = "t") -> Tensor:
    return Tensor(name, shape, "f32")


def _node(guid: str, *tensors: Tensor) -> Node:
    return Node("n", guid, tensors[:-1], tensors[-1:])


@pytest.mark.parametrize(
    ("guid", "engine_class", "op"),
    [
        ("gemm_dedw", "MME", "gemm_dedw"),
        ("spatial_convolution", "MME", "spatial_convolution"),
        ("relu_fwd_f32", "TPC", "relu_fwd_f32"),
        ("optimizer_adagrad_bwd_f32", "TPC", "optimizer_adagrad_bwd_f32"),
        ("concat", "DMA", "memcpy_dma"),
        ("memset", "DMA", "memset_dma"),
        ("transpose", "DMA", "transpose_dma"),
        ("reshape", "", "reshape"),
    ],
)
def test_operators_of_gaudi(guid: str, engine_class: str, op: str) -> None:
    lowered = lower(load_generation("gaudi"), _node(guid, _tensor(4, 4), _tensor(4, 4)))
    assert (lowered.engine_class, lowered.op) == (engine_class, op)


def test_gaudi_3_copies_on_the_tensor_cores_and_transposes_on_the_matrix_engines() -> None:
    gaudi3 = load_generation("gaudi3")
    assert lower(gaudi3, _node("concat", _tensor(4), _tensor(4))).op == "memcpy_tpc"
    transpose = _node("transpose", _tensor(256, 512), _tensor(512, 256))
    assert lower(gaudi3, transpose).op == "transpose_mme"
    assert node_cost(gaudi3, transpose, lower(gaudi3, transpose)).alone_ns(gaudi3.hbm_bytes_per_ns) > 0


@pytest.mark.parametrize(
    ("guid", "a", "b", "out", "shape"),
    [
        ("gemm", (512, 1024), (4096, 1024), (512, 4096), (1, 512, 1024, 4096)),
        ("gemm_dedx", (512, 4096), (4096, 1024), (512, 1024), (1, 512, 4096, 1024)),
        ("gemm_dedw", (512, 4096), (512, 1024), (4096, 1024), (1, 4096, 512, 1024)),
        ("batch_gemm", (8, 27, 32), (8, 32, 27), (8, 27, 27), (8, 27, 32, 27)),
        ("spatial_convolution", (2, 56, 56, 64), (3, 3, 64, 128), (2, 56, 56, 128), (1, 2 * 56 * 56, 576, 128)),
        ("dedw", (2, 56, 56, 128), (2, 56, 56, 64), (3, 3, 64, 128), (1, 576, 2 * 56 * 56, 128)),
    ],
)
def test_shapes_of_products(guid: str, a: tuple, b: tuple, out: tuple, shape: tuple) -> None:
    assert product_shape(_node(guid, _tensor(*a), _tensor(*b), _tensor(*out))) == shape


def test_shapes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(SimulationError, match=r"'n': \(4, 8\) x \(9, 4\)"):
        product_shape(_node("gemm", _tensor(4, 8), _tensor(9, 4), _tensor(4, 4)))


def test_an_unknown_kernel_is_named_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match=r"reluu_fwd_f32.*relu_fwd"):
        lower(load_generation("gaudi"), _node("reluu_fwd_f32", _tensor(4), _tensor(4)))
