"""Which part of a run a configuration records, as spans over the numbers of its launches; what the picture of a run shows.

    number   0        1      2      3     ...    count   count + 1
             acquire  launch launch launch       launch  release
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from hlprof_core.config.invocation_range import InvocationRange
from hlprof_core.config.schema import DEFAULT_PHASE, DEVICE_ACQ, ENQ, MEM, MULTI_ENQ, PROFILE_API

Lane = Literal["device", "copies", "host"]
EXAMPLE_SESSIONS = (2, 6, 12)
"""Iterations of the sessions that the picture shows: in the API phase the program decides."""
LEAST_SHOWN, MOST_SHOWN = 12, 100_000


class Span(Struct, frozen=True):
    """Numbers ``first`` to ``last``, both recorded; ``files`` is how many traces the whole span becomes."""

    first: int
    last: int
    files: int = 1


class RecordedPart(Struct, frozen=True):
    """``lane``: whose numbers are meant. ``is_example``: the program decides, the spans only show the idea."""

    spans: tuple[Span, ...]
    lane: Lane
    is_each: bool
    """Each number is a recording by itself, and the device idles in between."""
    is_example: bool = False

    def contains(self, number: int) -> bool:
        return any(span.first <= number <= span.last for span in self.spans)


class PhaseChoice(Struct, frozen=True):
    """A phase in plain words."""

    value: str
    title: str
    text: str
    has_range: bool = True


PHASES = (
    PhaseChoice(DEFAULT_PHASE, "First launches", "One trace of the range; by default the first two launches."),
    PhaseChoice(MULTI_ENQ, "A range of launches", "One trace from the first to the last launch of each range; overlap is kept."),
    PhaseChoice(ENQ, "Each launch separately", "One trace for each launch of the range. Launches wait for each other."),
    PhaseChoice(MEM, "Each copy separately", "One trace for each copy between host and device in the range."),
    PhaseChoice(DEVICE_ACQ, "The whole run", "One trace from acquiring to releasing the device. Needs a large buffer.", has_range=False),
    PhaseChoice(PROFILE_API, "Controlled by the program", "Only sessions that the program itself starts and stops.", has_range=False),
)


def phase_choice(value: str) -> PhaseChoice:
    """The phase of that value."""
    return next(choice for choice in PHASES if choice.value == value)


def recorded_part(phase: str, numbers: InvocationRange, count: int) -> RecordedPart:
    """What is recorded of a run of ``count`` launches."""
    if phase == PROFILE_API:
        shown = tuple(Span(n, n) for n in EXAMPLE_SESSIONS if n <= count)
        return RecordedPart(shown, "host", is_each=False, is_example=True)
    if phase == DEVICE_ACQ:
        return RecordedPart((Span(0, count + 1),), "host", is_each=False)
    is_each = phase in (ENQ, MEM)
    clipped = ((max(1, first), min(count, last)) for first, last in numbers.spans)
    spans = tuple(Span(first, last, last - first + 1 if is_each else 1) for first, last in clipped if first <= last)
    return RecordedPart(spans, "copies" if phase == MEM else "device", is_each)


def summary(phase: str, numbers: InvocationRange) -> str:
    """One sentence on what is recorded."""
    if phase == PROFILE_API:
        return "Records what lies between start and stop of the program's own sessions; the picture shows an example."
    if phase == DEVICE_ACQ:
        return "Records everything from acquiring the device to releasing it."
    spans = [(max(1, first), last) for first, last in numbers.spans if last >= 1]
    total = sum(last - first + 1 for first, last in spans)
    if not total:
        return "Nothing is recorded: counting starts at 1."
    one, many = ("copy", "copies") if phase == MEM else ("launch", "launches")
    texts = [str(first) if first == last else f"{first} to {last}" for first, last in spans]
    named = texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"
    is_each = phase in (ENQ, MEM)
    traces = total if is_each else len(spans)
    each = ", each separately" if is_each and total > 1 else ""
    return f"Records {one if total == 1 else many} {named}{each}: {traces:,} trace{'s' * (traces != 1)}."


def fitting_count(last: int) -> int:
    """How many launches a picture shows so that the range ends well inside."""
    wanted = max(LEAST_SHOWN, last + max(2, last // 4))
    if wanted <= 40:
        return wanted
    step = int(10 ** (len(str(wanted)) - 1)) // 2
    return min(MOST_SHOWN, -(-wanted // step) * step)


def tick_step(count: int, room: int) -> int:
    """Distance of the numbers written under the picture, so that at most ``room`` are there."""
    step = 1
    while count / step > room:
        step = {1: 2, 2: 5, 5: 10}[int(str(step)[0])] * int(10 ** (len(str(step)) - 1))
    return step


class RangeDrag:
    """A range being drawn with the pointer: a new one, a further one, or an edge of an old one moved."""

    def __init__(self, numbers: InvocationRange, at: int, *, adds: bool, count: int, reach: float) -> None:
        """``reach``: how many numbers from an edge still mean that edge."""
        self._count = count
        self._others: list[tuple[int, int]] = []
        self._anchor = at
        spans = [(max(1, first), last) for first, last in numbers.spans]
        edge = None if adds else min(
            ((abs(at - here), there, span) for span in spans for here, there in (span, span[::-1]) if span[0] != span[1]),
            default=None,
        )  # fmt: skip
        if edge is not None and edge[0] <= reach:
            self._anchor = edge[1]
            self._others = [span for span in spans if span != edge[2]]
        elif adds:
            self._others = spans

    def move_to(self, at: int) -> str:
        """The range with the pointer there, as text."""
        at = min(max(1, at), self._count)
        low, high = sorted((max(1, self._anchor), at))
        parts = [*self._others, (low, high)]
        return str(InvocationRange.parse(",".join(f"{first}-{last}" for first, last in parts)))
