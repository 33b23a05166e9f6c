"""What is painted over the slices looks the same through OpenGL as in a picture."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from hlprof_core.levels.pyramid import build_levels
from hlprof_core.trace.ranges import TimeRange
from hlprof_gui.state.view_state import Edge, Item, Mark, Measure, ViewState
from hlprof_gui.timeline import backend
from hlprof_gui.timeline.view import TimelineView
from tests.small_trace import START_NS, slice_named, small_trace

TRACE = small_trace()
LEVELS = build_levels(TRACE)


def at(place_ns: int) -> int:
    return START_NS + place_ns


def choose_everything(state: ViewState) -> None:
    state.select(Item("slice", slice_named(TRACE, "relu")))
    state.set_matches(np.array([slice_named(TRACE, "fc1/forward")], np.int64), 0)
    state.set_hover(Item("slice", slice_named(TRACE, "main")), at(300))
    state.set_range(TimeRange(at(50), at(220)))
    state.set_marks([Mark(at(600), "note", 80), Mark(at(800))])
    state.set_measures([Measure(Edge(at(500)), Edge(at(700)))])


def shown(view: TimelineView, qtbot: QtBot, way: str) -> np.ndarray:
    if way == "image":
        image = view.canvas.grab().toImage()
    else:
        painted = view.canvas.frames
        view.canvas.update()
        qtbot.waitUntil(lambda: view.canvas.frames > painted)
        image = view.canvas.surface.grabFramebuffer()  # type: ignore[attr-defined]
    image = image.convertToFormat(QImage.Format.Format_RGB32)
    return np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.width(), 4)[..., :3].astype(int)


@pytest.mark.xcb
@pytest.mark.software_opengl
@pytest.mark.parametrize("look", ["dark", "light"])
def test_opengl_paints_the_same_over_the_slices(qtbot: QtBot, theme: Any, look: Any) -> None:
    if QGuiApplication.platformName() != "xcb" or not backend.probe_opengl().renderer:
        pytest.skip("no OpenGL window system here")
    theme.use(look)
    pictures = []
    for way in ("image", "opengl"):
        state = ViewState()
        view = TimelineView(state, theme, backend=way)  # type: ignore[arg-type]
        qtbot.addWidget(view)
        view.resize(900, 400)
        view.show()
        qtbot.waitExposed(view)
        state.open(TRACE, LEVELS)
        choose_everything(state)
        QApplication.processEvents()
        pictures.append(shown(view, qtbot, way))
    apart = np.abs(pictures[0] - pictures[1]).max(axis=2)
    assert (apart > 40).mean() < 0.004
