"""How many events a launch sends, counted from its recipe: pieces of work, engines they run on, signals that enabled units send."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from hlprof_core.profiling.units.signal import WorkTimes
from hlprof_core.synapse.spread import lanes_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hlprof_core.profiling.hw_trace import Probe
    from hlprof_core.synapse.recipe import Recipe


def count_events(recipe: Recipe, probes: Mapping[tuple[str, int], Probe]) -> int:
    """Raw events of one launch. Exact: which signals a piece of work makes does not depend on how long it takes."""
    known: dict[tuple[str, int], list[int]] = {}
    count = 0
    for task in recipe.tasks:
        key = (task.engine_class, task.activation)
        if key not in known:
            sent = (_signals(probes.get((e.engine_class, e.index)), task.activation) for e in lanes_of(recipe.generation, key[0]))
            known[key] = list(accumulate(sent, initial=0))
        first_lanes = known[key]
        count += first_lanes[min(task.cost.engines, len(first_lanes) - 1)]
    return count


def _signals(probe: Probe | None, activation: int) -> int:
    """Events that one piece of work on an engine sends."""
    if probe is None:
        return 0
    work = WorkTimes(np.array([0]), np.array([1000]), np.array([activation]))
    return sum(bool(probe.allowed[int(np.ravel(which)[0])]) for _, which in probe.instrument.emit(work))
