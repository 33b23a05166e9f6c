"""Spreads a scheduled task over the engines that work on it: which ones, with their skew at start and end."""

from __future__ import annotations

import random
from collections.abc import Sequence

from hlprof_core.device import Engine, Generation
from hlprof_core.synapse.recipe import Recipe
from hlprof_core.synapse.scheduler import Placement
from hlprof_core.synapse.shim import EngineWork


def spread_launch(
    recipe: Recipe, placements: Sequence[Placement], start_ns: int, rng: random.Random, *, stream: int, enqueue: int
) -> list[EngineWork]:
    """What every engine did in one launch that began at ``start_ns``, in order of start."""
    generation = recipe.generation
    lanes = {cls: lanes_of(generation, cls) for cls in ("MME", "TPC", "DMA")}
    work: list[EngineWork] = []
    for placement in placements:
        task = placement.task
        node = recipe.nodes[task.node]
        first, last = start_ns + round(placement.start), start_ns + round(placement.end)
        engines = lanes[task.engine_class][: task.cost.engines]
        size = round(task.cost.hbm_bytes / len(engines))
        for engine, (begin, end) in zip(engines, _skewed(generation, task.engine_class, len(engines), first, last, rng), strict=True):
            work.append(
                EngineWork(
                    engine_class=task.engine_class,
                    engine_index=engine.index,
                    context_id=node.context_id,
                    recipe=recipe,
                    start_ns=begin,
                    end_ns=end,
                    stream_handle=stream,
                    enqueue=enqueue,
                    activation=task.activation,
                    size_bytes=size,
                )
            )
    work.sort(key=lambda w: w.start_ns)
    return work


def lanes_of(generation: Generation, engine_class: str) -> tuple[Engine, ...]:
    """Engines that compiled work may use, in the order in which they are filled."""
    return generation.engines_of(engine_class, "compute" if engine_class == "DMA" else "")


def _skewed(generation: Generation, engine_class: str, count: int, first: int, last: int, rng: random.Random) -> list[tuple[int, int]]:
    """Start and end of each engine. The first starts when the task starts, and one ends when it ends; the others lie between."""
    duration = last - first
    if count == 1 or duration < 2:
        return [(first, last)] * count
    # The matrix engines march in step; the tensor cores start one by one and share the index space unevenly.
    skew = min(generation.value("tpc_skew_ns"), duration * 0.08) if engine_class == "TPC" else min(40.0, duration * 0.02)
    slowest = rng.randrange(count)
    spans = []
    for place in range(count):
        begin = first if place == 0 else first + int(rng.random() * skew)
        end = last if place == slowest else last - int(rng.random() * skew)
        spans.append((begin, max(begin + 1, end)))
    return spans
