"""The recorded part of a run: the picture tells what the phases really do."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hlprof_core.config.document import ProfConfig
from hlprof_core.config.invocation_range import InvocationRange
from hlprof_core.config.schema import PHASES as ALL_PHASES
from hlprof_core.profiling.phases import COPY, LAUNCH, phase_of
from hlprof_gui.viewmodels.recorded_part import (
    MOST_SHOWN,
    PHASES,
    RangeDrag,
    Span,
    fitting_count,
    recorded_part,
    summary,
    tick_step,
)

RANGES = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 8)), min_size=1, max_size=4).map(
    lambda spans: InvocationRange.parse(",".join(f"{a}-{a + length}" for a, length in spans))
)


class Probe:
    """Stands for the hardware trace: which numbers were enqueued while it ran, in which capture."""

    def __init__(self) -> None:
        self.running: Any = None
        self.captures: list[list[int]] = []

    def start(self, label: str, now_ns: int) -> None:
        self.running = label
        self.captures.append([])

    def stop(self, now_ns: int) -> None:
        self.running = None


def drive(phase: str, numbers: InvocationRange, count: int) -> list[list[int]]:
    """The captures of a run of ``count`` launches, each with one copy before it."""
    config = ProfConfig()
    config.set("hw.phase", phase)
    config.set("hw.range", str(numbers))
    real, probe = phase_of(config), Probe()
    trace: Any = probe
    real.device_acquired(trace, 0)
    watched = COPY if phase == "mem" else LAUNCH
    for number in range(1, count + 1):
        for kind in (COPY, LAUNCH):
            real.enqueue_starting(trace, kind, number, number)
            if probe.running is not None and kind == watched:
                probe.captures[-1].append(number)
            real.enqueue_issued(trace, kind, number, None, number)
    real.device_released(trace, count + 1)
    return [capture for capture in probe.captures if capture]


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(["default", "multi-enq", "enq", "mem", "device-acq"]), RANGES, st.integers(1, 40))
def test_the_picture_marks_what_the_phase_records(phase: str, numbers: InvocationRange, count: int) -> None:
    captures = drive(phase, numbers, count)
    part = recorded_part(phase, numbers, count)
    assert [n for n in range(1, count + 1) if part.contains(n)] == sorted(n for capture in captures for n in capture)
    assert sum(span.files for span in part.spans) == len(captures)
    assert part.is_each == (phase in ("enq", "mem"))


def test_every_phase_is_explained() -> None:
    assert {choice.value for choice in PHASES} == set(ALL_PHASES)
    assert all(choice.text.endswith(".") and choice.title for choice in PHASES)
    assert [choice.value for choice in PHASES if not choice.has_range] == ["device-acq", "profileApi"]


def test_sessions_of_the_program_are_an_example() -> None:
    part = recorded_part("profileApi", InvocationRange.parse("1-2"), 8)
    assert part.is_example
    assert part.spans == (Span(2, 2), Span(6, 6))


@pytest.mark.parametrize(
    ("phase", "numbers", "text"),
    [
        ("default", "1-2", "Records launches 1 to 2: 1 trace."),
        ("enq", "7", "Records launch 7: 1 trace."),
        ("enq", "1-5,11-15", "Records launches 1 to 5 and 11 to 15, each separately: 10 traces."),
        ("multi-enq", "0-3,5,7-9", "Records launches 1 to 3, 5 and 7 to 9: 3 traces."),
        ("mem", "1-2000", "Records copies 1 to 2000, each separately: 2,000 traces."),
        ("multi-enq", "0", "Nothing is recorded: counting starts at 1."),
    ],
)
def test_summaries(phase: str, numbers: str, text: str) -> None:
    assert summary(phase, InvocationRange.parse(numbers)) == text


def test_phases_without_range_say_what_counts() -> None:
    assert "acquiring" in summary("device-acq", InvocationRange.parse("1-2"))
    assert "example" in summary("profileApi", InvocationRange.parse("1-2"))


@given(st.integers(1, 10**7))
def test_the_range_ends_well_inside_the_picture(last: int) -> None:
    count = fitting_count(last)
    assert count == MOST_SHOWN or last < count <= max(12, 2 * last)


@given(st.integers(1, 10**6), st.integers(2, 40))
def test_few_numbers_stand_under_the_picture(count: int, room: int) -> None:
    step = tick_step(count, room)
    assert count / step <= room
    assert str(step)[0] in "125"
    assert set(str(step)[1:]) <= {"0"}


def drag(numbers: str, at: int, to: int, *, adds: bool = False, reach: float = -1) -> str:
    return RangeDrag(InvocationRange.parse(numbers), at, adds=adds, count=50, reach=reach).move_to(to)


def test_dragging_draws_adds_and_moves_edges() -> None:
    assert drag("1-2", 5, 9) == "5-9"
    assert drag("1-2", 9, 5) == "5-9"
    assert drag("1-2", 4, 4) == "4"
    assert drag("1-2", 5, 90) == "5-50"
    assert drag("1-2", 5, -3) == "1-5"
    assert drag("1-2", 5, 9, adds=True) == "1-2,5-9"
    assert drag("1-2", 2, 9, adds=True) == "1-9"
    assert drag("3-8", 8, 20, reach=1) == "3-20"
    assert drag("3-8", 3, 1, reach=1) == "1-8"
    assert drag("3-8,20-30", 8, 10, reach=1) == "3-10,20-30"
    assert drag("3-8", 5, 6, reach=1) == "5-6"
    assert drag("0-3", 3, 6, reach=1) == "1-6"
