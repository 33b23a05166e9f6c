"""Undo, redo, and the windows looked at."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hlprof_core.trace.ranges import TimeRange
from hlprof_gui.state.history import MERGE_S, History
from hlprof_gui.state.view_state import Edge, FilterChoice, Item, Measure, ViewState


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def wait(self, seconds: float = 2 * MERGE_S) -> None:
        self.now += seconds


def choices(state: ViewState) -> tuple[Any, ...]:
    return state.window, state.selection, state.range, state.measures, state.marks, state.collapsed, state.filter


ACTIONS = {
    "zoom": lambda s, n: s.zoom(0.5 + n / 10),
    "select": lambda s, n: s.select(Item("track", n)),
    "range": lambda s, n: s.set_range(TimeRange(n, n + 5)),
    "measure": lambda s, n: s.set_measures((Measure(Edge(n), Edge(n + 9)),)),
    "mark": lambda s, n: s.add_mark(n),
    "fold": lambda s, n: s.set_collapsed({n}),
    "filter": lambda s, n: s.set_filter(FilterChoice(f"depth:{n}")),
}


@given(st.lists(st.tuples(st.sampled_from(sorted(ACTIONS)), st.integers(0, 4)), max_size=12))
def test_undo_leads_through_every_step_back_and_redo_forward(actions: list[tuple[str, int]]) -> None:
    clock = Clock()
    state = ViewState()
    history = History(state, clock)
    seen = [choices(state)]
    for name, number in actions:
        clock.wait()
        ACTIONS[name](state, number)
        if choices(state) != seen[-1]:
            seen.append(choices(state))
    for expected in reversed(seen[:-1]):
        history.undo()
        assert choices(state) == expected
    assert history.undo_title == ""
    for expected in seen[1:]:
        history.redo()
        assert choices(state) == expected
    assert history.redo_title == ""


def test_a_held_key_is_one_step_and_one_window() -> None:
    clock = Clock()
    state = ViewState()
    history = History(state, clock)
    first = state.window
    for _ in range(5):
        state.zoom(0.9)
        clock.wait(0.02)
    zoomed = state.window
    clock.wait()
    state.zoom(0.5)
    history.undo()
    assert state.window == zoomed
    history.undo()
    assert state.window == first
    assert history.undo_title == ""
    history.redo()
    history.redo()
    history.back()
    assert state.window == zoomed
    history.back()
    assert state.window == first
    assert not history.can_go_back
    history.forward()
    assert state.window == zoomed


def test_a_jump_that_selects_and_moves_is_one_step() -> None:
    clock = Clock()
    state = ViewState()
    history = History(state, clock)
    before = choices(state)
    state.select(Item("track", 1))
    state.zoom(0.5)
    assert history.undo_title == "Selection"
    history.undo()
    assert choices(state) == before


def test_a_new_change_ends_what_could_be_done_again() -> None:
    clock = Clock()
    state = ViewState()
    history = History(state, clock)
    state.add_mark(1)
    history.undo()
    assert history.redo_title == "Marks"
    clock.wait()
    state.add_mark(2)
    assert history.redo_title == ""


def test_going_back_in_windows_keeps_marks() -> None:
    clock = Clock()
    state = ViewState()
    history = History(state, clock)
    first = state.window
    state.zoom(0.5)
    clock.wait()
    state.add_mark(7)
    history.back()
    assert state.window == first
    assert [m.time_ns for m in state.marks] == [7]
    history.undo()  # the travel itself is a step
    assert state.window != first


def visits(history: History, state: ViewState) -> list[TimeRange]:
    """All windows that Back leads to, the latest first."""
    found = []
    while history.can_go_back:
        history.back()
        found.append(state.window)
    return found


def test_a_jump_right_after_a_click_leaves_the_window_it_came_from() -> None:
    clock = Clock()
    state = ViewState()
    history = History(state, clock)
    first = state.window
    state.zoom(0.5)
    second = state.window
    for number in range(2):
        clock.wait()
        state.select(Item("track", number))
        clock.wait(0.3 * number)
        state.zoom(0.5)
    third = TimeRange(375_000, 625_000)
    assert visits(history, state) == [third, second, first]


def test_back_leads_on_from_what_undo_shows() -> None:
    clock = Clock()
    state = ViewState()
    history = History(state, clock)
    first = state.window
    state.zoom(0.5)
    second = state.window
    clock.wait()
    state.zoom(0.5)
    third = state.window
    history.undo()
    assert state.window == second
    history.back()
    assert state.window == first
    history.undo()
    assert state.window == second
    history.forward()
    assert state.window == third


def test_each_drag_is_one_step_however_long_it_takes() -> None:
    clock = Clock()
    state = ViewState()
    history = History(state, clock)
    for start in (0, 100):
        clock.wait(0.2)
        state.drag = object()
        for length in (10, 20, 30):
            clock.wait(3 * MERGE_S)
            state.set_range(TimeRange(start, start + length))
        state.drag = None
    history.undo()
    assert state.range == TimeRange(0, 30)
    history.undo()
    assert state.range is None


def test_clicks_folds_flags_and_measures_are_steps_of_their_own() -> None:
    clock = Clock()
    state = ViewState()
    history = History(state, clock)
    for number in (1, 2):
        for act in (
            lambda n: state.select(Item("track", n)),
            lambda n: state.set_measures((*state.measures, Measure(Edge(n), Edge(n + 9)))),
        ):
            clock.wait(0.2)
            state.drag = object()
            act(number)
            state.drag = None
    for number in (1, 2):
        clock.wait(0.2)
        state.set_collapsed(state.collapsed | {number})
    for number in (1, 2):
        clock.wait(0.2)
        state.add_mark(number)
    seen = []
    while history.undo_title:
        history.undo()
        seen.append((len(state.marks), len(state.collapsed), len(state.measures), state.selection))
    one, two = Item("track", 1), Item("track", 2)
    assert seen == [
        (1, 2, 2, two),
        (0, 2, 2, two),
        (0, 1, 2, two),
        (0, 0, 2, two),
        (0, 0, 1, two),
        (0, 0, 1, one),
        (0, 0, 0, one),
        (0, 0, 0, None),
    ]


def test_what_is_taken_back_at_once_is_no_step() -> None:
    clock = Clock()
    state = ViewState()
    history = History(state, clock)
    state.drag = object()
    state.set_range(TimeRange(1, 5))
    clock.wait(3)
    state.set_range(None)
    assert history.undo_title == ""
