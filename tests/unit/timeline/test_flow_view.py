"""Which arrows a scene shows: of the selection, of a chosen time, all; how they are bundled, found under the pointer and told."""

from __future__ import annotations

import gc
import time
import weakref
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from hlprof_core.levels.pyramid import build_levels
from hlprof_core.progress import Progress
from hlprof_core.trace.ranges import TimeRange
from hlprof_gui.state.view_state import FilterChoice, Item, ViewState
from hlprof_gui.timeline import flow_view
from hlprof_gui.timeline.bundles import CANDIDATES, MOST, NOTHING, Stretch, bundle_view, choose_arrows, place_rows
from hlprof_gui.timeline.curves import THIN, Curves, bend_curves
from hlprof_gui.timeline.layout import build_layout
from hlprof_gui.timeline.scene import Scene
from tests.flow_traces import launches_trace


class Later:
    """Work that is done when the test says so."""

    def __init__(self) -> None:
        self.waiting: list[tuple[str, Any, Any]] = []

    def start(self, key: str, _title: str, work: Any, done: Any) -> None:
        self.waiting.append((key, work, done))

    def start_streaming(self, *_: Any) -> None:
        raise AssertionError

    def cancel(self, _key: str) -> None:
        self.waiting.clear()

    def finish(self) -> None:
        for _, work, done in self.waiting:
            done(work(Progress()))
        self.waiting.clear()


@pytest.fixture
def scene(qapp: Any) -> Scene:
    from hlprof_gui.theme.theme import Theme

    state = ViewState()
    scene = Scene(state, Theme("dark"))
    scene.resize(1000, 400, 1.0)
    trace = launches_trace(2000)
    state.open(trace, build_levels(trace))
    return scene


def test_a_selected_slice_has_its_arrows_and_nothing_else_is_drawn(scene: Scene) -> None:
    assert scene.flows.shown() == []
    scene.state.select(Item("slice", 7))
    (shown,) = scene.flows.shown()
    assert shown.is_chosen
    assert shown.bundles.flow.tolist() == [7]
    scene.state.set_arrows("none")
    assert scene.flows.shown() == []


def test_a_chosen_time_has_the_arrows_that_begin_or_end_in_it(scene: Scene) -> None:
    trace = scene.trace
    assert trace is not None
    begin, end = (int(trace.slices.start_ns[i]) for i in (100, 110))
    scene.state.set_window(TimeRange(begin - 200_000, end + 200_000))
    scene.state.set_range(TimeRange(begin, end))
    (shown,) = scene.flows.shown()
    leave = np.clip(trace.slices.start_ns[trace.flows.to_slice], 0, trace.slices.start_ns[:2000] + 1000)
    arrive = trace.slices.start_ns[trace.flows.to_slice]
    inside = ((leave >= begin) & (leave <= end)) | ((arrive >= begin) & (arrive <= end))
    cell = 1 << shown.bundles.cells.shift
    wide = ((leave >= begin - cell) & (leave <= end + cell)) | ((arrive >= begin - cell) & (arrive <= end + cell))
    assert inside.sum() <= shown.bundles.arrows <= wide.sum()
    scene.state.set_range(TimeRange(begin, end), (1,))
    (fewer,) = scene.flows.shown()
    assert 0 < fewer.bundles.arrows < shown.bundles.arrows


def test_all_arrows_are_bundled_when_zoomed_out_and_single_when_zoomed_in(scene: Scene) -> None:
    state = scene.state
    state.set_arrows("all")
    (far,) = scene.flows.shown()
    assert (len(far.bundles), far.bundles.arrows, far.bundles.undrawn) == (len(far.curves), 2000, 0)
    assert len(far.bundles) <= MOST
    assert far.curves.table[-1, 6] > THIN
    assert (np.diff(far.bundles.count) >= 0).all()
    middle = (state.window.start_ns + state.window.end_ns) // 2
    state.set_window(TimeRange(middle, middle + 60_000))
    (near,) = scene.flows.shown()
    assert (near.bundles.count == 1).all()
    assert near.bundles.elsewhere == 0


def test_folded_rows_share_their_arrows_and_hidden_ones_are_counted(scene: Scene) -> None:
    state = scene.state
    state.set_arrows("all")
    state.set_collapsed({1})
    (folded,) = scene.flows.shown()
    layout = scene.layout
    assert layout is not None
    assert set(folded.bundles.keys[:, 2].tolist()) == {int(layout.group_row[1])}
    state.set_collapsed(())
    state.set_arrangement(state.arrangement.hide([2]))
    (some,) = scene.flows.shown()
    trace = scene.trace
    assert trace is not None
    to_hidden = int((trace.slices.track[trace.flows.to_slice] == 2).sum())
    assert (some.bundles.hidden, some.bundles.arrows) == (to_hidden, 2000 - to_hidden)


