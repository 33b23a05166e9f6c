"""From raw events to named ones: joins context ids with the debug information of the recipe that was launched."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from hlprof_core.profiling.capture import Capture, Launch
from hlprof_core.profiling.context_id import NULL_DESCRIPTOR, Unwrapper
from hlprof_core.profiling.units import INSTRUMENTS, Instrument, Signal

if TYPE_CHECKING:
    from hlprof_core.device import Engine, Generation


@dataclass(slots=True)
class DecodedEvent:
    """One hardware event with its name; ``args`` is JSON text, made once for equal events."""

    time_ns: int
    engine: Engine
    signal: Signal
    category: str
    name: str
    args: bytes


class Decoder:
    """Decodes the captures of one device. Arguments of equal events are made once."""

    def __init__(self, generation: Generation, device_id: int) -> None:
        self.generation = generation
        self.device = f"{generation.device_prefix}{device_id}"
        self._args: dict[tuple[object, ...], tuple[str, bytes]] = {}
        self._instruments: list[Instrument] = [INSTRUMENTS[e.engine_class][generation.number] for e in generation.engines]

    def events(self, capture: Capture, launch: Launch) -> Iterator[DecodedEvent]:
        """Events of one launch in time order."""
        buffer, engines = capture.buffer, self.generation.engines
        unwrap: dict[str, Unwrapper] = {}
        for row in range(launch.first, launch.first + launch.count):
            number = buffer.engine[row]
            engine, instrument = engines[number], self._instruments[number]
            signal = instrument.signals[buffer.signal[row]]
            wire = buffer.context[row]
            context_id = -1
            if launch.recipe is not None and wire != NULL_DESCRIPTOR:
                unwrapper = unwrap.get(engine.engine_class)
                if unwrapper is None:
                    unwrapper = unwrap[engine.engine_class] = Unwrapper(launch.recipe.recipe_id)
                context_id = unwrapper.full(wire)
            name, args = self._describe(launch, engine.engine_class, context_id, signal)
            yield DecodedEvent(buffer.time_ns[row], engine, signal, instrument.category_of(signal), name, args)

    def _describe(self, launch: Launch, engine_class: str, context_id: int, signal: Signal) -> tuple[str, bytes]:
        key = (id(launch.recipe), launch.stream_handle, launch.label, launch.size_bytes, engine_class, context_id, signal.name)
        known = self._args.get(key)
        if known is None:
            name, args = self._describe_node(launch, engine_class, context_id, signal)
            known = self._args[key] = (name, orjson.dumps(args))
        return known

    def _describe_node(self, launch: Launch, engine_class: str, context_id: int, signal: Signal) -> tuple[str, dict[str, Any]]:
        recipe = launch.recipe
        if recipe is None:
            return launch.label or "firmware", {"op": "memcpy", "Bytes": launch.size_bytes, **self._common(launch, signal)}
        common = {
            "Recipe name": recipe.name,
            "Recipe id": recipe.recipe_id,
            "Context id": context_id,
            "recipeHandle": hex(recipe.handle),
            **self._common(launch, signal),
        }
        node = recipe.node_of(engine_class, context_id)
        if node is None:
            return f"context {context_id}", common
        args = {"op": node.op, "dtype": node.dtype, **common, "Unique Node ID": node.unique_id}
        if node.bundle_index is not None:
            args["Bundle Index"] = node.bundle_index
        return node.node_name, args

    def _common(self, launch: Launch, signal: Signal) -> dict[str, Any]:
        return {
            "streamHandle": hex(launch.stream_handle),
            "Device": self.device,
            "HW event name": signal.name,
            "HW event port": signal.port,
        }
