"""What stands in the window after many small changes is what would be painted anew."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QImage, QPainter, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from hlprof_core.levels.pyramid import build_levels
from hlprof_core.trace.ranges import TimeRange
from hlprof_gui.cli_bench import script
from hlprof_gui.state.view_state import Mark
from hlprof_gui.theme.theme import Theme
from hlprof_gui.timeline.view import TimelineView
from tests.synthetic import busy_trace
from tests.visual.conftest import pixels


@pytest.fixture
def theme(qapp: Any) -> Theme:
    theme = Theme("dark")
    theme.apply(qapp)
    return theme


@pytest.fixture
def view(view: TimelineView) -> TimelineView:
    trace = busy_trace(20_000)
    view.state.open(trace, build_levels(trace))
    QApplication.processEvents()
    return view


def on_screen(widget: QWidget) -> np.ndarray:
    """The pixels of a widget as they stand in its window."""
    store = widget.window().backingStore().paintDevice()
    assert isinstance(store, QImage)
    return pixels(store.copy(widget.geometry()))


def painted(widget: QWidget) -> np.ndarray:
    """The pixels of a widget, painted into a picture."""
    return pixels(widget.grab().toImage())


def test_frames_and_the_overview_look_as_if_painted_anew(view: TimelineView) -> None:
    state = view.state
    state.set_marks((Mark(state.window.start_ns + state.window.length_ns // 3, "here"),))
    windows = script(state.trace)
    for start, end in windows[:60:7] + windows[60::17] + [(0, 1 << 40)]:
        state.set_window(TimeRange(start, end))
        QApplication.processEvents()
        while view.scene.missing_labels:
            QApplication.processEvents()
        for part in (view.canvas, view.overview, view.ruler):
            assert (on_screen(part) == painted(part)).all(), (part, start, end)


def test_a_frame_is_made_in_the_window_at_first_and_copied_when_it_is_shown_again(view: TimelineView) -> None:
    state, scene = view.state, view.scene
    while scene.warm_labels():
        pass
    kept = scene.picture(all_labels=True)
    assert kept is not None
    before, window = kept.copy(), state.window
    state.set_window(TimeRange(window.start_ns + window.length_ns // 4, window.end_ns - window.length_ns // 4))
    QApplication.processEvents()
    shown = on_screen(view.canvas)
    assert (kept == before).all()
    view.canvas.update()
    QApplication.processEvents()
    assert (kept == shown).all()
    assert (kept != before).any()
    assert (on_screen(view.canvas) == shown).all()


def test_what_lies_over_the_canvas_stays(view: TimelineView) -> None:
    while view.scene.warm_labels():
        pass
    plate = QWidget(view)
    plate.setPalette(QPalette(QColor("#123456")))
    plate.setAutoFillBackground(True)  # opaque: it is not painted again when what lies below is
    box = view.canvas.geometry()
    plate.setGeometry(box.left() + 100, box.top() + 50, 200, 60)
    plate.show()
    QApplication.processEvents()
    window = view.state.window
    view.state.set_window(TimeRange(window.start_ns, window.end_ns - window.length_ns // 5))
    QApplication.processEvents()
    seen = on_screen(view.canvas)
    anew = painted(view.canvas)
    anew[50:110, 100:300] = 0xFF123456
    assert (seen == anew).all()


def test_a_part_of_the_overview_is_painted_as_the_whole_is_where_pixels_are_no_whole_ones(
    view: TimelineView, monkeypatch: pytest.MonkeyPatch
) -> None:
    strip, state, ratio, place = view.overview, view.state, 1.25, 194
    monkeypatch.setattr(strip, "devicePixelRatioF", lambda: ratio)
    strip.setFixedWidth(780)
    QApplication.processEvents()
    noise = np.random.default_rng(1).integers(0, 1 << 24, (2, 54, 975)).astype(np.uint32) | np.uint32(0xFF000000)
    monkeypatch.setattr(strip, "_draw", lambda _ratio, _slice_s: (noise[0], noise[1]))

    def picture(part: QRect) -> QImage:
        image = QImage(round((place + strip.width()) * ratio), round(strip.height() * ratio), QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(ratio)
        image.fill(0)
        painter = QPainter(image)
        painter.translate(place, 0)
        painter.setClipRect(part)
        strip.paint_overview(painter)
        painter.end()
        return image

    start, length = state.bounds.start_ns, state.bounds.length_ns
    for left, right in ((304, 687), (289, 672), (309, 677)):
        state.set_window(TimeRange(*(start + int(length * pixel / (strip.width() * ratio)) for pixel in (left, right))))
        whole = pixels(picture(strip.rect()))
        for at in range(round(left / ratio), round(right / ratio) - 30, 17):
            shown = pixels(picture(QRect(at, 0, 30, strip.height())))
            seen = slice(round((place + at + 1) * ratio), round((place + at + 29) * ratio))
            assert (shown[:, seen] == whole[:, seen]).all(), (left, at)
