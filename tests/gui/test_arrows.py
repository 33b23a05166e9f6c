"""Arrows on the timeline: shown by commands, found by the pointer, followed by clicks, kept by undo and sessions, drawn into files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from hlprof_core.levels.pyramid import build_levels
from hlprof_core.trace.ranges import TimeRange
from hlprof_gui.cli_render import draw
from hlprof_gui.state import session
from hlprof_gui.state.view_state import Item, ViewState
from hlprof_gui.timeline import backend
from hlprof_gui.timeline.curves import Curves
from hlprof_gui.timeline.picture import arrange_offscreen, draw_svg
from hlprof_gui.timeline.view import TimelineView
from hlprof_gui.viewmodels.details import describe
from hlprof_gui.viewmodels.status import hover_text
from tests.flow_traces import launches_trace
from tests.gui.conftest import wait_idle

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def flow_window(window: Any) -> Any:
    trace = launches_trace(1500)
    window.state.open(trace, build_levels(trace))
    window._stack.setCurrentWidget(window.timeline)
    QApplication.processEvents()
    return window


def place_of(window: Any, nth: int, share: float = 0.5) -> QPoint:
    """A point on one of the drawn arrows."""
    shown = window.timeline.scene.flows.shown()[-1]
    xs, ys = Curves(shown.curves.table[nth : nth + 1] if nth >= 0 else shown.curves.table[nth:]).points(np.array([share]))
    return QPoint(round(xs[0, 0]), round(ys[0, 0]))


def test_a_command_shows_all_and_undo_takes_it_back(flow_window: Any, qtbot: QtBot) -> None:
    window, state = flow_window, flow_window.state
    before = window.timeline.canvas.grab().toImage()
    window.timeline.setFocus()
    qtbot.keyClick(window.timeline.canvas, Qt.Key.Key_F, Qt.KeyboardModifier.ShiftModifier)
    assert state.arrows == "all"
    assert window.actions_by_id["flow.show_all"].isChecked()
    assert window.timeline.canvas.grab().toImage() != before
    assert window.timeline.overlay.arrows.note().startswith("1,500 arrows")
    assert window.history.undo_title == "Arrows"
    window.actions_by_id["edit.undo"].trigger()
    assert state.arrows == "selection"
    assert window.timeline.canvas.grab().toImage() == before
    window.actions_by_id["flow.show_selected"].trigger()
    assert state.arrows == "none"


def test_a_bundle_tells_how_many_and_a_click_goes_closer(flow_window: Any) -> None:
    window, state = flow_window, flow_window.state
    state.set_arrows("all")
    at = place_of(window, -1)
    QTest.mouseMove(window.timeline.canvas, at)
    bundle = state.hover_bundle
    assert bundle is not None
    assert bundle.count > 1
    said = hover_text(state)
    assert said.startswith(f"{bundle.count:,} arrows in ")
    assert "launch → " in said
    plain = window.timeline.canvas.grab().toImage()
    state.set_hover(None, None)
    assert window.timeline.canvas.grab().toImage() != plain
    before = state.window.length_ns
    QTest.mouseClick(window.timeline.canvas, LEFT, pos=at)
    assert state.window.length_ns < before
    assert state.window.start_ns <= bundle.span.start_ns
    assert bundle.span.end_ns <= state.window.end_ns


def test_a_click_on_one_arrow_selects_it_and_commands_go_to_its_ends(flow_window: Any) -> None:
    window, state = flow_window, flow_window.state
    trace = state.trace
    state.set_arrows("all")
    middle = int(trace.slices.start_ns[700])
    state.set_window(TimeRange(middle, middle + 60_000))
    QTest.mouseClick(window.timeline.canvas, LEFT, pos=place_of(window, 2))
    chosen = state.selection
    assert chosen is not None
    assert chosen.kind == "flow"
    details = describe(trace, chosen)
    assert [fact.link for fact in details.facts if fact.label in ("From", "To")] == [
        Item("slice", int(trace.flows.from_slice[chosen.id])),
        Item("slice", int(trace.flows.to_slice[chosen.id])),
    ]
    assert "Arrives after" in json.loads(details.to_json())
    window.actions_by_id["flow.select_target"].trigger()
    assert state.selection == Item("slice", int(trace.flows.to_slice[chosen.id]))
    state.select(chosen)
    window.actions_by_id["select.flow_origin"].trigger()
    assert state.selection == Item("slice", int(trace.flows.from_slice[chosen.id]))


def test_a_slice_under_an_arrow_is_still_met(flow_window: Any) -> None:
    window, state = flow_window, flow_window.state
    trace, scene = state.trace, window.timeline.scene
    start = int(trace.slices.start_ns[700])
    state.set_window(TimeRange(start, start + 20_000))
    state.select(Item("slice", 700))
    target = int(trace.flows.to_slice[700])
    state.set_window(TimeRange(start, int(trace.slices.start_ns[target]) + 8_000))
    box = scene.slice_box(target)
    middle = (box[1] + box[3]) / 2
    assert scene.bundle_at(box[0] + 5, middle) is None
    assert scene.item_at(box[0] + 5, middle) == Item("slice", target)
    assert scene.bundle_at(box[0] - 4, middle) is not None
    QTest.mouseDClick(window.timeline.canvas, LEFT, pos=place_of(window, 0))
    assert state.selection == Item("flow", 700)


def test_slices_of_a_bundle_become_a_list(flow_window: Any, qtbot: QtBot) -> None:
    window, state = flow_window, flow_window.state
    state.set_arrows("all")
    at = place_of(window, -1)
    state.bundle_target = bundle = window.timeline.scene.bundle_at(at.x(), at.y())
    window.search.set_words("nothing that is there")
    window.actions_by_id.refresh()
    window.actions_by_id["flow.list_slices"].trigger()
    wait_idle(qtbot, window)
    assert window.search.words == window.search_box.field.text() == "", "a filter would say something else about the list"
    assert len(state.matches) == 2 * bundle.count
    assert (np.diff(state.trace.slices.start_ns[state.matches]) >= 0).all()


def test_a_session_keeps_what_is_drawn(tmp_path: Path) -> None:
    trace = launches_trace(20)
    first, second = ViewState(), ViewState()
    for state in (first, second):
        state.open(trace, build_levels(trace))
    first.set_arrows("all")
    assert session.apply(session.describe(first), second) == []
    assert second.arrows == "all"
    session.apply({**session.describe(first), "arrows": "sideways"}, second)
    assert second.arrows == "all"


def test_files_have_the_arrows_of_the_window(theme: Any, tmp_path: Path) -> None:
    trace = launches_trace(300)
    draw(trace, tmp_path / "without.png", (900, 300), None, "dark")
    draw(trace, tmp_path / "with.png", (900, 300), None, "dark", with_flows=True)
    state = ViewState()
    state.open(trace, build_levels(trace))
    state.set_arrows("all")
    view = arrange_offscreen(state, theme, (900, 300))
    drawn, saved = view.picture(), QImage(str(tmp_path / "with.png"))
    assert saved.convertToFormat(drawn.format()) == drawn
    assert QImage(str(tmp_path / "without.png")) != saved
    shapes = draw_svg(view)
    count = len(view.scene.flows.shown()[0].curves)
    assert shapes.count("<path") >= 2 * count
    assert "300 arrows" in shapes


def test_both_ways_of_painting_look_alike(theme: Any) -> None:
    """On the screen they are one image; in drawings they are shapes."""
    trace = launches_trace(300)
    state = ViewState()
    state.open(trace, build_levels(trace))
    state.set_arrows("all")
    view = arrange_offscreen(state, theme, (900, 300))
    pictures = []
    for as_shapes in (False, True):
        image = QImage(view.canvas.size(), QImage.Format.Format_RGB32)
        image.fill(theme.color("canvas"))
        painter = QPainter(image)
        view.overlay.arrows.paint(painter, as_shapes=as_shapes)
        painter.end()
        pictures.append(np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.width(), 4)[..., :3].astype(int))
    apart = np.abs(pictures[0] - pictures[1]).max(axis=2)
    inked = (np.abs(pictures[0] - pictures[0][-1, 0]).max(axis=2) > 40).sum()
    assert (apart > 90).sum() < 0.12 * inked


@pytest.mark.xcb
@pytest.mark.software_opengl
def test_opengl_shows_the_same_arrows(qtbot: QtBot, theme: Any) -> None:
    if QGuiApplication.platformName() != "xcb" or not backend.probe_opengl().renderer:
        pytest.skip("no OpenGL window system here")
    trace = launches_trace(300)
    pictures = []
    for way in ("image", "opengl"):
        state = ViewState()
        view = TimelineView(state, theme, backend=way)
        qtbot.addWidget(view)
        view.resize(900, 300)
        view.show()
        qtbot.waitExposed(view)
        state.open(trace, build_levels(trace))
        QApplication.processEvents()
        painted = view.canvas.frames if way == "opengl" else 0
        state.set_arrows("all")
        if way == "opengl":
            qtbot.waitUntil(lambda view=view, painted=painted: view.canvas.frames > painted)
        surface = view.canvas.surface if way == "opengl" else None
        image = surface.grabFramebuffer() if surface is not None else view.canvas.grab().toImage()
        image = image.convertToFormat(QImage.Format.Format_RGB32)
        pictures.append(np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.width(), 4)[..., :3].astype(int))
    assert pictures[0].shape == pictures[1].shape
    ink = theme.color("flow")
    is_arrow = np.abs(pictures[0] - np.array([ink.blue(), ink.green(), ink.red()])).max(axis=2) < 60
    assert is_arrow.sum() > 500
    apart = np.abs(pictures[0] - pictures[1]).max(axis=2)
    assert (apart[is_arrow] > 60).mean() < 0.03
