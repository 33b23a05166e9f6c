"""Pictures of counters: areas, lines, stacks, scales, and which series is meant by a place."""

from __future__ import annotations

import numpy as np
import pytest

from hlprof_core.trace.ranges import TimeRange
from hlprof_gui.state.arrangement import Arrangement
from hlprof_gui.theme.palette import load_palette
from hlprof_gui.timeline import colours
from hlprof_gui.timeline.counter_rows import AREA, CounterRows, Look
from tests.unit.viewmodels.test_counter_tracks import counter_trace

DARK = load_palette("dark")
WINDOW, WIDTH, HEIGHT = TimeRange(0, 100), 100, 41
BACK = np.full(WIDTH, 0xFF101010, np.uint32)
PLAIN = Look(is_stacked=False, fits_view=False)


def area(fill: int) -> int:
    return int(colours.mix(BACK[:1], fill, AREA)[0])


def test_a_counter_is_an_area_with_a_line_in_steps() -> None:
    rows = CounterRows(counter_trace(a=[(10, 10.0), (50, 5.0)]), DARK)
    picture = rows.draw(0, PLAIN, WINDOW, HEIGHT, BACK, 1.0)
    fill = rows.colour(0, 0)
    for scale in (1.0, 2.0):
        assert (rows.draw(0, PLAIN, WINDOW, HEIGHT, BACK, scale)[:, :10] == BACK[0]).all(), "nothing before the first sample"
    high, low = (np.flatnonzero(picture[:, x] == fill) for x in (30, 70))
    assert len(high) == len(low) == 1
    assert HEIGHT - 2 - low[0] == pytest.approx((HEIGHT - 2 - high[0]) / 2, abs=1)
    assert (picture[high[0] + 1 : HEIGHT - 1, 30] == area(fill)).all()
    assert (picture[: high[0], 30] == BACK[0]).all()
    assert len(np.flatnonzero(picture[:, 50] == fill)) > 10, "the step itself is a line"


def test_below_zero_the_area_hangs_from_the_zero_line() -> None:
    rows = CounterRows(counter_trace(a=[(0, 4.0), (50, -4.0)]), DARK)
    picture = rows.draw(0, PLAIN, WINDOW, HEIGHT, BACK, 1.0)
    tint = area(rows.colour(0, 0))
    above, below = np.flatnonzero(picture[:, 20] == tint), np.flatnonzero(picture[:, 80] == tint)
    assert abs(above.max() - below.min()) <= 1
    assert rows.scale(0, PLAIN, WINDOW, WIDTH) == (-4.0, 4.0)


def test_the_largest_numbers_are_drawn_like_any() -> None:
    pictures = [CounterRows(counter_trace(a=[(0, v), (50, -v)]), DARK).draw(0, PLAIN, WINDOW, HEIGHT, BACK, 1.0) for v in (4.0, 1.7e308)]
    assert (pictures[0] == pictures[1]).all()


def test_series_lie_on_top_of_each_other_in_their_colours() -> None:
    rows = CounterRows(counter_trace(read=[(0, 1.0)], write=[(0, 3.0)]), DARK)
    look = rows.look(0, Arrangement())
    assert look == Look(is_stacked=True, fits_view=False)
    column = rows.draw(0, look, WINDOW, HEIGHT, BACK, 1.0)[:, 40]
    first, second = (np.flatnonzero(column == area(rows.colour(0, place))) for place in (0, 1))
    assert second.max() < first.min()
    assert len(second) / len(first) == pytest.approx(3, rel=0.15)
    assert rows.scale(0, look, WINDOW, WIDTH) == (0.0, 4.0)
    changed = rows.look(0, Arrangement().restack(0))
    assert rows.scale(0, changed, WINDOW, WIDTH) == (0.0, 3.0)
    column = rows.draw(0, changed, WINDOW, HEIGHT, BACK, 1.0)[:, 40]
    assert {rows.colour(0, 0), rows.colour(0, 1), int(BACK[0])} == set(column.tolist()), "two lines and no area"


def test_no_peak_in_a_pixel_that_never_was() -> None:
    """Two series that are high in turns: their sum is always 1."""
    turns = [(t, float(t % 2)) for t in range(1000)]
    rows = CounterRows(counter_trace(a=turns, b=[(t, 1 - v) for t, v in turns]), DARK)
    look = rows.look(0, Arrangement())
    wide = TimeRange(0, 1000)
    picture = rows.draw(0, look, wide, HEIGHT, BACK, 1.0)
    assert rows.scale(0, look, wide, WIDTH) == (0.0, 1.0)
    assert (np.count_nonzero(picture == rows.colour(0, 1), axis=0) == 1).all()


def test_a_scale_that_fits_what_is_visible() -> None:
    rows = CounterRows(counter_trace(a=[(0, 400.0), (50, 420.0), (90, 1000.0)]), DARK)
    fitted = rows.look(0, Arrangement().fit(0))
    assert rows.scale(0, fitted, TimeRange(0, 60), WIDTH) == (400.0, 420.0)
    assert rows.scale(0, fitted, WINDOW, WIDTH) == (400.0, 1000.0)
    assert rows.scale(0, PLAIN, TimeRange(0, 60), WIDTH) == (0.0, 1000.0)
    picture = rows.draw(0, fitted, TimeRange(0, 60), HEIGHT, BACK, 1.0)
    line = rows.colour(0, 0)
    assert np.flatnonzero(picture[:, 90] == line).max() < 6
    assert np.flatnonzero(picture[:, 10] == line).min() > HEIGHT - 5


def test_the_area_under_the_pointer_is_meant() -> None:
    trace = counter_trace(read=[(0, 1.0), (50, 2.0)], write=[(0, 3.0)])
    rows = CounterRows(trace, DARK)
    look = rows.look(0, Arrangement())
    read_now, write_now = 1, 2
    assert rows.sample_at(0, look, 60, 0.1, WINDOW, WIDTH) == read_now
    assert rows.sample_at(0, look, 60, 0.8, WINDOW, WIDTH) == write_now
    assert rows.sample_at(0, PLAIN, 60, 0.95, WINDOW, WIDTH) == write_now, "the nearest line"
    assert rows.sample_at(0, look, -5, 0.5, WINDOW, WIDTH) is None
    readings = rows.readings(0, look, 60, WINDOW, WIDTH)
    assert [(r.value, r.height) for r in readings] == [(2.0, 0.4), (3.0, 1.0)]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), 0.0, 1e308])
def test_any_value_can_be_drawn(value: float) -> None:
    rows = CounterRows(counter_trace(a=[(0, value), (50, 1.0)], b=[(3, value)]), DARK)
    for look in (PLAIN, Look(is_stacked=True, fits_view=False), Look(is_stacked=True, fits_view=True)):
        assert rows.draw(0, look, WINDOW, HEIGHT, BACK, 2.0).shape == (HEIGHT, WIDTH)


def test_series_have_different_colours_and_a_counter_keeps_its_own() -> None:
    trace = counter_trace(**{f"s{n}": [(0, 1.0)] for n in range(36)})
    rows = CounterRows(trace, DARK)
    assert len({rows.colour(0, place) for place in range(36)}) == 36
    again = CounterRows(counter_trace(other=[(0, 2.0)]), DARK)
    assert again.colour(0, 0) == rows.colour(0, 0), "by the counter's name"
