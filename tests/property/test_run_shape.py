"""Sums over a folded run are those over the run written out."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from hlprof_core.profiling.estimate.amount import Amount
from hlprof_core.profiling.estimate.plan import capture_span, last_that_fits
from hlprof_core.profiling.estimate.shape import FOLDED, HEAD, TAIL, Iteration, RunShape, Slot


@st.composite
def shapes(draw: st.DrawFn) -> RunShape:
    """Iterations with up to three launches; each launch and each copy sends a number of events of its own."""
    iterations = draw(st.integers(1, 25))
    slots = [Slot()]
    folded = []
    for _ in range(min(iterations, FOLDED)):
        numbers = draw(st.lists(st.tuples(st.integers(1, 50), st.integers(0, 9), st.integers(0, 9)), max_size=3))
        first = len(slots)
        slots += [Slot(*(Amount(device_events=float(n)) for n in sizes)) for sizes in numbers]
        folded.append(Iteration(tuple(range(first, len(slots)))))
    return RunShape(tuple(slots), tuple(folded), iterations)


def written_out(shape: RunShape) -> list[list[int]]:
    """Slots of every iteration."""
    n, seen = shape.iterations, len(shape.folded)
    if n <= seen:
        places = list(range(n))
    else:
        places = [*range(HEAD), *[HEAD] * (n - HEAD - TAIL), *range(seen - TAIL, seen)]
    return [list(shape.folded[place].slots) for place in places]


@given(shapes(), st.data())
@settings(max_examples=50, deadline=None)
def test_launches_are_those_of_the_run_written_out(shape: RunShape, data: st.DataObject) -> None:
    whole = [slot for iteration in written_out(shape) for slot in iteration]
    assert shape.launches == len(whole)
    first = data.draw(st.integers(1, max(1, len(whole))))
    last = data.draw(st.integers(first, max(first, len(whole))))
    assert shape.slots_between(first, last) == Counter(whole[first - 1 : last])
    iteration = data.draw(st.integers(1, shape.iterations))
    assert shape.launches_until(iteration) == sum(len(part) for part in written_out(shape)[:iteration])
    assert list(shape.folded[shape.place_of(iteration)].slots) == written_out(shape)[iteration - 1]


@given(shapes(), st.data())
@settings(max_examples=50, deadline=None)
def test_a_capture_holds_what_starts_before_its_last_launch_ends(shape: RunShape, data: st.DataObject) -> None:
    whole = [shape.slots[slot] for iteration in written_out(shape) for slot in iteration]
    first = data.draw(st.integers(1, len(whole) + 2))
    last = data.draw(st.integers(first, first + len(whole)))
    capture = capture_span(shape, first, last)
    inside = whole[first - 1 : last]
    if not inside:
        assert capture is None
        return
    events = sum(slot.device.device_events for slot in inside)
    # A range that the run does not come to the end of records until the run ends.
    events -= inside[-1].behind.device_events if last <= len(whole) else 0
    assert capture is not None
    assert capture.amount.device_events == events
    capacity = data.draw(st.integers(1, 200))
    fitting = last_that_fits(shape, first, last, capacity)
    sizes = {n: c.amount.device_events for n in range(first, min(last, len(whole)) + 1) if (c := capture_span(shape, first, n)) is not None}
    assert fitting == max((n for n, size in sizes.items() if size <= capacity), default=first - 1)
