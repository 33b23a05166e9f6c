"""What the eye relies on: colours that mean the same in two places, arrows that follow time, bars only where rows are hidden."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from hlprof_core.levels.pyramid import build_levels
from hlprof_core.trace.builder import TraceBuilder
from hlprof_core.trace.model import Origin
from hlprof_gui.state.view_state import Item
from hlprof_gui.timeline import colours
from hlprof_gui.timeline.view import TimelineView
from tests.small_trace import slice_named, small_trace
from tests.visual.conftest import pixels


@pytest.fixture(params=["dark", "light"])
def theme(qapp: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
    from hlprof_gui.theme.theme import Theme

    theme = Theme(request.param)
    theme.apply(qapp)
    yield theme
    qapp.setStyleSheet("")


def show(view: TimelineView, trace: Any) -> None:
    view.state.open(trace, build_levels(trace))
    QApplication.processEvents()


def test_the_legend_has_the_colours_of_the_overview(view: TimelineView) -> None:
    show(view, small_trace())
    legend, strip = pixels(view.legend.grab().toImage()), pixels(view.overview.grab().toImage())
    fills = colours.fill_palette(view.theme.palette)
    for k, (name, _) in enumerate(view.overview.bands):
        assert (legend == fills[k]).any(), name
        assert (strip == fills[k]).any(), name


def test_the_frame_of_the_overview_has_two_whole_grips_at_the_ends(view: TimelineView) -> None:
    show(view, small_trace())
    strip = pixels(view.overview.grab().toImage())
    middle = strip[view.overview.height() // 2]
    accent = view.theme.color("accent").rgb()
    assert (middle[:3] == accent).all()
    assert (middle[-3:] == accent).all()


def test_an_arrow_from_a_slice_that_goes_on_does_not_run_back_in_time(view: TimelineView) -> None:
    b = TraceBuilder()
    b.process("host", "Host")
    b.process("mme", "MME")
    b.thread("host", 1, "MainThread")
    b.thread("mme", 0, "MME 0")
    b.slice("host", 1, 0, 10_000, "step")
    b.slice("mme", 0, 2_000, 1_000, "gemm")
    b.flow("s", "host", 1, 1_000, "1", name="launch")
    b.flow("f", "mme", 0, 2_000, "1", name="launch")
    show(view, b.finish(Origin("test")))
    assert len(view.state.trace.flows) == 1
    view.state.select(Item("slice", slice_named(view.state.trace, "gemm")))
    before = pixels(view.canvas.grab().toImage())
    view.state.select(None)
    after = pixels(view.canvas.grab().toImage())
    columns = np.flatnonzero((before != after).any(axis=0))
    box = view.scene.slice_box(slice_named(view.state.trace, "gemm"))
    assert columns.min() > view.scene.x_of(0)
    assert columns.max() < box[2] + 40


def test_the_scroll_bar_is_there_only_when_rows_are_hidden(view: TimelineView, qtbot: QtBot) -> None:
    show(view, small_trace())
    bar = view.scroll_bar
    handle = view.theme.color("border").rgb()
    assert not bar.isEnabled()
    assert not (pixels(bar.grab().toImage()) == handle).any()
    view.resize(1000, 180)
    qtbot.waitUntil(bar.isEnabled)
    assert (pixels(bar.grab().toImage()) == handle).any()
