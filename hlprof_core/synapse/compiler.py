"""Turns a graph into a recipe: lowers nodes to engine work, slices bundles, orders tasks, numbers contexts.

    nodes -> lowering (engine class, cost) -> bundling -> tasks with dependencies + debug records
"""

from __future__ import annotations

import random

from msgspec import Struct, field

from hlprof_core.device import Generation
from hlprof_core.errors import SimulationError
from hlprof_core.synapse.bundling import Bundle, descriptor_count, find_bundles, find_consumers, internal_tensors
from hlprof_core.synapse.graph import DTYPE_TITLES, Graph, Node
from hlprof_core.synapse.lowering import Lowered, lower, node_cost
from hlprof_core.synapse.recipe import NodeDebug, Recipe, Task
from hlprof_core.synapse.timing.kernels import split_guid

FIRST_RECIPE_ID, LAST_RECIPE_ID = 0xE001, 0xFFFE
_HANDLE_BASE, _HANDLE_STEP = 0x55CE83ED0000, 0x490


class Compiler:
    """Compiles graphs for one generation; recipe ids are drawn from a shuffle that ``seed`` fixes."""

    def __init__(self, generation: Generation, *, seed: int = 0) -> None:
        self.generation = generation
        self._ids = list(range(FIRST_RECIPE_ID, LAST_RECIPE_ID + 1))
        random.Random(f"recipe ids {seed}").shuffle(self._ids)
        self._compiled = 0

    def compile(self, graph: Graph) -> Recipe:
        """The recipe of a graph. Raises ``UnknownName`` for a kernel and ``SimulationError`` for shapes that do not fit."""
        nodes, aliases = _drop_logical(self.generation, graph)
        if not nodes:
            raise SimulationError(f"Graph {graph.name!r} has no node that does work.", hint="Add one.")
        lowered = [lower(self.generation, node) for node in nodes]
        program = _Program(self.generation, nodes, lowered, aliases)
        program.emit()
        recipe_id = self._ids[self._compiled % len(self._ids)]
        handle = _HANDLE_BASE + self._compiled * _HANDLE_STEP
        self._compiled += 1
        return Recipe(graph.name, recipe_id, handle, self.generation, graph, tuple(program.debug), tuple(program.tasks))


def _drop_logical(generation: Generation, graph: Graph) -> tuple[list[Node], dict[str, str]]:
    """The nodes that do work, and for outputs of logical nodes the tensor they are a view of."""
    aliases: dict[str, str] = {}
    kept = []
    for node in graph.nodes:
        if lower(generation, node).engine_class:
            kept.append(node)
        else:
            source = node.inputs[0].name
            aliases.update({t.name: aliases.get(source, source) for t in node.outputs})
    return kept, aliases


class _Program(Struct):
    """Tasks under construction; remembers who wrote and who read each tensor last."""

    generation: Generation
    nodes: list[Node]
    lowered: list[Lowered]
    aliases: dict[str, str]
    debug: list[NodeDebug] = field(default_factory=list)
    tasks: list[Task] = field(default_factory=list)
    _contexts: dict[str, int] = field(default_factory=dict)
    _consumers: dict[str, list[int]] = field(default_factory=dict)
    _bundles: int = 0
    """How many were sliced so far."""
    _writer: dict[str, int] = field(default_factory=dict)
    """Tensor -> index of the last task that writes it."""
    _readers: dict[str, list[int]] = field(default_factory=dict)

    def emit(self) -> None:
        self._consumers = find_consumers(self.nodes)
        bundles = find_bundles(self.generation, self.nodes, self.lowered)
        done: set[int] = set()
        for position in range(len(self.nodes)):
            if position in done:
                continue
            bundle = bundles.get(position) or Bundle((position,), 0)
            done.update(bundle.members)
            self._emit_bundle(bundle)

    def _emit_bundle(self, bundle: Bundle) -> None:
        sliced = bundle.slices > 1
        internal = internal_tensors(self.nodes, bundle, self._consumers) if sliced else frozenset()
        index = self._bundles if sliced else None
        self._bundles += sliced
        slots = [self._add_debug(p, bundle.slices if sliced else None, internal, index) for p in bundle.members]
        outside = [self._dependencies(p, internal) for p in bundle.members]
        pieces = self.debug[slots[0]].num_descriptors
        last: list[int] = [0] * len(slots)
        for piece in range(pieces):
            for place, slot in enumerate(slots):
                record = self.debug[slot]
                needs = dict(outside[place])
                if place:
                    needs[last[place - 1]] = self._latency(self.tasks[last[place - 1]].engine_class, record.engine_class)
                cost = record.cost.part(1 / pieces)
                last[place] = len(self.tasks)
                self.tasks.append(Task(slot, piece, record.engine_class, cost, tuple(sorted(needs.items()))))
        for place, position in enumerate(bundle.members):
            self._note_access(position, last[place])

    def _add_debug(self, position: int, slices: int | None, internal: frozenset[str], bundle_index: int | None) -> int:
        node, low = self.nodes[position], self.lowered[position]
        off_chip = None if slices is None else frozenset(t.name for t in (*node.inputs, *node.outputs)) - internal
        cost = node_cost(self.generation, node, low, off_chip)
        context = self._contexts.get(low.engine_class, 0)
        self._contexts[low.engine_class] = context + 1
        pieces = slices or (descriptor_count(self.generation, node) if low.engine_class == "MME" else 1)
        dtype = split_guid(node.guid)[1] or (node.inputs or node.outputs)[0].dtype
        self.debug.append(
            NodeDebug(
                engine_class=low.engine_class,
                context_id=context,
                node_name=node.name,
                op=low.op,
                dtype=DTYPE_TITLES[dtype],
                unique_id=position + 1,
                num_working_engines=cost.engines,
                num_descriptors=pieces,
                bundle_index=bundle_index,
                inputs=node.inputs,
                outputs=node.outputs,
                cost=cost,
            )
        )
        return len(self.debug) - 1

    def _dependencies(self, position: int, internal: frozenset[str]) -> dict[int, float]:
        """Tasks to wait for: writers of the inputs, and for tensors written in place also their former readers and writer."""
        engine_class = self.lowered[position].engine_class
        needs: dict[int, float] = {}
        read = [self._root(t.name) for t in self.nodes[position].inputs]
        written = [self._root(t.name) for t in self.nodes[position].outputs]
        before = [self._writer[name] for name in (*read, *written) if name in self._writer and name not in internal]
        before += [reader for name in written for reader in self._readers.get(name, ())]
        for task in before:
            needs[task] = self._latency(self.tasks[task].engine_class, engine_class)
        return needs

    def _latency(self, producer_class: str, consumer_class: str) -> float:
        """Time from the end of a task to the start of what waits for it."""
        return self.generation.value("node_gap_ns" if producer_class == consumer_class else "sync_latency_ns")

    def _note_access(self, position: int, task: int) -> None:
        for tensor in self.nodes[position].inputs:
            self._readers.setdefault(self._root(tensor.name), []).append(task)
        for tensor in self.nodes[position].outputs:
            self._writer[self._root(tensor.name)] = task
            self._readers[self._root(tensor.name)] = []

    def _root(self, name: str) -> str:
        return self.aliases.get(name, name)
