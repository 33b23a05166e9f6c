"""The whole trace in one strip: activity of each engine class or process over time, and the visible part as a frame to drag."""

from __future__ import annotations

import time
from itertools import pairwise
from typing import Literal, cast

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QImage, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from hlprof_core.levels.viewport import Ink, Strips, draw_strips
from hlprof_core.trace.engines import CLASSES
from hlprof_core.trace.ranges import TimeRange
from hlprof_core.trace.table import I8, U4
from hlprof_gui.notify import safe
from hlprof_gui.state.groups import Groups, groups_of
from hlprof_gui.state.view_state import MIN_WINDOW_NS
from hlprof_gui.theme.theme import Theme
from hlprof_gui.timeline import colours
from hlprof_gui.timeline.scene import Scene
from hlprof_gui.viewmodels.short_texts import drawable
from hlprof_gui.widgets.context_menu import MenuRequest

HEIGHT, PAD, MAX_BANDS = 52, 4, 6
GRIP = 6
FADED = 0.62
"""How much of the background covers the part of the trace that is not shown below."""
SLICE_S = 0.01
MIN_FRAME = 8
"""The frame of the visible part is at least so wide, to be seen and caught."""
Part = Literal["none", "start", "end", "body", "jump"]
SHAPES: dict[Part, Qt.CursorShape] = {
    "none": Qt.CursorShape.ArrowCursor,
    "start": Qt.CursorShape.SplitHCursor,
    "end": Qt.CursorShape.SplitHCursor,
    "body": Qt.CursorShape.OpenHandCursor,
    "jump": Qt.CursorShape.ArrowCursor,
}


def bands(groups: Groups) -> list[tuple[str, I8]]:
    """What the strip shows, top to bottom: name and outermost lanes of each group, or of each engine class when there are many."""
    lanes, edges = groups.outermost
    used = np.flatnonzero(np.diff(edges)).tolist()
    if len(used) <= MAX_BANDS:
        return [(groups.told_title(g), groups.outermost_of(g)) for g in used]
    engine = np.minimum(groups.columns.engine, len(CLASSES) - 1)[groups.lanes.track[lanes]]
    return [(CLASSES[e], np.sort(lanes[engine == e])) for e in np.flatnonzero(np.bincount(engine)).tolist()]