def test_arrows_of_slices_that_a_filter_hides_are_gone(scene: Scene) -> None:
    state = scene.state
    state.set_arrows("all")
    trace = state.trace
    assert trace is not None
    kept = np.flatnonzero((trace.slices.track == 0) | (trace.slices.track == 1))
    state.set_filter(FilterChoice("x", "hide"))
    state.set_matches(kept, is_answer=True)
    (shown,) = scene.flows.shown()
    assert shown.bundles.arrows == int((trace.slices.track[trace.flows.to_slice] == 1).sum())
    state.set_filter(FilterChoice("x", "dim"))
    assert scene.flows.shown()[0].bundles.arrows == 2000


def test_under_the_pointer_lies_what_is_drawn_there(scene: Scene) -> None:
    scene.state.set_arrows("all")
    (shown,) = scene.flows.shown()
    place = len(shown.bundles) - 1
    xs, ys = Curves(shown.curves.table[place : place + 1]).points(np.array([0.5]))
    hit = scene.flows.at(float(xs[0, 0]), float(ys[0, 0]), 1.0)
    assert hit is not None
    bundle = scene.bundle_at(float(xs[0, 0]), float(ys[0, 0]))
    assert bundle is not None
    assert bundle.count == int(shown.bundles.count[hit[1]])
    assert sum(count for _, _, count in bundle.pairs) <= bundle.count
    assert {pair[0] for pair in bundle.pairs} == {"launch"}
    assert scene.flows.find(bundle) == hit
    assert len(scene.flows.finder_of_slices(bundle)(Progress())) == 2 * bundle.count
    assert scene.bundle_at(500.0, 399.0) is None


def test_levels_of_many_arrows_come_later_and_a_slice_need_not_wait(qapp: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from hlprof_gui.theme.theme import Theme

    monkeypatch.setattr(flow_view, "FEW_FLOWS", 100)
    state = ViewState()
    scene = Scene(state, Theme("dark"))
    scene.work = later = Later()
    trace = launches_trace(500)
    state.open(trace, build_levels(trace))
    told: list[int] = []
    scene.flows.changed.connect(lambda: told.append(1))
    state.set_arrows("all")
    state.select(Item("slice", 3))
    (shown,) = scene.flows.shown()
    assert shown.is_chosen
    assert [key for key, _, _ in later.waiting] == ["flows"]
    scene.flows.shown()
    assert len(later.waiting) == 1
    later.finish()
    assert told == [1]
    assert [part.is_chosen for part in scene.flows.shown()] == [False, True]


def test_times_from_one_end_of_numbers_to_the_other() -> None:
    stretch = Stretch(TimeRange(-(1 << 63), (1 << 63) - 1), 1000)
    xs = stretch.x_of(np.array([-(1 << 63), 0, (1 << 63) - 1]))
    assert xs.tolist() == pytest.approx([0, 500, 1000], abs=1)
    narrow = Stretch(TimeRange(1 << 62, (1 << 62) + 100), 100)
    assert narrow.x_of(np.array([-(1 << 63), (1 << 62) + 7, (1 << 63) - 1])).tolist() == pytest.approx([-81, 7, 181], abs=1)


def test_arrows_within_a_row_are_arcs_and_nothing_has_no_curves() -> None:
    one = np.ones(1)
    same = replace(NOTHING, x0=10 * one, y0=20 * one, x1=200 * one, y1=20 * one, count=np.ones(1, np.int64))
    curves = bend_curves(same)
    assert curves.points(np.array([0.5]))[1][0, 0] < 10
    assert len(bend_curves(NOTHING)) == 0
    assert bend_curves(NOTHING).nearest(0, 0, 5) is None


def test_a_frame_looks_at_few_of_very_many_arrows() -> None:
    trace = launches_trace(150_000)
    levels = flow_view.build_flow_levels(trace)
    assert len(levels.levels) > 2
    rows = place_rows(trace, build_layout(trace), 0, 600)
    span = trace.span
    for part in (1, 7, 60, 900, 20_000):
        stretch = Stretch(TimeRange(span.start_ns, span.start_ns + span.length_ns // part), 1400)
        arrows, _ = choose_arrows(levels, rows.lanes, stretch.window, stretch.apart_shift)
        assert len(arrows) <= CANDIDATES
        assert bundle_view(levels, rows, stretch).undrawn == 0
    begun = time.thread_time()
    bundle_view(levels, rows, Stretch(TimeRange(span.start_ns, span.end_ns), 1400))
    assert time.thread_time() - begun < 0.05


def test_very_many_arrows_are_named_by_a_part_of_them(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flow_view, "MOST_NAMED", 5)
    scene.state.set_arrows("all")
    (shown,) = scene.flows.shown()
    bundle = scene.flows.describe(shown, len(shown.bundles) - 1)
    assert bundle.is_sampled
    assert bundle.count == int(shown.bundles.count[-1]) > 10
    assert 0 < sum(count for _, _, count in bundle.pairs) <= 10
    assert scene.flows.describe(shown, 0).flow in range(2000)


def test_nothing_of_a_closed_trace_is_kept(scene: Scene) -> None:
    scene.state.set_arrows("all")
    assert scene.flows.shown()
    former = weakref.ref(scene.trace)
    scene.state.close()
    assert scene.flows.shown() == []
    gc.collect()
    assert former() is None
