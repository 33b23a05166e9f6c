"""Slices a matrix product together with the element-wise nodes behind it, so that MME and TPC work at the same time.

    MME  [gemm 0][gemm 1][gemm 2][gemm 3]
    TPC          [add 0 ][add 1 ][add 2 ][add 3 ]      what only the bundle uses stays in SRAM
"""

from __future__ import annotations

import math

from msgspec import Struct

from hlprof_core.device import Generation
from hlprof_core.synapse.graph import Node
from hlprof_core.synapse.lowering import Lowered

SLICES = 4
"""Slices a bundle aims for."""
MIN_SLICE_BYTES = 256 * 1024
MAX_DESCRIPTORS = 16


class Bundle(Struct, frozen=True):
    """Positions of the nodes in program order; the first is the product."""

    members: tuple[int, ...]
    slices: int


def find_consumers(nodes: list[Node]) -> dict[str, list[int]]:
    """Positions of the nodes that read each tensor, in order."""
    consumers: dict[str, list[int]] = {}
    for position, node in enumerate(nodes):
        for tensor in node.inputs:
            consumers.setdefault(tensor.name, []).append(position)
    return consumers


def find_bundles(generation: Generation, nodes: list[Node], lowered: list[Lowered]) -> dict[int, Bundle]:
    """Bundles by the position of each member. A node belongs to one at most."""
    consumers = find_consumers(nodes)
    producers: dict[str, list[int]] = {}
    for position, node in enumerate(nodes):
        for tensor in node.outputs:
            producers.setdefault(tensor.name, []).append(position)
    found: dict[int, Bundle] = {}
    for position, node in enumerate(nodes):
        if lowered[position].engine_class != "MME":
            continue
        slices = min(SLICES, node.outputs[0].size_bytes // MIN_SLICE_BYTES)
        if slices < 2 or 2 * node.outputs[0].size_bytes // slices > usable_sram(generation):
            continue
        chain, inside = [position], {position}
        while (following := _follower(nodes, lowered, consumers, producers, chain, inside)) is not None and following not in found:
            chain.append(following)
            inside.add(following)
        if len(chain) > 1:
            bundle = Bundle(tuple(chain), slices)
            found.update(dict.fromkeys(chain, bundle))
    return found


def internal_tensors(nodes: list[Node], bundle: Bundle, consumers: dict[str, list[int]]) -> frozenset[str]:
    """Names of tensors that are made and used up inside the bundle."""
    inside = set(bundle.members)
    made = {t.name for p in bundle.members for t in nodes[p].outputs if not t.persistent}
    return frozenset(name for name in made if inside.issuperset(consumers.get(name, ())))


def descriptor_count(generation: Generation, node: Node) -> int:
    """How many pieces a product runs in by itself: its operands pass through half of the SRAM at a time."""
    size = sum(t.size_bytes for t in (*node.inputs, *node.outputs))
    return max(1, min(MAX_DESCRIPTORS, math.ceil(size / (usable_sram(generation) / 2))))


def usable_sram(generation: Generation) -> float:
    """Bytes of SRAM that the compiler may fill."""
    return generation.value("sram_bytes") - generation.value("sram_reserved_bytes")


def _follower(
    nodes: list[Node],
    lowered: list[Lowered],
    consumers: dict[str, list[int]],
    producers: dict[str, list[int]],
    chain: list[int],
    inside: set[int],
) -> int | None:
    """The next element-wise consumer whose other inputs exist before the product starts."""
    tail = nodes[chain[-1]].outputs[0]
    for candidate in consumers.get(tail.name, []):
        node = nodes[candidate]
        if candidate <= chain[-1] or not lowered[candidate].elementwise or node.outputs[0].elements != tail.elements:
            continue
        # It moves up to the product, so nothing in between may make or overwrite what it reads.
        between = {p for t in node.inputs for p in producers.get(t.name, ()) if chain[0] < p < candidate}
        if between <= inside:
            return candidate
    return None
