"""The TPC kernels the model knows: vector operations per vector, and how they touch memory. The one list of kernels."""

from __future__ import annotations

from msgspec import Struct


class Kernel(Struct, frozen=True):
    """Cost drivers of a kernel. Counts are per 256-byte vector of the largest tensor it walks over."""

    ops: float
    """Vector-slot operations in 32-bit floating point."""
    ops_16: float
    """The same for 16-bit data (twice the elements a vector)."""
    loads: int = 1
    stores: int = 1
    passes: float = 1.0
    """How often the inputs are read from memory."""
    elementwise: bool = False
    """One output element from the same element of each input: may be sliced together with its producer."""
    index_input: int | None = None
    """Input that holds row numbers; then ``row_inputs`` and ``row_outputs`` are touched by row, not whole."""
    row_inputs: tuple[int, ...] = ()
    row_outputs: tuple[int, ...] = ()


# Vector-operation counts of the special functions were counted in published kernel expansions; the simple ones include
# the address and loop words of a documented loop (3.5 cycles a vector).
_SIMPLE, _EXP, _TANH, _LOG, _RSQRT, _DIV = 3.5, 29.0, 12.0, 35.0, 16.0, 24.0

KERNELS: dict[str, Kernel] = {
    "relu_fwd": Kernel(_SIMPLE, _SIMPLE, elementwise=True),
    "relu_bwd": Kernel(_SIMPLE, _SIMPLE, loads=2, elementwise=True),
    "gelu_fwd": Kernel(_TANH + 6, _TANH + 6, elementwise=True),
    "gelu_bwd": Kernel(_TANH + 12, _TANH + 12, loads=2, elementwise=True),
    "sigmoid_fwd": Kernel(_TANH + 3, _TANH + 3, elementwise=True),
    "sigmoid_bwd": Kernel(_SIMPLE, _SIMPLE, loads=2, elementwise=True),
    "tanh_fwd": Kernel(_TANH, _TANH, elementwise=True),
    "tanh_bwd": Kernel(_SIMPLE, _SIMPLE, loads=2, elementwise=True),
    "exp_fwd": Kernel(_EXP, 13, elementwise=True),
    "log_fwd": Kernel(_LOG, 17, elementwise=True),
    "add_fwd": Kernel(_SIMPLE, _SIMPLE, loads=2, elementwise=True),
    "sub_fwd": Kernel(_SIMPLE, _SIMPLE, loads=2, elementwise=True),
    "mult_fwd": Kernel(_SIMPLE, _SIMPLE, loads=2, elementwise=True),
    "div_fwd": Kernel(_DIV, _DIV, loads=2, elementwise=True),
    "constant": Kernel(1, 1, loads=0),
    "memcpy": Kernel(_SIMPLE, _SIMPLE),
    "memset": Kernel(1, 1, loads=0),
    "transpose_fwd": Kernel(_SIMPLE, _SIMPLE),
    "cast_f32_to_bf16": Kernel(_SIMPLE, _SIMPLE, elementwise=True),
    "cast_bf16_to_f32": Kernel(_SIMPLE, _SIMPLE, elementwise=True),
    "reduce_sum_fwd": Kernel(1, 1),
    "reduce_mean_fwd": Kernel(1, 1),
    "softmax_fwd": Kernel(33, 17, passes=2),
    "softmax_bwd": Kernel(2 * _SIMPLE, 2 * _SIMPLE, loads=2),
    "layer_norm_fwd": Kernel(8, 8, passes=2),
    "layer_norm_bwd": Kernel(14, 14, loads=2, passes=2),
    "batch_norm_fwd": Kernel(8, 8, passes=2),
    "batch_norm_bwd": Kernel(14, 14, loads=2, passes=2),
    "dropout_fwd": Kernel(12, 12),
    "binary_cross_entropy_fwd": Kernel(2 * _LOG + 6, 2 * 17 + 6, loads=2),
    "binary_cross_entropy_bwd": Kernel(_DIV + 6, _DIV + 6, loads=2),
    "embedding_bag_sum_2d_fwd": Kernel(1, 1, index_input=1, row_inputs=(0,)),
    "embedding_bag_sum_small_lengths_2d_fwd": Kernel(1, 1, index_input=1, row_inputs=(0,)),
    "embedding_bag_sum_mid_lengths_2d_fwd": Kernel(1, 1, index_input=1, row_inputs=(0,)),
    "gather_fwd": Kernel(1, 1, index_input=1, row_inputs=(0,)),
    "optimizer_sgd_bwd": Kernel(_SIMPLE, _SIMPLE, loads=2),
    "optimizer_adagrad_bwd": Kernel(_RSQRT + 6, _RSQRT + 6, loads=3, stores=2),
    "optimizer_sparse_sgd_with_valid_count_2d": Kernel(_SIMPLE, _SIMPLE, loads=2, index_input=2, row_inputs=(1,), row_outputs=(0,)),
    "optimizer_sparse_adagrad_with_valid_count_2d": Kernel(
        _RSQRT + 6, _RSQRT + 6, loads=3, stores=2, index_input=3, row_inputs=(1, 2), row_outputs=(0, 1)
    ),
}

DTYPE_SUFFIXES = ("f32", "bf16", "f16", "f8", "i32", "i16", "i8", "u8", "i64")


def split_guid(guid: str) -> tuple[str, str]:
    """Base name and data type of a guid: ``relu_fwd_f32`` -> (``relu_fwd``, ``f32``); the type is "" where there is none."""
    if guid in KERNELS:  # cast_f32_to_bf16 ends in a type that belongs to its name
        return guid, ""
    base, _, suffix = guid.rpartition("_")
    return (base, suffix) if base and suffix in DTYPE_SUFFIXES else (guid, "")
