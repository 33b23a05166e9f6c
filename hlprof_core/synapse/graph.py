"""A graph of nodes and tensors as a framework hands it to the compiler. Knows no device."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from msgspec import Struct, field

from hlprof_core.errors import SimulationError, UnknownName

DTYPE_BYTES = {"f32": 4, "i32": 4, "tf32": 4, "bf16": 2, "f16": 2, "i16": 2, "f8": 1, "i8": 1, "u8": 1, "i64": 8}
DTYPE_TITLES = {
    "f32": "float32", "i32": "int32", "tf32": "tf32", "bf16": "bfloat16", "f16": "float16",
    "i16": "int16", "f8": "float8", "i8": "int8", "u8": "uint8", "i64": "int64",
}  # fmt: skip
"""As traces write them."""


class Tensor(Struct, frozen=True):
    """A tensor; ``persistent`` ones live in device memory between launches (weights, inputs, outputs)."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    persistent: bool = False

    @property
    def elements(self) -> int:
        return math.prod(self.shape)

    @property
    def size_bytes(self) -> int:
        return self.elements * DTYPE_BYTES[self.dtype]

    @property
    def row_bytes(self) -> int:
        """Bytes of one entry of the first dimension."""
        return self.size_bytes // self.shape[0] if self.shape else self.size_bytes


class Node(Struct, frozen=True):
    """One operation. ``guid`` names the kernel; TPC kernels end in their data type (``relu_fwd_f32``)."""

    name: str
    guid: str
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    params: dict[str, Any] = field(default_factory=dict)


class Graph:
    """Nodes in the order of the program: what produces a tensor comes before what uses it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.nodes: list[Node] = []
        self.tensors: dict[str, Tensor] = {}
        self._node_names: set[str] = set()
        self._known: set[str] = set()

    def tensor(self, name: str, shape: Sequence[int], dtype: str, *, persistent: bool = False) -> Tensor:
        """Add a tensor; names are given once, sizes are positive."""
        if dtype not in DTYPE_BYTES:
            raise UnknownName("data type", dtype, DTYPE_BYTES, hint=f"Known are {', '.join(DTYPE_BYTES)}.")
        if name in self.tensors:
            raise SimulationError(f"Graph {self.name!r}: tensor {name!r} is declared twice.", hint="Give each tensor its own name.")
        if any(size <= 0 for size in shape):
            message = f"Graph {self.name!r}: tensor {name!r} has the shape {tuple(shape)}."
            raise SimulationError(message, hint="Every size must be positive.")
        tensor = self.tensors[name] = Tensor(name, tuple(shape), dtype, persistent)
        if persistent:
            self._known.add(name)
        return tensor

    def node(self, guid: str, name: str, inputs: Sequence[Tensor], outputs: Sequence[Tensor], **params: Any) -> Node:
        """Append a node; its inputs must be persistent or made by an earlier node."""
        if name in self._node_names:
            raise SimulationError(f"Graph {self.name!r}: node {name!r} is declared twice.", hint="Give each node its own name.")
        for tensor in inputs:
            if tensor.name not in self._known:
                raise SimulationError(
                    f"Graph {self.name!r}: node {name!r} uses tensor {tensor.name!r} before anything produced it.",
                    hint="Make it persistent or add its producer first.",
                )
        node = Node(name, guid, tuple(inputs), tuple(outputs), params)
        self._node_names.add(name)
        self._known.update(t.name for t in outputs)
        self.nodes.append(node)
        return node

    @property
    def persistent_bytes(self) -> int:
        """Device memory that the persistent tensors need."""
        return sum(t.size_bytes for t in self.tensors.values() if t.persistent)

    @property
    def workspace_bytes(self) -> int:
        """Device memory for everything else, without sharing between tensors that live at different times."""
        return sum(t.size_bytes for t in self.tensors.values() if not t.persistent)
