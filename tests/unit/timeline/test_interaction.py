"""Tools, drags, wheel and held keys on a surface without a screen: one pixel is one nanosecond."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from hlprof_core.levels.pyramid import build_levels
from hlprof_core.trace.ranges import TimeRange
from hlprof_gui.state.view_state import MIN_WINDOW_NS, Bundle, Edge, Fold, Item, ViewState
from hlprof_gui.timeline.interaction import Interaction
from tests.small_trace import START_NS, small_trace


@dataclass
class Plane:
    """Slice 0 lies from 100 to 200 at y 0..20; everything else is empty."""

    width: int = 1000
    scrolled: list[float] = field(default_factory=list)
    bundle: Bundle | None = None

    def item_at(self, x: float, y: float) -> Item | None:
        return Item("slice", 0) if 100 <= x < 200 and 0 <= y < 20 else None

    def fold_at(self, x: float, y: float) -> Fold | None:
        return Fold(3, 50, 0.5) if x == 150 else None

    def bundle_at(self, x: float, y: float) -> Bundle | None:
        return self.bundle if y >= 100 else None

    def edge_near(self, x: float, y: float, reach: float) -> Edge | None:
        near = [e for e in (100, 200) if abs(e - x) <= reach and 0 <= y < 20]
        return Edge(START_NS + near[0], Item("slice", 0)) if near else None

    def tracks_between(self, top: float, bottom: float) -> tuple[int, ...]:
        return tuple(track for track in range(3) if track * 20 < bottom and track * 20 + 20 > top)

    def scroll_by(self, pixels: float) -> None:
        self.scrolled.append(pixels)


@pytest.fixture
def state() -> ViewState:
    state = ViewState()
    trace = small_trace()
    state.open(trace, build_levels(trace))
    state.set_window(TimeRange(START_NS, START_NS + 1000))
    return state


@pytest.fixture
def at(state: ViewState) -> Interaction:
    assert state.window == TimeRange(START_NS, START_NS + 1000)
    return Interaction(state, Plane())


def drag(at: Interaction, x0: float, x1: float, y: float = 10, **press: object) -> None:
    at.press(x0, y, "left", **press)  # type: ignore[arg-type]
    at.move((x0 + x1) / 2, y)
    at.move(x1, y)
    at.release(x1)


def test_a_click_selects_and_a_click_beside_clears(state: ViewState, at: Interaction) -> None:
    drag(at, 150, 151)
    assert state.selection == Item("slice", 0)
    state.set_range(TimeRange(START_NS, START_NS + 5))
    drag(at, 500, 500)
    assert state.selection is None
    assert state.range is None


def test_a_drag_chooses_time_in_either_direction(state: ViewState, at: Interaction) -> None:
    drag(at, 700, 400)
    assert state.range == TimeRange(START_NS + 400, START_NS + 700)
    assert state.selection is None


def test_with_control_a_drag_chooses_time_on_the_rows_it_covers(state: ViewState, at: Interaction) -> None:
    at.press(300, 50, "left", control=True)
    at.move(500, 25)
    at.release(500)
    assert state.range == TimeRange(START_NS + 300, START_NS + 500)
    assert state.range_tracks == (1, 2)
    drag(at, 500, 600, y=30)
    assert state.range_tracks == (1, 2), "its border moves, its rows stay"
    drag(at, 700, 800)
    assert state.range_tracks is None
    at.press(150, 10, "left", control=True)
    at.release(151)
    assert state.selection == Item("slice", 0), "a click is a click"


def test_a_border_of_the_chosen_time_can_be_dragged_past_the_other(state: ViewState, at: Interaction) -> None:
    state.set_range(TimeRange(START_NS + 400, START_NS + 700))
    assert at.cursor(401) == "beam"
    drag(at, 400, 500)
    assert state.range == TimeRange(START_NS + 500, START_NS + 700)
    drag(at, 500, 900)
    assert state.range == TimeRange(START_NS + 700, START_NS + 900)


def test_the_ruler_chooses_time_with_any_tool_but_zoom(state: ViewState, at: Interaction) -> None:
    state.set_tool("pan")
    at.press(300, -1, "left", on_ruler=True)
    at.move(600, -1, on_ruler=True)
    at.release(600)
    assert state.range == TimeRange(START_NS + 300, START_NS + 600)


def test_panning_moves_time_with_the_hand_and_rows_too(state: ViewState, at: Interaction) -> None:
    state.set_window(TimeRange(START_NS + 200, START_NS + 700))
    for tool, button in (("pan", "left"), ("select", "middle")):
        state.set_tool(tool)  # type: ignore[arg-type]
        state.set_window(TimeRange(START_NS + 200, START_NS + 700))
        at.press(500, 10, button)  # type: ignore[arg-type]
        at.move(700, 40)
        assert at.cursor(700) == "closed_hand"
        at.release(700)
        assert state.window == TimeRange(START_NS + 100, START_NS + 600)
    assert at.surface.scrolled == [-30, -30]  # type: ignore[attr-defined]


def test_a_second_button_does_not_disturb_a_drag(state: ViewState, at: Interaction) -> None:
    at.press(300, 50, "left")
    at.move(400, 50)
    for button in ("right", "middle"):
        at.press(400, 50, button)  # type: ignore[arg-type]
        at.move(500, 50)
        at.release(500, button)  # type: ignore[arg-type]
        assert at.gesture == "range"
    at.release(600, "left")
    assert at.gesture == "none"
    assert state.range == TimeRange(START_NS + 300, START_NS + 500)
    assert state.window == TimeRange(START_NS, START_NS + 1000)


def test_escape_takes_a_pan_back(state: ViewState, at: Interaction) -> None:
    state.set_window(TimeRange(START_NS + 200, START_NS + 700))
    before = state.window
    at.press(500, 10, "middle")
    at.move(600, 10)
    assert state.window != before
    assert at.cancel()
    assert state.window == before
    assert not at.cancel()


def test_the_zoom_tool_fills_the_window_with_the_drag(state: ViewState, at: Interaction) -> None:
    state.set_tool("zoom")
    at.press(300, 10, "left")
    at.move(600, 10)
    assert at.box is not None
    at.release(600)
    assert state.window == TimeRange(START_NS + 300, START_NS + 600)
    assert at.box is None


def test_a_measure_snaps_to_slice_borders_and_is_exact(state: ViewState, at: Interaction) -> None:
    state.set_tool("timing")
    at.move(104, 10)
    assert at.snap == Edge(START_NS + 100, Item("slice", 0))
    at.press(104, 10, "left")
    at.move(196, 10)
    assert at.draft is not None
    assert at.draft.length_ns == 100
    at.release(196)
    assert [m.length_ns for m in state.measures] == [100]
    assert state.measures[0].first.item == Item("slice", 0)


def test_shift_measures_freely(state: ViewState, at: Interaction) -> None:
    state.set_tool("timing")
    at.press(104, 10, "left", shift=True)
    at.move(196, 10, shift=True)
    at.release(196)
    assert [m.length_ns for m in state.measures] == [92]


def test_a_click_with_the_timing_tool_measures_the_slice(state: ViewState, at: Interaction) -> None:
    state.set_tool("timing")
    drag(at, 150, 150)
    assert state.measures[0].length_ns == int(state.trace.slices.dur_ns[0])  # type: ignore[union-attr]


def test_the_wheel_zooms_at_the_pointer_and_pans_with_shift(state: ViewState, at: Interaction) -> None:
    fixed = at.time_at(250)
    at.wheel(250, 0, 1)
    assert state.window.length_ns < 1000
    assert abs(at.time_at(250) - fixed) <= 2
    before = state.window
    at.wheel(250, 0, -1, shift=True)
    assert state.window.length_ns == before.length_ns
    assert state.window.start_ns > before.start_ns
    at.wheel(250, 1, 0)
    assert state.window == before


def test_held_keys_move_until_released(state: ViewState, at: Interaction) -> None:
    state.set_window(TimeRange(START_NS + 200, START_NS + 700))
    assert at.key_down("d")
    assert not at.key_down("x")
    for _ in range(5):
        at.tick(0.016)
    assert state.window.start_ns > START_NS + 200
    at.key_up("d")
    before = state.window
    at.tick(0.016)
    assert state.window == before
    at.key_down("w")
    for _ in range(10):
        at.tick(0.016)
    assert state.window.length_ns < 500
    at.release_keys()
    assert not at.is_moving


def test_hover_tells_item_time_and_fold(state: ViewState, at: Interaction) -> None:
    at.move(150, 10)
    assert (state.hover, state.cursor_ns, state.hover_fold) == (Item("slice", 0), START_NS + 150, Fold(3, 50, 0.5))
    at.leave()
    assert (state.hover, state.cursor_ns) == (None, None)


def test_a_double_click_focuses(state: ViewState, at: Interaction) -> None:
    at.double_click(150, 10)
    assert state.selection == Item("slice", 0)
    assert state.window.length_ns < 1000


def test_a_border_of_the_chosen_time_can_be_dragged_over_a_slice(state: ViewState, at: Interaction) -> None:
    state.set_range(TimeRange(START_NS + 50, START_NS + 150))
    at.move(151, 10)
    assert at.cursor(151) == "beam"
    at.press(151, 10, "left")
    at.move(180, 10)
    at.release(180)
    assert state.range == TimeRange(START_NS + 50, START_NS + 180)
    assert state.selection is None


def test_a_click_on_a_border_selects_what_is_there(state: ViewState, at: Interaction) -> None:
    chosen = TimeRange(START_NS + 50, START_NS + 150)
    state.set_range(chosen)
    at.press(149, 10, "left")
    at.move(151, 10)
    at.release(151)
    assert state.selection == Item("slice", 0)
    assert state.range == chosen


def test_a_border_is_there_only_on_the_rows_that_the_time_is_about(state: ViewState, at: Interaction) -> None:
    state.set_range(TimeRange(START_NS + 300, START_NS + 400), (1,))
    at.move(400, 10)
    assert at.cursor(400) == "arrow"
    at.move(400, 30)
    assert at.cursor(400) == "beam"


def test_what_lies_under_a_resting_pointer_follows_the_view(state: ViewState, at: Interaction) -> None:
    at.move(150, 10)
    state.set_window(TimeRange(START_NS + 500, START_NS + 900))
    at.follow()
    assert state.cursor_ns == START_NS + 500 + 150 * 400 // 1000
    at.leave()
    at.follow()
    assert state.cursor_ns is None


# -- what interrupts a gesture ------------------------------------------------------------------------------------------


def test_another_trace_ends_a_gesture_and_what_it_held(state: ViewState, at: Interaction) -> None:
    trace = small_trace()
    at.press(150, 10, "left")
    state.open(trace, build_levels(trace))
    at.release(150)
    assert state.selection is None, "what was pressed is not there any more"
    state.set_tool("timing")
    state.set_window(TimeRange(START_NS, START_NS + 1000))
    at.move(104, 10)
    at.press(104, 10, "left")
    at.move(130, 10)
    at.move(196, 10)
    assert at.snap is not None
    assert at.draft is not None
    state.close()
    assert at.snap is None
    assert at.draft is None
    assert at.gesture == "none"


@pytest.mark.parametrize("control", [False, True])
def test_escape_takes_a_drag_over_time_back(state: ViewState, at: Interaction, *, control: bool) -> None:
    chosen = TimeRange(START_NS + 300, START_NS + 400)
    state.set_range(chosen, (1,))
    at.press(600, 30, "left", control=control)
    at.move(700, 30)
    at.move(800, 30)
    assert state.range == TimeRange(START_NS + 600, START_NS + 800)
    assert at.cancel()
    assert (state.range, state.range_tracks) == (chosen, (1,))
    at.press(400, 30, "left")
    at.move(500, 30)
    assert state.range == TimeRange(START_NS + 300, START_NS + 500)
    assert at.cancel()
    assert (state.range, state.range_tracks) == (chosen, (1,))
    at.move(550, 30)
    at.release(550)
    assert (state.range, state.range_tracks) == (chosen, (1,)), "the drag is over"


def test_a_press_is_told_until_it_ends(state: ViewState, at: Interaction) -> None:
    at.press(150, 10, "right")
    assert state.drag is None, "its release may go to a menu"
    at.release(150, "right")
    for end in (lambda: at.release(150), at.cancel, at.drop):
        at.press(150, 10, "left")
        pressed = state.drag
        assert pressed is not None
        at.move(300, 10)
        assert state.drag is pressed
        end()
        assert state.drag is None


def test_escape_scrolls_the_rows_back_too(state: ViewState, at: Interaction) -> None:
    at.press(500, 10, "middle")
    at.move(600, 30)
    at.move(600, 60)
    at.cancel()
    assert isinstance(at.surface, Plane)
    assert at.surface.scrolled
    assert sum(at.surface.scrolled) == 0


def test_a_zoom_in_the_middle_of_a_pan_stays(state: ViewState, at: Interaction) -> None:
    state.set_window(TimeRange(START_NS + 200, START_NS + 700))
    at.press(500, 10, "middle")
    at.move(520, 10)
    at.wheel(520, 0, 2)
    length, held = state.window.length_ns, at.time_at(520)
    at.move(560, 10)
    assert state.window.length_ns == length < 500
    assert abs(at.time_at(560) - held) <= 1


def test_the_time_under_a_panning_pointer_is_the_one_it_holds(state: ViewState, at: Interaction) -> None:
    state.set_window(TimeRange(START_NS + 200, START_NS + 700))
    at.press(500, 10, "middle")
    at.move(540, 10)
    assert state.cursor_ns == at.time_at(540) == START_NS + 450


def test_a_zoom_drag_over_the_border_ends_where_it_began(state: ViewState, at: Interaction) -> None:
    state.set_tool("zoom")
    state.set_window(state.bounds)
    end = at.time_at(300)
    drag(at, 300, -200)
    assert state.window == TimeRange(state.bounds.start_ns, end)


def test_what_a_measure_snaps_to_follows_the_view_and_the_tool(state: ViewState, at: Interaction) -> None:
    state.set_tool("timing")
    at.move(104, 10)
    assert at.snap is not None
    at._over = (500, 10)
    at.follow()
    assert at.snap is None, "nothing is near there"
    at.move(104, 10)
    state.set_tool("select")
    assert at.snap is None
    state.set_tool("timing")
    assert at.snap is not None


def test_a_measure_from_row_to_row_may_be_short_on_the_screen(state: ViewState, at: Interaction) -> None:
    state.set_tool("timing")
    at.press(104, 10, "left")
    at.move(102, 60)
    at.release(102)
    assert [m.length_ns for m in state.measures] == [2]


def test_a_click_that_trembles_measures_the_slice(state: ViewState, at: Interaction) -> None:
    state.set_tool("timing")
    at.press(107, 10, "left")
    at.move(108, 11)
    at.release(108)
    assert state.trace is not None
    assert [m.length_ns for m in state.measures] == [int(state.trace.slices.dur_ns[0])]


# -- the shortest windows -----------------------------------------------------------------------------------------------


def test_held_keys_and_fine_wheels_work_in_the_shortest_windows(state: ViewState, at: Interaction) -> None:
    def hold(key: str) -> None:
        at.key_down(key)
        for _ in range(125):
            at.tick(0.016)
        at.key_up(key)

    state.set_window(TimeRange(START_NS + 500, START_NS + 540))
    hold("w")
    assert state.window.length_ns == MIN_WINDOW_NS
    before = state.window
    hold("d")
    assert 15 <= state.window.start_ns - before.start_ns <= 25, "two seconds of about one window each"
    hold("a")
    assert abs(state.window.start_ns - before.start_ns) <= 1
    hold("s")
    assert state.window.length_ns > 100
    state.set_window(before)
    for _ in range(100):
        at.wheel(500, 0, -0.1)
    assert state.window.length_ns > 50
    state.set_window(before)
    for _ in range(100):
        at.wheel(500, -0.1, 0)
    assert state.window.start_ns - before.start_ns in (11, 12)
