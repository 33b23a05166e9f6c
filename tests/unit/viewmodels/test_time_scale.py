"""What the ruler counts from, and how it writes times of day."""

from __future__ import annotations

import pytest

from hlprof_core.levels.pyramid import build_levels
from hlprof_core.trace.ranges import TimeRange
from hlprof_gui.state.view_state import TIME_SCALES, Item, TimeScale, ViewState
from hlprof_gui.timeline.ticks import build_ruler
from hlprof_gui.viewmodels.time_scale import NS_PER_DAY, TITLES, day_text, exact_text, is_possible, scale_in_use, zero_ns
from tests.small_trace import START_NS, slice_named, small_trace

SECOND = 1_000_000_000
NOON_NS = 20_000 * NS_PER_DAY + 12 * 3600 * SECOND


def state_of(base_ns: int | None = None) -> ViewState:
    state = ViewState()
    trace = small_trace(base_ns=base_ns)
    state.open(trace, build_levels(trace))
    return state


def test_from_the_first_event_at_first() -> None:
    state = state_of()
    assert scale_in_use(state) == "start"
    assert zero_ns(state) == START_NS
    assert exact_text(state, START_NS + 150) == "150 ns"


def test_by_the_files_clock() -> None:
    state = state_of()
    state.set_time_scale("file")
    assert zero_ns(state) == 0
    assert exact_text(state, START_NS + 150) == "1\u202f000\u202f000\u202f150 ns"


def test_from_the_selection_else_the_chosen_time_else_a_flag() -> None:
    state = state_of()
    state.set_time_scale("selection")
    assert scale_in_use(state) == "start", "nothing is chosen yet"
    state.add_mark(START_NS + 30)
    assert zero_ns(state) == START_NS + 30
    state.set_range(TimeRange(START_NS + 200, START_NS + 300))
    assert zero_ns(state) == START_NS + 200
    state.select(Item("slice", slice_named(state.trace, "sync")))
    assert zero_ns(state) == START_NS + 600
    assert exact_text(state, START_NS + 590) == "-10 ns"


def test_by_the_time_of_day_where_the_file_tells_it() -> None:
    assert not is_possible(state_of(), "day")
    state = state_of(NOON_NS - START_NS)
    state.set_time_scale("day")
    assert scale_in_use(state) == "day"
    assert exact_text(state, START_NS + 150) == "12:00:00.000\u2009000\u2009150"


def test_times_of_day() -> None:
    assert day_text(0) == "00:00:00"
    assert day_text(86_399 * SECOND + 250_000_000, 3) == "23:59:59.250"
    assert day_text(NS_PER_DAY + 61 * SECOND) == "00:01:01"


def test_a_clock_has_whole_seconds_and_counts_on_from_one_within_it() -> None:
    day = [t.label for t in build_ruler(TimeRange(3600 * SECOND, 3660 * SECOND), 0, 700, is_clock=True).ticks]
    assert day[:2] == ["01:00:00", "01:00:10"]
    ruler = build_ruler(TimeRange(3600 * SECOND + 500_000_000, 3600 * SECOND + 501_000_000), 0, 700, is_clock=True)
    assert ruler.anchor_ns == 3600 * SECOND
    assert ruler.ticks[0].label.startswith("+500")


@pytest.mark.parametrize("scale", TIME_SCALES)
def test_every_scale_has_a_title(scale: TimeScale) -> None:
    assert TITLES[scale]
