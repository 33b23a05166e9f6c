"""A small histogram of durations: bars over a logarithmic scale, one value marked, a stretch chosen by dragging."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from hlprof_core.units import format_ns
from hlprof_gui.notify import safe
from hlprof_gui.theme.theme import Theme, translucent
from hlprof_gui.viewmodels.peers import Spread
from hlprof_gui.widgets.tipped import TippedWidget

HEIGHT, SCALE_HEIGHT, LEAST_BAR = 76, 16, 2
DRAG_SLOP = 3


class Histogram(TippedWidget):
    """Shows a ``Spread``. With ``can_brush`` a drag chooses bins and a click lets go of them."""

    brushed = Signal(object)
    """Argument: (least, most) in ns of the chosen bins, or None."""

    def __init__(self, theme: Theme, parent: QWidget | None = None, *, can_brush: bool = False) -> None:
        super().__init__(parent)
        self._theme, self._can_brush = theme, can_brush
        self._spread: Spread | None = None
        self._mark: int | None = None
        self._brush: tuple[int, int] | None = None
        self._pressed: float | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        self.setAccessibleName("Durations")
        theme.follow(self, self.update)

    def sizeHint(self) -> QSize:
        return QSize(240, HEIGHT)

    def show_spread(self, spread: Spread | None, mark_ns: int | None = None) -> None:
        """``mark_ns``: the value whose bin stands out. What is brushed stays, whatever the bins are now."""
        self._spread, self._pressed = spread, None
        self._mark = spread.bin_of(mark_ns) if spread is not None and mark_ns is not None else None
        self.update()

    @property
    def brush(self) -> tuple[int, int] | None:
        """The chosen durations in ns, both ends included."""
        return self._brush

    def show_brush(self, durations: tuple[int, int] | None) -> None:
        """Show these durations as the chosen ones; None ends a drag too."""
        if durations is None:
            self._pressed = None
        if durations != self._brush:
            self._brush = durations
            self.update()

    @staticmethod
    def _durations(spread: Spread, first: int, last: int) -> tuple[int, int]:
        """What falls into these bins and those between."""
        end = int(spread.edges[last + 1])
        return int(spread.edges[first]), end if last + 1 == len(spread.counts) else end - 1

    def _band(self, spread: Spread) -> tuple[float, float]:
        """From where to where the chosen durations reach, in bins; an empty stretch where there are none."""
        if self._brush is None:
            return 0.0, 0.0
        low, high = self._brush
        places = np.arange(len(spread.edges))
        return float(np.interp(low, spread.edges, places)), float(np.interp(high + 1, spread.edges, places))

    def _bar_width(self) -> float:
        return self.width() / len(self._spread.counts) if self._spread is not None else 1.0

    def bin_at(self, x: float) -> int:
        """The bin at a pixel, the nearest one outside."""
        assert self._spread is not None
        return int(min(max(x / self._bar_width(), 0), len(self._spread.counts) - 1))

    @safe
    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            if self._spread is not None:
                self._paint(painter, self._spread)
        finally:
            painter.end()

    def _paint(self, painter: QPainter, spread: Spread) -> None:
        theme = self._theme
        width, floor = self._bar_width(), self.height() - SCALE_HEIGHT
        # The root keeps rare durations in sight beside frequent ones.
        heights = np.sqrt(spread.counts / max(int(spread.counts.max()), 1)) * (floor - 4)
        gap = 1.0 if width >= 4 else 0.0
        first, last = self._band(spread)
        if first < last:
            painter.fillRect(QRectF(first * width, 0, (last - first) * width, floor), translucent(theme.color("accent"), 0.18))
        for place, height in enumerate(heights.tolist()):
            if not spread.counts[place]:
                continue
            tall = max(height, LEAST_BAR)
            is_chosen = first < place + 0.5 < last
            color = theme.color("selection" if place == self._mark else "accent")
            if place != self._mark and not is_chosen:
                color = translucent(color, 0.55)
            painter.fillRect(QRectF(place * width, floor - tall, max(width - gap, 1), tall), color)
        painter.setPen(theme.color("border"))
        painter.drawLine(QPointF(0, floor), QPointF(self.width(), floor))
        painter.setFont(theme.small_font)
        painter.setPen(theme.color("text_dim"))
        box = QRectF(0, floor, self.width(), SCALE_HEIGHT)
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom, format_ns(int(spread.edges[0])))
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom, format_ns(int(spread.edges[-1])))

    @safe
    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._can_brush and self._spread is not None and event.button() == Qt.MouseButton.LeftButton:
            self._pressed = event.position().x()

    @safe
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        x = event.position().x()
        if self._pressed is not None and abs(x - self._pressed) > DRAG_SLOP:
            assert self._spread is not None
            first, last = sorted((self.bin_at(self._pressed), self.bin_at(x)))
            durations = self._durations(self._spread, first, last)
            if durations != self._brush:
                self.show_brush(durations)
                self.brushed.emit(durations)

    @safe
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        is_click = self._pressed is not None and abs(event.position().x() - self._pressed) <= DRAG_SLOP
        self._pressed = None
        if is_click and self._brush is not None:
            self.show_brush(None)
            self.brushed.emit(None)

    def tip_at(self, at: QPoint) -> str:
        if self._spread is None:
            return ""
        place = self.bin_at(at.x())
        low, high = (format_ns(int(edge)) for edge in self._spread.edges[place : place + 2])
        return f"{self._spread.counts[place]:,} from {low} to {high}"
