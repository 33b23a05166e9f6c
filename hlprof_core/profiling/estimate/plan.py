"""Which captures a phase makes of a run, and what each of them holds. Mirrors ``profiling.phases`` without running anything."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from msgspec import Struct

from hlprof_core.config.invocation_range import InvocationRange
from hlprof_core.config.schema import DEVICE_ACQ, ENQ, MEM, PROFILE_API
from hlprof_core.profiling.estimate.amount import NOTHING, Amount
from hlprof_core.profiling.estimate.shape import RunShape, Slot, largest

if TYPE_CHECKING:
    from hlprof_core.config.document import ProfConfig

MANY = "<invocation>"
"""Stands for the invocation part of many file names."""


class PlannedCapture(Struct, frozen=True):
    """``count`` captures alike, each with its own buffer and holding ``amount`` with ``launches`` launches from number ``first`` on.

    ``label``: the invocation part of their file names."""

    label: str
    amount: Amount
    launches: int
    first: int = 0
    count: int = 1


def plan_captures(config: ProfConfig, shape: RunShape, chosen: Collection[int]) -> list[PlannedCapture]:
    """Everything that is captured. ``chosen``: iterations that the program records by itself, for the API phase."""
    if not config.get("hw.enable"):
        return []
    phase = config.get("hw.phase")
    if phase == PROFILE_API:
        return _sessions(shape, chosen)
    if phase == DEVICE_ACQ:
        amount = shape.sum_slots(shape.slots_between(1, shape.launches), lambda slot: slot.device) + shape.slots[0].device
        return [PlannedCapture("", amount, shape.launches, 1)]
    numbers = InvocationRange.parse(config.get("hw.range"))
    if phase == MEM:
        return _copies(shape, numbers)
    if phase == ENQ:
        return _each(shape, numbers)
    return [c for span in numbers.spans if (c := capture_span(shape, *span)) is not None]


def capture_span(shape: RunShape, first: int, last: int) -> PlannedCapture | None:
    """One capture over the launches of a span; what the program does behind the last of them is not in it, unless the run ends first."""
    first, reached = max(1, first), min(last, shape.launches)
    if first > reached:
        return None
    whole = shape.sum_slots(shape.slots_between(first, reached), lambda slot: slot.device)
    if last <= shape.launches:
        whole = whole + shape.slot_at(reached).behind * -1
    label = str(last) if first == last else f"{first}-{last}"
    return PlannedCapture(label, whole, reached - first + 1, first)


def last_that_fits(shape: RunShape, first: int, last: int, capacity: int) -> int:
    """The last launch up to which a capture from ``first`` on finds room for all its events; ``first - 1`` when not even one does."""

    def fits(launch: int) -> bool:
        capture = capture_span(shape, first, launch)
        return capture is None or round(capture.amount.device_events) <= capacity

    return largest(first - 1, min(last, shape.launches), fits)


def _sessions(shape: RunShape, chosen: Collection[int]) -> list[PlannedCapture]:
    """A capture for each session; the device is idle at both borders, so all that the iteration does is in it."""
    order = sorted(i for i in chosen if 1 <= i <= shape.iterations)
    captures = []
    for number, iteration in enumerate(order, 1):
        folded = shape.folded[shape.place_of(iteration)]
        captures.append(PlannedCapture(str(number), folded.device, len(folded.slots), shape.launches_until(iteration - 1) + 1))
    return captures


def _each(shape: RunShape, numbers: InvocationRange) -> list[PlannedCapture]:
    """A capture for each launch, which runs by itself."""

    def launch_of(slot: Slot) -> Amount:
        return slot.launch

    captures = []
    for first, last in numbers.spans:
        first, last = max(1, first), min(last, shape.launches)
        for slot, count in shape.slots_between(first, last).items() if first <= last else ():
            label = f"{first:03}" if count == 1 and first == last else MANY
            captures.append(PlannedCapture(label, launch_of(shape.slots[slot]), 1, first, count))
    return captures


def _copies(shape: RunShape, numbers: InvocationRange) -> list[PlannedCapture]:
    """A capture for each copy of the range. Copies are alike, whatever they move."""
    counts = shape.slots_between(1, shape.launches)
    counts[0] += 1
    copies = sum(shape.slots[slot].copies * count for slot, count in counts.items())
    spans = [(max(1, first), min(last, copies)) for first, last in numbers.spans]
    wanted = sum(last - first + 1 for first, last in spans if first <= last)
    if not wanted:
        return []
    moved = shape.sum_slots(counts, lambda slot: slot.during + slot.behind)
    label = f"{numbers.first:03}" if wanted == 1 else MANY
    return [PlannedCapture(label, moved * (1 / copies) if copies else NOTHING, 0, 0, wanted)]
