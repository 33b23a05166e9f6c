"""The picture of a run: host calls above, copies and launches on lines below, the recorded part marked; dragging sets the range."""

from __future__ import annotations

import math

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from hlprof_gui.notify import safe
from hlprof_gui.theme.stylesheet import mix
from hlprof_gui.theme.theme import Theme
from hlprof_gui.viewmodels.recorded_part import Span, tick_step
from hlprof_gui.viewmodels.when import WhenViewModel
from hlprof_gui.widgets.tipped import TippedWidget

LEFT, RIGHT, TOP = 74, 16, 30
LANE, LANE_GAP = 26, 12
HOST, COPIES, DEVICE = 0, 1, 2
LANES = ("Host", "Copies", "Device")
CENTRE = Qt.AlignmentFlag.AlignCenter
SHORTEST_CALL = 26.0
EDGE_REACH = 5
"""Pixels around an edge of a recorded span in which a press moves that edge."""


class RunPicture(TippedWidget):
    """Slot 0 is the acquisition of the device, slot n launch n, the last slot the release."""

    def __init__(self, when: WhenViewModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._when, self._theme = when, theme
        self.setMouseTracking(True)
        self.setFixedHeight(TOP + 3 * LANE + 2 * LANE_GAP + 38)
        self.setMinimumWidth(420)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Picture of a run")
        theme.follow(self, safe(self.update))

    def sizeHint(self) -> QSize:
        return QSize(860, self.minimumHeight())

    # -- where things are ---------------------------------------------------------------------------------------------

    @property
    def _slot(self) -> float:
        return (self.width() - LEFT - RIGHT) / (self._when.count + 2)

    def x_of(self, number: float) -> float:
        """Left edge of a slot."""
        return LEFT + number * self._slot

    def number_at(self, x: float) -> int:
        """The launch whose slot is there; 1 or count beyond the ends."""
        return min(max(1, math.floor((x - LEFT) / self._slot)), self._when.count)

    def point_of(self, number: int) -> QPointF:
        """The middle of a launch."""
        return QPointF(self.x_of(number + 0.5), self._lane(DEVICE).center().y())

    def _lane(self, lane: int) -> QRectF:
        return QRectF(LEFT, TOP + lane * (LANE + LANE_GAP), self.width() - LEFT - RIGHT, LANE)

    # -- events -----------------------------------------------------------------------------------------------------

    @safe
    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._when.choice.has_range and event.position().x() >= LEFT:
            adds = bool(event.modifiers() & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier))
            at = self.number_at(event.position().x())
            self._when.start_drag(at, adds=adds, reach=self._reach(event.position().x()))
            self._when.drag_to(at)

    @safe
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        x = event.position().x()
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._when.drag_to(self.number_at(x))
        elif not self._when.choice.has_range or x < LEFT:
            self.setCursor(Qt.CursorShape.ArrowCursor)
        else:
            self.setCursor(Qt.CursorShape.SizeHorCursor if self._reach(x) >= 0 else Qt.CursorShape.IBeamCursor)

    @safe
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._when.end_drag()

    def tip_at(self, at: QPoint) -> str:
        return self._when.tip(self.number_at(at.x())) if self.x_of(1) <= at.x() < self.x_of(self._when.count + 1) else ""

    def _reach(self, x: float) -> float:
        """How far from the slot under the pointer an edge may be to be the one that is meant; -1 where no edge is near."""
        edges = [edge for span in self._when.part.spans if span.first != span.last for edge in (span.first, span.last + 1)]
        if not any(abs(self.x_of(edge) - x) <= EDGE_REACH for edge in edges):
            return -1.0
        return max(1.0, EDGE_REACH / self._slot)

    # -- painting ---------------------------------------------------------------------------------------------------

    @safe
    def paintEvent(self, _event: QPaintEvent) -> None:
        p = self._theme.palette
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(p.border), 1))
        painter.setBrush(QColor(p.canvas))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)
        painter.save()
        painter.setClipRect(QRectF(self.rect()).adjusted(1, 1, -1, -1))
        self._paint_lanes(painter)
        if self._when.is_recording:
            for span in self._when.part.spans:
                self._paint_ground(painter, span)
        self._paint_host(painter)
        self._paint_work(painter)
        if self._when.is_recording:
            self._paint_marks(painter)
        self._paint_axis(painter)
        painter.restore()
        painter.end()

    def _paint_lanes(self, painter: QPainter) -> None:
        p = self._theme.palette
        painter.setFont(self._theme.ui_font)
        for number, name in enumerate(LANES):
            lane = self._lane(number)
            painter.setPen(QColor(p.text_dim))
            label = QRectF(14, lane.top(), LEFT - 20, LANE)
            painter.drawText(label, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), name)
            painter.setPen(QPen(QColor(p.grid), 1))
            painter.drawLine(QPointF(LEFT, lane.bottom() + 0.5), QPointF(self.width() - RIGHT, lane.bottom() + 0.5))

    def _band(self, span: Span) -> QRectF:
        left, right = self.x_of(max(0, span.first)), self.x_of(span.last + 1)
        return QRectF(left, TOP - 8, max(2.0, right - left), 3 * LANE + 2 * LANE_GAP + 16)

    def _paint_ground(self, painter: QPainter, span: Span) -> None:
        p = self._theme.palette
        painter.fillRect(self._band(span), QColor(mix(p.canvas, p.accent, 0.14)))

    def _paint_marks(self, painter: QPainter) -> None:
        """Edges of the recorded spans and what they are called."""
        p, part = self._theme.palette, self._when.part
        style = Qt.PenStyle.DashLine if part.is_example else Qt.PenStyle.SolidLine
        painter.setFont(self._theme.small_font)
        metrics = painter.fontMetrics()
        last_right = 0.0
        for span in part.spans:
            band = self._band(span)
            painter.setPen(QPen(QColor(p.accent), 1.6, style))
            painter.drawLine(band.topLeft(), band.bottomLeft())
            painter.drawLine(band.topRight(), band.bottomRight())
            painter.setPen(QPen(QColor(p.accent), 3))
            painter.drawLine(band.topLeft(), band.topRight())
            if part.is_each and self._slot >= 8:
                painter.setPen(QPen(QColor(p.accent), 1, Qt.PenStyle.DotLine))
                for number in range(span.first + 1, span.last + 1):
                    painter.drawLine(QPointF(self.x_of(number), band.top()), QPointF(self.x_of(number), band.bottom()))
            text = "session" if part.is_example else f"{span.files:,} traces" if span.files > 1 else "1 trace"
            width = metrics.horizontalAdvance(text)
            left = min(max(LEFT, band.center().x() - width / 2), self.width() - RIGHT - width)
            if left > last_right + 6:
                painter.setPen(QColor(p.accent))
                painter.drawText(QPointF(left, band.top() - 5), text)
                last_right = left + width

    def _box(self, painter: QPainter, place: QRectF, colour: str, text: str, *, is_lit: bool = True) -> None:
        """``text``: spellings from the longest to the shortest, with ``|`` between; the first that fits is written."""
        p = self._theme.palette
        fill = colour if is_lit else mix(p.canvas, colour, 0.32)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(fill))
        corner = min(3.0, place.width() / 4)
        painter.drawRoundedRect(place, corner, corner)
        painter.setFont(self._theme.small_font)
        metrics = QFontMetricsF(painter.font())
        shown = next((word for word in text.split("|") if metrics.horizontalAdvance(word) <= place.width() - 2), "")
        if shown:
            painter.setPen(QColor(p.slice_text_dark if is_lit else p.text_dim))
            painter.drawText(place, int(CENTRE), shown)

    def _paint_host(self, painter: QPainter) -> None:
        """The calls of the program: acquire, launch after launch, release."""
        when, lane = self._when, self._lane(HOST)
        colour = self._theme.palette.slices[8]
        top, height, count = lane.top() + 4, LANE - 6, when.count
        width = max(SHORTEST_CALL, self._slot * 0.94)
        left, right = self.x_of(0), self.x_of(count + 2)
        self._box(painter, QRectF(left, top, width, height), colour, "acquire|acq", is_lit=when.records_host(0))
        self._box(painter, QRectF(right - width, top, width, height), colour, "release|rel", is_lit=when.records_host(count + 1))
        for (at, length), number in self._pieces(0.08, 0.78):
            if at >= left + width + 2 and at + length <= right - width - 2:
                self._box(painter, QRectF(at, top, length, height), colour, "launch", is_lit=when.records_host(number))

    def _paint_work(self, painter: QPainter) -> None:
        p, part = self._theme.palette, self._when.part
        copies, device = self._lane(COPIES), self._lane(DEVICE)
        is_mem = part.lane == "copies"
        for (left, width), number in self._pieces(0.02, 0.46):
            lit = self._when.is_recording and part.contains(number)
            name = str(number) if is_mem else ""
            self._box(painter, QRectF(left, copies.top() + 5, width, LANE - 7), p.slices[0], name, is_lit=lit)
        for (left, width), number in self._pieces(0.18, 0.74):
            lit = self._when.is_recording and part.contains(number) and not is_mem
            self._box(painter, QRectF(left, device.top() + 2, width, LANE - 4), p.slices[1], "" if is_mem else str(number), is_lit=lit)

    def _pieces(self, start: float, length: float) -> list[tuple[tuple[float, float], int]]:
        """Place and number of what is drawn once a launch; where launches are narrower than pixels, every so many of them."""
        slot, count = self._slot, self._when.count
        stride = max(1, math.ceil(3 / slot))
        width = max(1.0, slot * stride * length)
        return [((self.x_of(number) + slot * stride * start, width), number) for number in range(1, count + 1, stride)]

    def _paint_axis(self, painter: QPainter) -> None:
        p, part = self._theme.palette, self._when.part
        painter.setFont(self._theme.small_font)
        painter.setPen(QColor(p.text_dim))
        top = self._lane(DEVICE).bottom() + 12
        what = "copy" if part.lane == "copies" else "launch"
        label = QRectF(14, top, LEFT - 20, 16)
        painter.drawText(label, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), what)
        step = tick_step(self._when.count, max(2, int((self.width() - LEFT) / 44)))
        numbers = range(1, self._when.count + 1) if step == 1 else [1, *range(step, self._when.count + 1, step)]
        for number in numbers:
            middle = self.x_of(number + 0.5)
            painter.drawText(QRectF(middle - 30, top, 60, 16), int(CENTRE), f"{number:,}")
