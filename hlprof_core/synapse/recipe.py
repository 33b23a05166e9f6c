"""What the compiler makes of a graph: engine work with its order and costs, and the debug information that gives it names."""

from __future__ import annotations

from functools import cached_property

from msgspec import Struct

from hlprof_core.device import Generation
from hlprof_core.synapse.graph import Graph, Tensor
from hlprof_core.synapse.timing.cost import Cost


class NodeDebug(Struct, frozen=True):
    """Debug record of one node: what joins a trace event (engine class and context id) to the user's node."""

    engine_class: str
    context_id: int
    """Full context id: counts the nodes of the engine class from 0, not cut to 13 bits."""
    node_name: str
    op: str
    """Kernel guid."""
    dtype: str
    """As traces write it: ``float32``, ``bfloat16``."""
    unique_id: int
    """The compiler's node id, from 1, over all engine classes."""
    num_working_engines: int
    num_descriptors: int
    """Pieces one engine runs one after the other (activations)."""
    bundle_index: int | None
    """Bundle that the node was sliced into with its neighbours; None: not sliced."""
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    cost: Cost
    """Of the whole node, alone on the device."""


class Task(Struct, frozen=True):
    """One piece of a node on its engines. ``depends`` are (task index, latency in ns after its end)."""

    node: int
    activation: int
    engine_class: str
    cost: Cost
    depends: tuple[tuple[int, float], ...]


class Recipe(Struct, frozen=True, eq=False, dict=True):
    """A compiled graph. Two compilations are two recipes, so equality is identity."""

    name: str
    recipe_id: int
    """0xE001 to 0xFFFE; what the first node of each engine class carries instead of its context id."""
    handle: int
    """As the host sees it: an address."""
    generation: Generation
    graph: Graph
    nodes: tuple[NodeDebug, ...]
    tasks: tuple[Task, ...]
    """In the order in which they are put on the queue of their engine class."""

    @cached_property
    def _by_context(self) -> dict[tuple[str, int], NodeDebug]:
        return {(n.engine_class, n.context_id): n for n in self.nodes}

    def node_of(self, engine_class: str, context_id: int) -> NodeDebug | None:
        """The node with that full context id, or None."""
        return self._by_context.get((engine_class, context_id))

    def nodes_of(self, engine_class: str) -> tuple[NodeDebug, ...]:
        """All nodes of an engine class by context id."""
        return tuple(n for n in self.nodes if n.engine_class == engine_class)