class OverviewStrip(QWidget):
    """Drag the frame to move it, its borders to resize it, elsewhere to jump there."""

    menu_wanted = Signal(object)

    def __init__(self, scene: Scene, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.scene, self.theme = scene, theme
        self.setFixedHeight(HEIGHT)
        self.setMouseTracking(True)
        self.setAccessibleName("Overview of the whole trace")
        self._bands_of: Groups | None = None
        self._bands: list[tuple[str, I8]] = []
        self._pictures: tuple[U4, U4] | None = None
        self._lines: list[U4] = []
        """One row of pixels for each band that is ready for the next picture."""
        self._frame_painted = (0, 0)
        """Borders of the visible part on the screen, device pixels."""
        self._part: Part = "none"
        self._grab_ns = 0
        self._before = scene.state.window

    # -- painting ---------------------------------------------------------------------------------------------------

    @property
    def bands(self) -> list[tuple[str, I8]]:
        trace = self.scene.trace
        if trace is None:
            return []
        groups = groups_of(trace, self.scene.state.arrangement.group_by)
        if self._bands_of is not groups:
            self._bands, self._bands_of = bands(groups), groups
            self._pictures, self._lines = None, []
        return self._bands

    def forget(self) -> None:
        """Trace, theme or size changed."""
        self._part = "none"
        self._pictures, self._lines = None, []
        self.update()

    def follow(self) -> None:
        """The visible part may have moved: paint again where its borders were and are."""
        ratio = self.devicePixelRatioF()
        for before, now in zip(self._frame_painted, self._frame_pixels(ratio), strict=True):
            if before != now:
                left, right = sorted((before / ratio, now / ratio))
                self.update(QRectF(left - GRIP, 0, right - left + 2 * GRIP, self.height()).toAlignedRect())

    @safe
    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            self._paint_all(painter, SLICE_S)
            self._frame_painted = self._frame_pixels(self.devicePixelRatioF())
        finally:
            painter.end()
        if self._pictures is None and self._lines:
            self.update()

    def paint_overview(self, painter: QPainter) -> None:
        """Paint all of it; a hundred thousand lanes take their time."""
        self._paint_all(painter, None)

    def _paint_all(self, painter: QPainter, slice_s: float | None) -> None:
        theme = self.theme
        painter.fillRect(self.rect(), theme.color("canvas"))
        if self.scene.state.levels is not None and self.bands:
            self._paint_picture(painter, slice_s)
            self._paint_frame(painter)
        painter.setPen(theme.color("border"))
        painter.drawLine(0, self.height() - 1, self.width(), self.height() - 1)

    def _paint_picture(self, painter: QPainter, slice_s: float | None) -> None:
        """The whole trace faded, and what is shown below in full colour: nothing is blended in a frame.

        It is one image from one place: where a logical pixel is not so many whole ones, Qt now and then draws a part of an image beside its
        place.
        """
        ratio = self.devicePixelRatioF()
        full, faded = self._draw(ratio, slice_s)
        left, right = (max(pixel, 0) for pixel in self._frame_pixels(ratio))
        pixels = faded.copy()
        pixels[:, left:right] = full[:, left:right]
        height, width = pixels.shape
        image = QImage(cast(bytes, pixels.data), width, height, width * 4, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(ratio)
        painter.drawImage(QPointF(0, PAD), image)

    def _draw(self, ratio: float, slice_s: float | None) -> tuple[U4, U4]:
        """Both pictures, in device pixels. What takes longer than ``slice_s`` is left out and follows with the next call."""
        width, height = max(1, round(self.width() * ratio)), max(1, round((self.height() - 2 * PAD - 1) * ratio))
        if self._pictures is None or self._pictures[0].shape != (height, width):
            levels = self.scene.state.levels
            assert levels is not None
            trace, found = levels.trace, self.bands
            canvas, end = colours.argb(self.theme.palette.canvas), time.monotonic() + (slice_s or 0)
            if self._lines and self._lines[0].shape[1] != width:
                self._lines = []
            fills = colours.fill_palette(self.theme.palette)
            alike = Ink(np.zeros(len(trace.slices), np.uint8), fills)
            for k, (_, lanes) in list(enumerate(found))[len(self._lines) :]:
                line = np.full((1, width), canvas, np.uint32)
                ink = alike.recoloured(np.full(256, fills[k], np.uint32))
                strips = Strips(np.array([0, len(lanes)], np.int64), lanes)
                draw_strips(levels.slices, strips, self.scene.state.bounds, ink, line, faintest=0.22, bordered=False)
                self._lines.append(line)
                if slice_s is not None and time.monotonic() > end:
                    break
            edges = np.linspace(0, height, len(found) + 1).astype(int)
            picture = np.full((height, width), canvas, np.uint32)
            for (top, bottom), line in zip(pairwise(edges), self._lines, strict=False):
                picture[top : bottom - 1] = line
            pictures = picture, colours.mix(picture, canvas, FADED)
            if len(self._lines) < len(found):
                return pictures
            self._pictures, self._lines = pictures, []
        return self._pictures

    def _paint_frame(self, painter: QPainter) -> None:
        theme, ratio = self.theme, self.devicePixelRatioF()
        left, right = (pixel / ratio for pixel in self._frame_pixels(ratio))
        box = QRectF(left, 0, right - left, self.height() - 1).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.color("accent"), 1))
        painter.drawRect(box)
        for x in (box.left(), box.right()):
            grip = min(max(x - 1, 0), self.width() - 3)
            painter.fillRect(QRectF(grip, box.center().y() - 8, 3, 16), theme.color("accent"))
        for mark in self.scene.state.marks:
            x = self._x(mark.time_ns)
            painter.fillRect(QRectF(int(x), 0, 1, self.height() - 1), theme.color("mark"))
            if mark.length_ns:
                painter.fillRect(QRectF(x, 0, max(self._x(mark.range.end_ns) - x, 2), 3), theme.color("mark"))
        chosen = self.scene.state.range
        if chosen is not None:
            a, b = self._x(chosen.start_ns), self._x(chosen.end_ns)
            painter.fillRect(QRectF(a, self.height() - 4, max(b - a, 2), 3), theme.color("accent"))

    # -- geometry ---------------------------------------------------------------------------------------------------

    def _x(self, time_ns: int) -> float:
        bounds = self.scene.state.bounds
        return (time_ns - bounds.start_ns) * self.width() / max(bounds.length_ns, 1)

    def _time(self, x: float) -> int:
        bounds = self.scene.state.bounds
        return bounds.start_ns + int(x * bounds.length_ns / max(self.width(), 1))

    def frame_extent(self) -> tuple[float, float]:
        """Left and right of the visible part, never narrower than ``MIN_FRAME``."""
        window = self.scene.state.window
        left, right = self._x(window.start_ns), self._x(window.end_ns)
        if right - left < MIN_FRAME:
            left = min(max((left + right - MIN_FRAME) / 2, 0), self.width() - MIN_FRAME)
            right = left + MIN_FRAME
        return left, right

    def _frame_pixels(self, ratio: float) -> tuple[int, int]:
        """The visible part in device pixels."""
        left, right = self.frame_extent()
        return round(left * ratio), round(right * ratio)

    def part_at(self, x: float) -> Part:
        """What a press there would take hold of."""
        left, right = self.frame_extent()
        narrow = right - left < 3 * GRIP
        if abs(x - left) <= GRIP and not (narrow and left < x < right):
            return "start"
        if abs(x - right) <= GRIP and not (narrow and left < x < right):
            return "end"
        return "body" if left < x < right else "jump"

    # -- input ------------------------------------------------------------------------------------------------------

    @safe
    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or self.scene.trace is None:
            return
        x, window = event.position().x(), self.scene.state.window
        self._part, self._before = self.part_at(x), window
        self.scene.state.drag = object()
        if self._part == "jump":
            half = window.length_ns // 2
            at = self._time(x)
            self.scene.state.set_window(TimeRange(at - half, at - half + window.length_ns))
            self._part = "body"
        self._grab_ns = self._time(x) - self.scene.state.window.start_ns

    @safe
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        x, state = event.position().x(), self.scene.state
        window, bounds = state.window, state.bounds
        if not event.buttons():
            self._part = "none"  # the button went up over a menu, which did not tell
        if self._part == "body":
            start = self._time(x) - self._grab_ns
            state.set_window(TimeRange(start, start + window.length_ns))
        elif self._part == "start":
            start = max(min(self._time(x), window.end_ns - MIN_WINDOW_NS), bounds.start_ns)
            state.set_window(TimeRange(start, window.end_ns))
        elif self._part == "end":
            end = min(max(self._time(x), window.start_ns + MIN_WINDOW_NS), bounds.end_ns)
            state.set_window(TimeRange(window.start_ns, end))
        else:
            self.setCursor(SHAPES[self.part_at(x)])

    def cancel(self) -> bool:
        """Give up the drag under way: the time shown is that from before; False without one."""
        part, self._part = self._part, "none"
        if part != "none":
            self.scene.state.set_window(self._before)
            self.scene.state.drag = None
        return part != "none"

    @safe
    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        self._part = "none"
        self.scene.state.drag = None

    @safe
    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        self.scene.state.set_window(self.scene.state.bounds)

    @safe
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if self.scene.trace is not None:
            self.menu_wanted.emit(MenuRequest("overview", event.globalPos(), time_ns=self._time(event.pos().x())))

    @safe
    def wheelEvent(self, event: QWheelEvent) -> None:
        steps = event.angleDelta().y() / 120
        self.scene.state.zoom(1.22**-steps, self._time(event.position().x()))
        event.accept()

    @safe
    def resizeEvent(self, _event: QResizeEvent) -> None:
        self.forget()


