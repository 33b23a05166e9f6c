"""List scheduling of a recipe: one queue an engine class, in order; running work shares the memory bandwidth.

A task runs at full speed until what all running tasks ask of memory exceeds what it gives; then all slow down in proportion.
Times are float ns here, relative to the start of the launch; the runtime rounds them to whole nanoseconds.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from msgspec import Struct

from hlprof_core.synapse.recipe import Recipe, Task


class Placement(Struct, frozen=True):
    """When a task of the recipe ran."""

    task: Task
    start: float
    end: float


class Load(Struct, frozen=True):
    """Memory traffic of something else at the same time, bytes per ns; times as the schedule's."""

    start: float
    end: float
    rate: float


class _Running:
    """A started task: first it works at the speed memory allows, then its fixed part passes."""

    __slots__ = ("alone", "demand", "fixed", "index", "left", "start")

    def __init__(self, index: int, start: float, alone: float, demand: float, fixed: float) -> None:
        self.index, self.start, self.alone, self.demand, self.fixed = index, start, alone, demand, fixed
        self.left = alone


def schedule(recipe: Recipe, *, rng: random.Random | None = None, loads: Sequence[Load] = ()) -> list[Placement]:
    """Place every task; with ``rng`` durations vary by the device's jitter."""
    tasks = recipe.tasks
    bandwidth = recipe.generation.hbm_bytes_per_ns
    jitter = recipe.generation.value("jitter") if rng is not None else 0.0
    queues: dict[str, list[int]] = {}
    for index, task in enumerate(tasks):
        queues.setdefault(task.engine_class, []).append(index)
    heads = dict.fromkeys(queues, 0)
    running: dict[str, _Running] = {}
    starts, ends = [0.0] * len(tasks), [-1.0] * len(tasks)
    borders = sorted({t for load in loads for t in (load.start, load.end) if t > 0})
    now, left = 0.0, len(tasks)
    while left:
        horizon = float("inf")
        for queue, members in queues.items():
            if queue in running or heads[queue] == len(members):
                continue
            index = members[heads[queue]]
            ready = _ready_at(tasks[index], ends)
            if ready <= now:
                running[queue] = _start(tasks[index], index, now, bandwidth, jitter, rng)
            else:
                horizon = min(horizon, ready)
        speed = _speed(running, bandwidth, loads, now)
        for work in running.values():
            horizon = min(horizon, now + (work.left / speed if work.left > 0 else work.fixed))
        for border in borders:
            if border > now:
                horizon = min(horizon, border)
                break
        step = horizon - now
        for queue, work in list(running.items()):
            if work.left > 0:
                work.left -= step * speed
                if work.left <= 1e-6:
                    work.left = 0.0
            else:
                work.fixed -= step
            if work.left <= 0 and work.fixed <= 1e-6:
                starts[work.index], ends[work.index] = work.start, horizon
                heads[queue] += 1
                left -= 1
                del running[queue]
        now = horizon
    return [Placement(task, starts[i], ends[i]) for i, task in enumerate(tasks)]


def _ready_at(task: Task, ends: list[float]) -> float:
    """When all it waits for is done; infinite while something is not."""
    ready = 0.0
    for index, latency in task.depends:
        if ends[index] < 0:
            return float("inf")
        ready = max(ready, ends[index] + latency)
    return ready


def _start(task: Task, index: int, now: float, bandwidth: float, jitter: float, rng: random.Random | None) -> _Running:
    stretch = 1 + jitter * rng.uniform(-1, 1) if rng is not None else 1.0
    alone = max(task.cost.compute_ns, task.cost.hbm_bytes / bandwidth) * stretch
    demand = task.cost.hbm_bytes / alone if alone > 0 else 0.0
    return _Running(index, now, alone, demand, task.cost.fixed_ns)


def _speed(running: dict[str, _Running], bandwidth: float, loads: Sequence[Load], now: float) -> float:
    """Common speed of the working tasks, 1 at most."""
    demand = sum(work.demand for work in running.values() if work.left > 0)
    others = sum(load.rate for load in loads if load.start <= now < load.end)
    given = max(bandwidth - others, bandwidth / 2)  # the memory controllers starve nobody
    return min(1.0, given / demand) if demand > 0 else 1.0
