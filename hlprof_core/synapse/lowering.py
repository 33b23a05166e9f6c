"""Which engine class executes a node, under which operation name, and at what cost. The operator map; knows no schedule."""

from __future__ import annotations

import math

from msgspec import Struct

from hlprof_core.device import Generation
from hlprof_core.errors import SimulationError, UnknownName
from hlprof_core.synapse.graph import Node
from hlprof_core.synapse.timing.cost import Cost
from hlprof_core.synapse.timing.dma import transfer_cost
from hlprof_core.synapse.timing.kernels import KERNELS, Kernel, split_guid
from hlprof_core.synapse.timing.mme import gemm_cost
from hlprof_core.synapse.timing.tpc import kernel_cost

LOGICAL = frozenset({"reshape", "static_reshape", "identity", "transpose_logic", "flatten"})
PRODUCTS = frozenset(
    {"gemm", "gemm_dedx", "gemm_dedw", "fp8_gemm", "batch_gemm", "batch_gemm_dedx", "batch_gemm_dedw", "masked_batch_gemm"}
)
CONVOLUTIONS = frozenset({"spatial_convolution", "dedx", "dedw"})
MOVES = {"concat": "memcpy", "split": "memcpy", "memcpy": "memcpy", "memset": "memset", "transpose": "transpose"}
_MOVE_KERNELS = {"memcpy": "memcpy", "memset": "memset", "transpose": "transpose_fwd"}


class Lowered(Struct, frozen=True):
    """A node bound to an engine class; ``engine_class`` "" means it vanishes. ``kernel`` only for TPC."""

    engine_class: str
    op: str
    kernel: Kernel | None = None

    @property
    def elementwise(self) -> bool:
        return self.kernel is not None and self.kernel.elementwise


def lower(generation: Generation, node: Node) -> Lowered:
    """Bind a node to its engine class; an unknown guid is an ``UnknownName`` error."""
    base, _ = split_guid(node.guid)
    if base in LOGICAL:
        return Lowered("", node.guid)
    if base in PRODUCTS or base in CONVOLUTIONS:
        return Lowered("MME", node.guid)
    if base in MOVES:
        move = MOVES[base]
        engine_class = generation.lowering[move]
        kernel = KERNELS[_MOVE_KERNELS[move]] if engine_class == "TPC" else None
        return Lowered(engine_class, f"{move}_{engine_class.lower()}", kernel)
    if base in KERNELS:
        return Lowered("TPC", node.guid, KERNELS[base])
    known = [*KERNELS, *PRODUCTS, *CONVOLUTIONS, *MOVES, *LOGICAL]
    raise UnknownName("kernel", node.guid, known, hint=f"Node {node.name!r} needs one that the model knows.")


def node_cost(generation: Generation, node: Node, lowered: Lowered, off_chip: frozenset[str] | None = None) -> Cost:
    """Cost of the whole node alone. ``off_chip``: names of tensors that go through HBM; None: all of them."""
    if lowered.engine_class == "MME":
        return _mme_cost(generation, node, off_chip)
    if lowered.kernel is not None:
        return kernel_cost(generation, lowered.kernel, node, off_chip=off_chip)
    written = sum(t.size_bytes for t in node.outputs)
    read = 0 if lowered.op.startswith("memset") else sum(t.size_bytes for t in node.inputs)
    return transfer_cost(generation, read, written)


def product_shape(node: Node) -> tuple[int, int, int, int]:
    """(batch, M, K, N) of an MME node, checked against its operands."""
    if len(node.inputs) < 2 or not node.outputs:
        raise SimulationError(f"Node {node.name!r} ({node.guid}) needs two inputs and an output.", hint="Check the graph.")
    a, b, out = node.inputs[0], node.inputs[1], node.outputs[0]
    n = out.shape[-1]
    if node.guid in CONVOLUTIONS:
        m = out.elements // n
        k = a.elements // a.shape[-1] if node.guid == "dedw" else b.elements // n
        return 1, m, k, n
    if len(out.shape) < 2:
        raise SimulationError(f"Node {node.name!r} ({node.guid}) has the output shape {out.shape}.", hint="A product has two dimensions.")
    m, batch = out.shape[-2], math.prod(out.shape[:-2])
    k = a.elements // (batch * m)
    if batch * m * k != a.elements or batch * k * n != b.elements:
        raise SimulationError(f"Node {node.name!r}: {a.shape} x {b.shape} does not give {out.shape}.", hint="Check the shapes.")
    return batch, m, k, n


def _mme_cost(generation: Generation, node: Node, off_chip: frozenset[str] | None) -> Cost:
    tensors = (*node.inputs, *node.outputs)
    traffic = float(sum(t.size_bytes for t in tensors if off_chip is None or t.name in off_chip))
    if MOVES.get(node.guid) == "transpose":
        return Cost(0.0, traffic, engines=len(generation.engines_of("MME")))
    batch, m, k, n = product_shape(node)
    return gemm_cost(generation, m, k, n, dtype=node.inputs[0].dtype, out_dtype=node.outputs[0].dtype, batch=batch, hbm_bytes=traffic)
