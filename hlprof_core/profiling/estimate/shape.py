"""A run folded to what is different in it: a beginning, an iteration that repeats, an end. Sums over millions of launches cost nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct

from hlprof_core.profiling.estimate.amount import NOTHING, Amount, total

HEAD, TAIL = 2, 1
"""Iterations at both ends that may differ from those between."""
FOLDED = HEAD + 1 + TAIL
"""Iterations that show all there is."""


class Slot(Struct, frozen=True):
    """A launch and what the program does until the next one.

    ``during``: copies that start before the launch ends; ``behind``: those that come later.
    """

    launch: Amount = NOTHING
    during: Amount = NOTHING
    behind: Amount = NOTHING
    copies: int = 0

    @property
    def device(self) -> Amount:
        """Everything of the slot."""
        return self.launch + self.during + self.behind


class Iteration(Struct, frozen=True):
    """``slots``: numbers of its launches in the list of slots; ``device`` and ``host``: all that happens between its borders."""

    slots: tuple[int, ...]
    device: Amount = NOTHING
    host: Amount = NOTHING


class RunShape(Struct, frozen=True):
    """``slots[0]`` is what comes before the first launch. ``folded``: the iterations that were looked at, ``iterations`` how many there
    are in all. ``outside``: calls of the host before the first and after the last iteration."""

    slots: tuple[Slot, ...]
    folded: tuple[Iteration, ...]
    iterations: int
    outside: Amount = NOTHING

    @property
    def launches(self) -> int:
        """Launches of the whole run."""
        return sum(len(self.folded[place].slots) * count for place, count in self.fold(1, self.iterations).items())

    def place_of(self, iteration: int) -> int:
        """Which of the folded iterations stands for that one, counted from 1."""
        seen = len(self.folded)
        if self.iterations <= seen or iteration <= HEAD:
            return min(iteration, seen) - 1
        if iteration > self.iterations - TAIL:
            return seen - 1 - (self.iterations - iteration)
        return min(HEAD, seen - 1)

    def fold(self, first: int, last: int) -> Counter[int]:
        """How often each folded iteration occurs from iteration ``first`` to ``last``."""
        last = min(last, self.iterations)
        edges = list(range(first, min(last, HEAD) + 1))
        edges += range(max(first, HEAD + 1, self.iterations - TAIL + 1), last + 1)
        found = Counter(self.place_of(i) for i in edges)
        middle = min(last, self.iterations - TAIL) - max(first, HEAD + 1) + 1
        if middle > 0:
            found[self.place_of(max(first, HEAD + 1))] += middle
        return found

    def launches_until(self, iteration: int) -> int:
        """Launches in the first ``iteration`` iterations."""
        return sum(len(self.folded[place].slots) * count for place, count in self.fold(1, iteration).items())

    def slots_between(self, first: int, last: int) -> Counter[int]:
        """How often each slot occurs from launch ``first`` to ``last``, counted from 1, both included."""
        return _minus(self._slots_until(last), self._slots_until(first - 1))

    def slot_at(self, launch: int) -> Slot:
        """The slot of a launch, counted from 1."""
        return self.slots[next(iter(self.slots_between(launch, launch)))]

    def _slots_until(self, launch: int) -> Counter[int]:
        if launch <= 0:
            return Counter()
        whole = largest(0, self.iterations, lambda i: self.launches_until(i) <= launch)
        found: Counter[int] = Counter()
        for place, count in self.fold(1, whole).items():
            for slot in self.folded[place].slots:
                found[slot] += count
        rest = launch - self.launches_until(whole)
        if rest and whole < self.iterations:
            found.update(self.folded[self.place_of(whole + 1)].slots[:rest])
        return found

    def sum_slots(self, counts: Mapping[int, int], part: Callable[[Slot], Amount]) -> Amount:
        """A part of many slots together."""
        return total(part(self.slots[slot]) * count for slot, count in counts.items())

    def sum_iterations(self, counts: Mapping[int, int], part: Callable[[Iteration], Amount]) -> Amount:
        """A part of many iterations together; ``counts`` by place, as ``fold`` gives them."""
        return total(part(self.folded[place]) * count for place, count in counts.items())

    def places(self, iterations: Iterable[int]) -> Counter[int]:
        """How often each folded iteration occurs among these; those that the run does not come to are left out."""
        return Counter(self.place_of(i) for i in iterations if 1 <= i <= self.iterations)


def largest(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """The largest number from ``low`` to ``high`` for which a falling condition holds; ``low`` when it holds for none."""
    while low < high:
        middle = (low + high + 1) // 2
        if holds(middle):
            low = middle
        else:
            high = middle - 1
    return low


def _minus(a: Counter[int], b: Counter[int]) -> Counter[int]:
    return Counter({key: n for key in a if (n := a[key] - b[key]) > 0})
