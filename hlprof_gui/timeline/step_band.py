"""The steps of the program (iterations, sessions) as a band above the ruler: a click chooses one, a double click shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFontMetricsF, QImage, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from hlprof_core.units import format_ns
from hlprof_gui.notify import safe
from hlprof_gui.theme.theme import Theme, translucent
from hlprof_gui.timeline.scene import Scene
from hlprof_gui.viewmodels.short_texts import drawable
from hlprof_gui.widgets.context_menu import MenuRequest
from hlprof_gui.widgets.tipped import TippedWidget

if TYPE_CHECKING:
    from hlprof_core.analysis.steps import Step

HEIGHT = 20
LEAST_WIDTH = 4
"""Steps narrower than that are drawn as one block: they could not be told apart."""


class StepBand(TippedWidget):
    """Shown only for traces that mark steps."""

    shown = Signal(bool)
    menu_wanted = Signal(object)

    def __init__(self, scene: Scene, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.scene, self.theme = scene, theme
        self.setFixedHeight(HEIGHT)
        self.setMouseTracking(True)
        self.setAccessibleName("Steps of the program")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._starts = self._ends = np.empty(0, np.int64)
        self.refresh()

    def refresh(self) -> None:
        """The state has other steps."""
        steps = self.scene.state.steps
        self._starts = np.array([step.span.start_ns for step in steps], np.int64)
        self._ends = np.array([step.span.end_ns for step in steps], np.int64)
        self.setVisible(bool(steps))
        self.shown.emit(bool(steps))
        self.update()

    def step_at(self, x: float) -> Step | None:
        """The step drawn at a pixel; the latest where they overlap."""
        time = self.scene.time_at(x)
        place = int(np.searchsorted(self._starts, time, side="right")) - 1
        return self.scene.state.steps[place] if place >= 0 and time < self._ends[place] else None

    @safe
    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            self.paint_band(painter)
        finally:
            painter.end()

    def paint_band(self, painter: QPainter) -> None:
        theme, state = self.theme, self.scene.state
        painter.fillRect(self.rect(), theme.color("panel"))
        painter.setFont(theme.small_font)
        metrics = QFontMetricsF(theme.small_font)
        first = max(int(np.searchsorted(self._starts, state.window.start_ns, side="right")) - 1, 0)
        last = int(np.searchsorted(self._starts, state.window.end_ns))
        fills = (translucent(theme.color("accent"), 0.30), translucent(theme.color("accent"), 0.16))
        if last - first > self.width() / LEAST_WIDTH:
            self._paint_many(painter, first, last)
            first = last
        for place in range(first, last):
            step = state.steps[place]
            left, right = self.scene.x_of(step.span.start_ns), self.scene.x_of(step.span.end_ns)
            left, right = max(left, -4.0), min(right, self.width() + 4.0)
            if right <= left:
                continue
            box = QRectF(left, 3, max(right - left - 1, 1), self.height() - 5)
            painter.fillRect(box, fills[place & 1])
            if state.range == step.span:
                painter.fillRect(QRectF(box.left(), box.bottom() - 2, box.width(), 2), theme.color("accent"))
            seen = box.intersected(QRectF(0, 0, self.width(), self.height())).adjusted(5, 0, -5, 0)
            text = metrics.elidedText(drawable(step.name), Qt.TextElideMode.ElideMiddle, seen.width())
            if len(text) > 2:
                painter.setPen(theme.color("text"))
                painter.drawText(seen, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)

    def _paint_many(self, painter: QPainter, first: int, last: int) -> None:
        """Too many to tell apart: where there are any."""
        window = self.scene.state.window
        left = (self._starts[first:last] - window.start_ns) * (self.width() / window.length_ns)
        columns = np.maximum(left, 0).astype(np.int64)
        line = np.zeros(self.width(), np.uint32)
        line[columns[columns < self.width()]] = self.theme.color("accent").rgba()
        # One row of pixels, stretched to the height of the band.
        image = QImage(line.data, self.width(), 1, 4 * self.width(), QImage.Format.Format_ARGB32)
        painter.setOpacity(0.4)
        painter.drawImage(QRectF(0, 3, self.width(), self.height() - 5), image)
        painter.setOpacity(1.0)

    @safe
    def mousePressEvent(self, event: QMouseEvent) -> None:
        step = self.step_at(event.position().x())
        if event.button() == Qt.MouseButton.LeftButton:
            self.scene.state.set_range(step.span if step is not None else None)

    @safe
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        step = self.step_at(event.position().x())
        if step is not None:
            self.scene.state.set_range(step.span)
            self.scene.state.set_window(step.span)

    @safe
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """About the step there, which is chosen by that."""
        step = self.step_at(event.pos().x())
        if step is not None:
            self.scene.state.set_range(step.span)
            self.menu_wanted.emit(MenuRequest("steps", event.globalPos()))

    def tip_at(self, at: QPoint) -> str:
        step = self.step_at(at.x())
        return f"{step.name}\n{format_ns(step.span.length_ns)}" if step is not None else ""


class StepTitle(QWidget):
    """The word beside the band; there when the band is."""

    def __init__(self, band: StepBand, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._band, self.theme = band, theme
        self.setFixedHeight(HEIGHT)
        band.shown.connect(self.setVisible)
        self.setVisible(bool(band.scene.state.steps))

    @safe
    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            self.paint_title(painter)
        finally:
            painter.end()

    def paint_title(self, painter: QPainter) -> None:
        theme = self.theme
        painter.fillRect(self.rect(), theme.color("panel"))
        painter.setPen(theme.color("border"))
        painter.drawLine(self.width() - 1, 0, self.width() - 1, self.height())
        painter.setFont(theme.small_font)
        painter.setPen(theme.color("text_dim"))
        count = len(self._band.scene.state.steps)
        painter.drawText(QRectF(10, 0, self.width() - 20, self.height()), Qt.AlignmentFlag.AlignVCenter, f"Steps ({count:,})")
