"""Values over time as lines: axes, legend with what is under the pointer, the chosen time. Tells what the user does."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

import numpy as np
from msgspec import Struct
from PySide6.QtCore import QByteArray, QDataStream, QEvent, QLineF, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from hlprof_core.trace.ranges import TimeRange
from hlprof_core.trace.table import F8
from hlprof_gui.notify import safe
from hlprof_gui.theme.theme import Theme, translucent
from hlprof_gui.viewmodels.counters import compact, part_to_reckon_with, value_ticks

TOP, BOTTOM, RIGHT, LABEL_PAD = 6, 22, 12, 8
LEGEND_LINE = 16
DRAG_SLOP, NOTCH, ZOOM = 4, 120.0, 1.22
DENSE = 0.5
"""A line with more points than this for each logical pixel runs up and down all the time."""
FARTHEST = sys.float_info.max
Ticks = Callable[[TimeRange, int], Sequence[tuple[int, str]]]


class PlotLine(Struct, frozen=True):
    """``columns`` gives least and most in each of so many pixels of a time, NaN for none; ``value_at`` the value at a time."""

    name: str
    color: QColor
    columns: Callable[[TimeRange, int], tuple[F8, F8]]
    value_at: Callable[[int], float]


class LinePlot(QWidget):
    """Shows ``lines`` in ``window``; ``own_scales``: each from its least to its most, so that their shapes can be compared."""

    hovered = Signal(object)
    """Argument: the time under the pointer in ns, None when it left."""
    range_chosen = Signal(object)
    """Argument: a TimeRange that was dragged, None after a click."""
    zoomed = Signal(float, object)
    """Arguments: factor of the window, time that stays."""
    panned = Signal(object)
    """Argument: the window to show."""

    def __init__(self, theme: Theme, ticks: Ticks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._ticks = theme, ticks
        self.lines: tuple[PlotLine, ...] = ()
        self.window_shown = TimeRange(0, 1)
        self.own_scales = False
        self.chosen: TimeRange | None = None
        self.cursor_ns: int | None = None
        self._pressed: tuple[float, Qt.MouseButton, TimeRange] | None = None
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Counters over time")
        theme.follow(self, self.update)

    def sizeHint(self) -> QSize:
        return QSize(420, 160)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, 70)

    def show_lines(self, lines: tuple[PlotLine, ...]) -> None:
        self.lines = lines
        self.setAccessibleDescription(", ".join(line.name for line in lines))
        self.update()

    # -- geometry ---------------------------------------------------------------------------------------------------

    def _area(self, labels: Sequence[str]) -> QRectF:
        metrics = QFontMetricsF(self._theme.small_font)
        left = max((metrics.horizontalAdvance(text) for text in labels), default=0.0) + 2 * LABEL_PAD
        top = max((place.y() + LEGEND_LINE for place, *_ in self._place_legend()), default=0.0) + TOP
        return QRectF(round(left), top, max(self.width() - round(left) - RIGHT, 10), max(self.height() - top - BOTTOM, 10))

    def area(self) -> QRectF:
        """Where the lines are."""
        return self._area([text for _, text in self._scale(self._limits(self._columns(400)))])

    def _columns(self, width: int) -> list[tuple[F8, F8]]:
        return [line.columns(self.window_shown, max(width, 1)) for line in self.lines]

    def _limits(self, columns: list[tuple[F8, F8]]) -> tuple[float, float] | None:
        """Least and most that is shown, None where each line has its own scale or nothing is known."""
        if self.own_scales:
            return None
        ends = [end for low, high in columns if (end := _ends(low, high)) is not None]
        if not ends:
            return None
        low, high = min(a for a, _ in ends), max(b for _, b in ends)
        if low == high:
            low, high = _around(low)
        return 0.0 if 0 < low < 0.6 * high else low, high

    def _scale(self, limits: tuple[float, float] | None) -> list[tuple[float, str]]:
        if limits is None:
            return []
        return [(value, compact(value, 4)) for value in value_ticks(*limits, max(int((self.height() - TOP - BOTTOM) / 36), 2))]

    def x_of(self, time_ns: int, area: QRectF) -> float:
        return area.left() + (time_ns - self.window_shown.start_ns) * area.width() / max(self.window_shown.length_ns, 1)

    def time_at(self, x: float) -> int:
        """Time at a pixel, the nearest end of the window outside the area."""
        area = self.area()
        share = min(max((x - area.left()) / area.width(), 0.0), 1.0)
        return self.window_shown.start_ns + int(share * self.window_shown.length_ns)

    # -- painting ---------------------------------------------------------------------------------------------------

    @safe
    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            self._paint(painter)
        finally:
            painter.end()

    def _paint(self, painter: QPainter) -> None:
        theme = self._theme
        painter.fillRect(self.rect(), theme.color("canvas"))
        painter.setFont(theme.small_font)
        if not self.lines:
            painter.setPen(theme.color("text_dim"))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, "Choose counters in the table to see them here.")
            return
        probe = self._limits(self._columns(400))
        area = self._area([text for _, text in self._scale(probe)])
        columns = self._columns(round(area.width() * self.devicePixelRatioF()))
        limits = self._limits(columns)
        scale = self._scale(limits)
        if limits is not None and scale:
            limits = min(limits[0], scale[0][0]), max(limits[1], scale[-1][0])
        self._paint_axes(painter, area, scale, limits)
        if self.chosen is not None:
            left, right = (min(max(self.x_of(t, area), area.left()), area.right()) for t in (self.chosen.start_ns, self.chosen.end_ns))
            painter.fillRect(QRectF(left, area.top(), right - left, area.height()), translucent(theme.color("accent"), 0.16))
        painter.save()
        painter.setClipRect(area.adjusted(-1, -2, 1, 2))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for line, (low, high) in zip(self.lines, columns, strict=True):
            own = limits or _ends(low, high)
            if own is not None and own[0] == own[1]:
                own = _around(own[0])
            if own is not None:
                for part in _polylines(low, high, own, area):
                    # Smooth lines up and down in each pixel take Qt a tenth of a second and look no smoother.
                    is_dense = part.count() > DENSE * area.width()
                    painter.setRenderHint(QPainter.RenderHint.Antialiasing, not is_dense)
                    pen = QPen(line.color, 1 if is_dense else 1.4)
                    pen.setCosmetic(is_dense)
                    painter.setPen(pen)
                    painter.drawPolyline(part)
        painter.restore()
        if self.cursor_ns is not None and self.window_shown.start_ns <= self.cursor_ns <= self.window_shown.end_ns:
            x = int(self.x_of(self.cursor_ns, area)) + 0.5
            painter.setPen(QPen(theme.color("text_dim"), 1))
            painter.drawLine(QLineF(x, area.top(), x, area.bottom()))
        self._paint_legend(painter)

    def _paint_axes(self, painter: QPainter, area: QRectF, scale: list[tuple[float, str]], limits: tuple[float, float] | None) -> None:
        theme = self._theme
        metrics = QFontMetricsF(theme.small_font)
        for value, text in scale:
            assert limits is not None
            part = part_to_reckon_with(*limits)
            least, most = limits[0] * part, limits[1] * part
            y = int(area.bottom() - (value * part - least) / (most - least) * area.height()) + 0.5
            painter.setPen(theme.color("grid"))
            painter.drawLine(QLineF(area.left(), y, area.right(), y))
            painter.setPen(theme.color("text_dim"))
            box = QRectF(0, y - metrics.height() / 2, area.left() - LABEL_PAD, metrics.height())
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
        end = -1e9
        for time, text in self._ticks(self.window_shown, round(area.width())):
            x = self.x_of(time, area)
            if not text or not area.left() <= x <= area.right():
                continue
            painter.setPen(theme.color("grid"))
            painter.drawLine(QLineF(int(x) + 0.5, area.top(), int(x) + 0.5, area.bottom()))
            width = metrics.horizontalAdvance(text)
            left = min(max(x - width / 2, 2), self.width() - width - 2)
            if left > end + 8:
                painter.setPen(theme.color("text_dim"))
                painter.drawText(QPointF(round(left), self.height() - 7), text)
                end = left + width
        painter.setPen(theme.color("border"))
        painter.drawLine(QLineF(area.left(), area.bottom() + 0.5, area.right(), area.bottom() + 0.5))

    def _place_legend(self) -> list[tuple[QPointF, str, str, QColor]]:
        """For each name where it is written, with its value at the pointer; those that find no room are left out."""
        metrics = QFontMetricsF(self._theme.small_font)
        start, end = 12.0, self.width() - RIGHT
        left, top, placed = start, 4.0, list[tuple[QPointF, str, str, QColor]]()
        room = metrics.horizontalAdvance("-888.88 M") + 6
        for line in self.lines:
            value = line.value_at(self.cursor_ns) if self.cursor_ns is not None else float("nan")
            name = metrics.elidedText(line.name, Qt.TextElideMode.ElideMiddle, max(end - start - room - 13, 20))
            wide = metrics.horizontalAdvance(name) + 13 + room
            if left > start and left + wide > end:
                left, top = start, top + LEGEND_LINE
            if top + LEGEND_LINE > self.height() / 2:
                break
            placed.append((QPointF(left, top), name, compact(value, 5) if np.isfinite(value) else "", line.color))
            left += wide + 10
        return placed

    def _paint_legend(self, painter: QPainter) -> None:
        theme = self._theme
        metrics = QFontMetricsF(theme.small_font)
        for place, name, value, color in self._place_legend():
            painter.fillRect(QRectF(place.x(), place.y() + LEGEND_LINE / 2 - 4, 8, 8), color)
            box = QRectF(place.x() + 13, place.y(), self.width(), LEGEND_LINE)
            painter.setPen(theme.color("text_dim"))
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, name)
            painter.setPen(theme.color("text"))
            box.setLeft(box.left() + metrics.horizontalAdvance(name) + 6)
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, value)

    # -- input ------------------------------------------------------------------------------------------------------

    @safe
    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            self._pressed = event.position().x(), event.button(), self.window_shown

    @safe
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        x = event.position().x()
        if self._pressed is not None and abs(x - self._pressed[0]) > DRAG_SLOP:
            start, button, window = self._pressed
            if button == Qt.MouseButton.LeftButton:
                first, second = sorted((self.time_at(start), self.time_at(x)))
                self.range_chosen.emit(TimeRange(first, second))
            else:
                moved = round((start - x) * window.length_ns / self.area().width())
                self.panned.emit(TimeRange(window.start_ns + moved, window.end_ns + moved))
        self.hovered.emit(self.time_at(x))

    @safe
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        pressed, self._pressed = self._pressed, None
        is_click = pressed is not None and abs(event.position().x() - pressed[0]) <= DRAG_SLOP
        if is_click and event.button() == Qt.MouseButton.LeftButton:
            self.range_chosen.emit(None)

    @safe
    def leaveEvent(self, _event: QEvent) -> None:
        self.hovered.emit(None)

    @safe
    def wheelEvent(self, event: QWheelEvent) -> None:
        steps = event.angleDelta().y() / NOTCH
        self.zoomed.emit(ZOOM**-steps, self.time_at(event.position().x()))
        event.accept()


def _ends(low: F8, high: F8) -> tuple[float, float] | None:
    """Least and most of a line, None without a value."""
    low, high = low[np.isfinite(low)], high[np.isfinite(high)]
    if not len(low) or not len(high):
        return None
    return float(low.min()), float(high.max())


def _around(value: float) -> tuple[float, float]:
    """A scale for what is always the same."""
    half = 0.5 * abs(value)
    return (max(value - half, -FARTHEST), min(value + half, FARTHEST)) if half else (0.0, 1.0)


def _polylines(low: F8, high: F8, limits: tuple[float, float], area: QRectF) -> list[QPolygonF]:
    """The line of each stretch in which the value is known: through least and most of every pixel, the nearer one first."""
    known = np.isfinite(low) & np.isfinite(high)
    edges = np.flatnonzero(np.diff(np.concatenate(([False], known, [False])).astype(np.int8)))
    part = part_to_reckon_with(*limits)
    low, high, least, most = low * part, high * part, limits[0] * part, limits[1] * part
    middle = low / 2 + high / 2
    falls = np.concatenate(([False], np.abs(high[1:] - middle[:-1]) < np.abs(low[1:] - middle[:-1])))
    values = np.stack((np.where(falls, high, low), np.where(falls, low, high)), axis=1)
    step = area.width() / max(len(low), 1)
    parts = []
    for first, last in edges.reshape(-1, 2).tolist():
        value = values[first:last].ravel()
        x = area.left() + (np.repeat(np.arange(first, last), 2) + 0.5) * step
        # Points in the middle of a flat stretch add nothing.
        bends = np.ones(len(value), np.bool_)
        bends[1:-1] = (value[1:-1] != value[:-2]) | (value[1:-1] != value[2:])
        y = area.bottom() - (value[bends] - least) / (most - least) * area.height()
        parts.append(_polygon(x[bends], y))
    return parts


def _polygon(x: F8, y: F8) -> QPolygonF:
    """The points as Qt's own stream of them: thousands made one by one cost milliseconds."""
    polygon, points = QPolygonF(), np.stack((x, y), axis=1).astype(">f8")
    stream = QDataStream(QByteArray(len(points).to_bytes(4, "big") + points.tobytes()))
    stream >> polygon
    return polygon
