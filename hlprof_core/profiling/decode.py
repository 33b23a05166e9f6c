"""From raw events to named ones: joins context ids with the debug information of the recipe that was launched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import orjson
from msgspec import Struct

from hlprof_core.profiling.buffer import RawEvents
from hlprof_core.profiling.capture import Launch
from hlprof_core.profiling.context_id import MASK, NULL_DESCRIPTOR, Unwrapper
from hlprof_core.profiling.units import INSTRUMENTS, Instrument, Signal
from hlprof_core.trace.table import I8, U4

if TYPE_CHECKING:
    from hlprof_core.device import Generation

UNNAMED = -1
"""Context id of events that belong to no node."""
_CONTEXT_BITS, _SIGNAL_BITS = 32, 4


class Description(Struct, frozen=True):
    """What all events with the same node and signal have in common. ``args`` is JSON text."""

    name: str
    category: str
    signal: Signal
    args: bytes


class Decoder:
    """Decodes events of one device. Equal events share their description: ``descriptions`` is the table of all that occurred."""

    def __init__(self, generation: Generation, device_id: int) -> None:
        self.generation = generation
        self.device = f"{generation.device_prefix}{device_id}"
        self.descriptions: list[Description] = []
        self._known: dict[tuple[object, ...], int] = {}
        self._instruments: list[Instrument] = [INSTRUMENTS[e.engine_class][generation.number] for e in generation.engines]
        self._classes = list(dict.fromkeys(e.engine_class for e in generation.engines))
        self._class_of_engine = np.array([self._classes.index(e.engine_class) for e in generation.engines], np.int64)

    def describe(self, launch: Launch, events: RawEvents) -> U4:
        """Number of the description of each event of a launch; events in time order."""
        engine_class = self._class_of_engine[events.engine]
        context = self._full_context_ids(launch, events, engine_class)
        keys = (engine_class << (_CONTEXT_BITS + _SIGNAL_BITS)) | ((context + 1) << _SIGNAL_BITS) | events.signal
        distinct, first, place = np.unique(keys, return_index=True, return_inverse=True)
        numbers = np.empty(len(distinct), np.uint32)
        for i, (key, row) in enumerate(zip(distinct.tolist(), first.tolist(), strict=True)):
            numbers[i] = self._number(launch, key, int(events.engine[row]), int(context[row]), int(events.signal[row]))
        return numbers[place]

    def _full_context_ids(self, launch: Launch, events: RawEvents, engine_class: I8) -> I8:
        """Context ids as the compiler counted them."""
        context = events.context.astype(np.int64)
        if launch.recipe is None:
            return np.full(len(events), UNNAMED, np.int64)
        for number, name in enumerate(self._classes):
            rows = np.flatnonzero((engine_class == number) & (context != NULL_DESCRIPTOR))
            if max((node.context_id for node in launch.recipe.nodes_of(name)), default=0) > MASK:
                unwrapper = Unwrapper(launch.recipe.recipe_id)
                context[rows] = [unwrapper.full(wire) for wire in context[rows].tolist()]
            else:
                context[rows[context[rows] == launch.recipe.recipe_id]] = 0
        context[context == NULL_DESCRIPTOR] = UNNAMED
        return context

    def _number(self, launch: Launch, key: int, engine: int, context_id: int, signal_number: int) -> int:
        origin = (launch.recipe.recipe_id, launch.recipe.handle) if launch.recipe is not None else (launch.label, launch.size_bytes)
        full_key = (*origin, launch.stream_handle, key)
        number = self._known.get(full_key)
        if number is None:
            number = self._known[full_key] = len(self.descriptions)
            instrument = self._instruments[engine]
            signal = instrument.signals[signal_number]
            name, args = self._node(launch, self.generation.engines[engine].engine_class, context_id, signal)
            self.descriptions.append(Description(name, instrument.category_of(signal), signal, orjson.dumps(args)))
        return number

    def _node(self, launch: Launch, engine_class: str, context_id: int, signal: Signal) -> tuple[str, dict[str, Any]]:
        """Name and arguments for a node's signal."""
        common = {
            "streamHandle": hex(launch.stream_handle),
            "Device": self.device,
            "HW event name": signal.name,
            "HW event port": signal.port,
        }
        recipe = launch.recipe
        if recipe is None or context_id == UNNAMED:
            return launch.label or "firmware", {"op": "memcpy", "Bytes": launch.size_bytes, **common}
        common = {
            "Recipe name": recipe.name,
            "Recipe id": recipe.recipe_id,
            "Context id": context_id,
            "recipeHandle": hex(recipe.handle),
            **common,
        }
        node = recipe.node_of(engine_class, context_id)
        if node is None:
            return f"context {context_id}", common
        args = {"op": node.op, "dtype": node.dtype, **common, "Unique Node ID": node.unique_id}
        if node.bundle_index is not None:
            args["Bundle Index"] = node.bundle_index
        return node.node_name, args