class OverviewLegend(QWidget):
    """Names of the overview's bands, beside it."""

    def __init__(self, strip: OverviewStrip, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.strip, self.theme = strip, theme
        self.setFixedHeight(HEIGHT)
        self.setAccessibleName("Names of the overview's bands")

    @safe
    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            self.paint_legend(painter)
        finally:
            painter.end()

    def paint_legend(self, painter: QPainter) -> None:
        theme = self.theme
        painter.fillRect(self.rect(), theme.color("panel"))
        painter.setPen(theme.color("border"))
        painter.drawLine(0, self.height() - 1, self.width(), self.height() - 1)
        painter.drawLine(self.width() - 1, 0, self.width() - 1, self.height())
        found = self.strip.bands
        if not found:
            return
        fills = colours.fill_palette(theme.palette)
        painter.setFont(theme.small_font)
        metrics = painter.fontMetrics()
        columns = -(-len(found) * (metrics.height() + 1) // (self.height() - 6))
        per_column = -(-len(found) // columns)
        cell_width = (self.width() - 20) / columns
        cell_height = (self.height() - 6) / per_column
        for k, (name, _) in enumerate(found):
            left, top = 10 + k // per_column * cell_width, 3 + k % per_column * cell_height
            painter.fillRect(QRectF(left, top + cell_height / 2 - 4, 8, 8), QColor.fromRgb(int(fills[k])))
            painter.setPen(theme.color("text_dim"))
            room = cell_width - 18
            text = metrics.elidedText(drawable(name), Qt.TextElideMode.ElideRight, int(room))
            painter.drawText(QRectF(left + 14, top, room, cell_height), Qt.AlignmentFlag.AlignVCenter, text)
