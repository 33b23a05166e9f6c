"""The status line's words, and the badge of the file."""

from __future__ import annotations

from hlprof_core.levels.pyramid import build_levels
from hlprof_core.trace.builder import TraceBuilder
from hlprof_core.trace.model import Origin
from hlprof_core.trace.ranges import TimeRange
from hlprof_gui.state.view_state import Edge, Fold, Item, Measure, ViewState
from hlprof_gui.viewmodels.diagnostics import badge_text
from hlprof_gui.viewmodels.status import chosen_text, cursor_text, hover_text, tip_text, window_text
from tests.small_trace import START_NS, slice_named, small_trace


def test_nothing_open_says_nothing() -> None:
    state = ViewState()
    assert [f(state) for f in (hover_text, cursor_text, window_text, chosen_text)] == [""] * 4


def test_words() -> None:
    state = ViewState()
    trace = small_trace()
    state.open(trace, build_levels(trace))
    state.set_hover(Item("slice", slice_named(trace, "sync")), START_NS + 650)
    assert hover_text(state) == "sync   Host · MainThread   at 600 ns   300 ns (300 ns)"
    assert cursor_text(state) == "650 ns"
    state.set_hover(Item("slice", slice_named(trace, "relu")), START_NS, Fold(1234, 2_000, 0.5))
    assert hover_text(state) == "1,234 slices in this pixel   longest 2.000 µs   50% busy   mostly relu"
    assert tip_text(state) == "1,234 slices in this pixel\nmostly relu\nlongest 2.000 µs, 50% busy"
    state.set_hover(Item("slice", slice_named(trace, "sync")), START_NS + 650)
    assert tip_text(state) == "sync\n300 ns from 600 ns\nHost · MainThread"
    state.set_hover(Item("instant", 0), START_NS + 950)
    assert tip_text(state) == "mark\nHost · MainThread\nat 950 ns"
    state.set_hover(Item("counter", 0), START_NS + 200)
    assert tip_text(state) == "", "its values are there anyway"
    state.set_time_scale("file")
    assert cursor_text(state) == "1\u202f000\u202f000\u202f200 ns"
    state.set_range(TimeRange(START_NS, START_NS + 1500))
    assert chosen_text(state) == "Selected 1.500 µs (1\u202f500 ns)"
    state.set_measures([Measure(Edge(START_NS), Edge(START_NS + 17))])
    assert chosen_text(state) == "Measured 17 ns (17 ns)"
    assert window_text(state).startswith("Window ")


def test_the_badge_shows_loss_and_hides_information() -> None:
    assert badge_text(None) == ("", None)
    assert badge_text(small_trace()) == ("Data lost: 1 finding", "data-loss")
    clean = TraceBuilder()
    clean.log.add("layout.tidy", "info", "Tidied.")
    assert badge_text(clean.finish(Origin("test"))) == ("", None)
