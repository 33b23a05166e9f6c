"""How long a kernel takes on the tensor cores: vector slot, load and store slots, or memory, whichever is slowest."""

from __future__ import annotations

import math

from hlprof_core.device import Generation
from hlprof_core.synapse.graph import DTYPE_BYTES, Node, Tensor
from hlprof_core.synapse.timing.cost import Cost
from hlprof_core.synapse.timing.kernels import Kernel

VECTORS_PER_INDEX = 4
"""Vectors that one member of the index space handles: kernels are unrolled by four to hide the pipeline."""


def kernel_cost(generation: Generation, kernel: Kernel, node: Node, *, off_chip: frozenset[str] | None = None) -> Cost:
    """Cost of a node on the TPCs. ``off_chip``: names of its tensors that go through HBM; None: all, others stay in SRAM."""
    vector = generation.value("tpc_vector_bytes")
    rows = node.inputs[kernel.index_input].elements if kernel.index_input is not None else 0
    walked = max(_walked_bytes(kernel, node, rows, vector), 1.0)
    vectors = math.ceil(walked / vector)
    lead = node.outputs[0] if node.outputs else node.inputs[0]
    ops = kernel.ops if DTYPE_BYTES[lead.dtype] >= 4 else kernel.ops_16
    cycles = max(ops * vectors, kernel.loads * vectors, kernel.stores * vectors)
    index_space = math.ceil(vectors / VECTORS_PER_INDEX)
    engines = max(1, min(len(generation.engines_of("TPC")), index_space))
    imbalance = math.ceil(index_space / engines) * engines / index_space
    compute = cycles * imbalance / (engines * generation.value("f_tpc_ghz"))
    traffic, local = 0.0, 0.0
    for tensor, size in _traffic(generation, kernel, node, rows, vector):
        if off_chip is None or tensor.name in off_chip:
            traffic += size
        else:
            local += size
    compute = max(compute, local / generation.value("sram_gbps"))
    return Cost(compute, traffic, fixed_ns=generation.value("tpc_start_ns"), engines=engines)


def _walked_bytes(kernel: Kernel, node: Node, rows: int, vector: float) -> float:
    """Bytes of the largest tensor the kernel goes through once, row by row where it gathers."""
    if kernel.index_input is not None:
        table = node.inputs[kernel.row_inputs[0]]
        return rows * max(table.row_bytes, vector)
    return max((t.size_bytes for t in (*node.inputs, *node.outputs)), default=0)


def _traffic(generation: Generation, kernel: Kernel, node: Node, rows: int, vector: float) -> list[tuple[Tensor, float]]:
    """Bytes each tensor moves. Rows shorter than a vector waste the rest of it, and gathering does not reach full efficiency."""
    efficiency = generation.value("gather_efficiency")

    def by_row(t: Tensor) -> float:
        return rows * max(t.row_bytes, vector) / efficiency

    read = [(t, by_row(t) if i in kernel.row_inputs else t.size_bytes * kernel.passes) for i, t in enumerate(node.inputs)]
    written = [(t, by_row(t) if i in kernel.row_outputs else float(t.size_bytes)) for i, t in enumerate(node.outputs)]
    return read + written
