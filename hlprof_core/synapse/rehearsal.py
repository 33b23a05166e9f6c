"""A runtime that goes through a program without doing its work: which calls, launches and copies there are, in which order.

Each recipe is scheduled once, for its duration, and nothing is spread over engines; so it costs next to nothing.
"""

from __future__ import annotations

from msgspec import Struct

from hlprof_core.device import Generation
from hlprof_core.synapse.recipe import Recipe
from hlprof_core.synapse.runtime import COPY_LABELS, Direction, Runtime
from hlprof_core.synapse.scheduler import schedule
from hlprof_core.synapse.shim import ApiCall, EngineWork
from hlprof_core.synapse.stream import Stream


class Rehearsed(Struct, frozen=True):
    """A launch or copy; ``recipe`` None for a copy, ``work`` None for a launch. Times in ns of the runtime's clock."""

    start_ns: int
    end_ns: int
    stream_handle: int
    recipe: Recipe | None = None
    work: EngineWork | None = None


class Mark(Struct, frozen=True):
    """Begin or end of a stretch of the program, such as an iteration."""

    number: int
    is_begin: bool


Told = Rehearsed | ApiCall | Mark


class Rehearsal(Runtime):
    """``told``: what happened, in order."""

    def __init__(self, generation: Generation) -> None:
        self.told: list[Told] = []
        self._duration_ns: dict[int, int] = {}
        super().__init__(generation, plugins=())

    def mark(self, number: int, *, is_begin: bool) -> None:
        """Note a border in ``told``."""
        self.told.append(Mark(number, is_begin))

    def _tell_call(self, call: ApiCall) -> None:
        self.told.append(call)

    def _issue_launch(self, stream: Stream, recipe: Recipe, number: int) -> None:
        if recipe.recipe_id not in self._duration_ns:
            self._duration_ns[recipe.recipe_id] = max(round(p.end) for p in schedule(recipe))
        start = max(self.now_ns, stream.ready_ns, self._compute_free_ns) + int(self.generation.value("launch_overhead_ns"))
        stream.ready_ns = self._compute_free_ns = start + self._duration_ns[recipe.recipe_id]
        self.told.append(Rehearsed(start, stream.ready_ns, stream.handle, recipe=recipe))

    def _issue_copy(self, stream: Stream, direction: Direction, size_bytes: int, number: int) -> None:
        super()._issue_copy(stream, direction, size_bytes, number)
        work = self._copies[-1]
        assert work.label == COPY_LABELS[direction]
        self.told.append(Rehearsed(work.start_ns, work.end_ns, stream.handle, work=work))
