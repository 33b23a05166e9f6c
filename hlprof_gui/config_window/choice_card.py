"""A choice as a card: title, a few lines, a mark when it is chosen. Used in exclusive groups, by mouse and by arrow keys."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QEnterEvent, QFont, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from hlprof_gui.notify import safe
from hlprof_gui.theme.stylesheet import mix
from hlprof_gui.theme.theme import Theme

MARGIN, DOT, LINE_GAP = 12, 14, 3
CORNER = 6.0


class ChoiceCard(QAbstractButton):
    """``lines`` are cut with an ellipsis, or wrapped as one text when ``wraps``."""

    def __init__(self, theme: Theme, title: str, lines: Sequence[str], *, wraps: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._lines = tuple(lines)
        self._wraps = wraps
        self._is_under_pointer = False
        self.setText(title)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(title)
        self.setAccessibleDescription(" ".join(lines))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.follow(self, safe(self.update))

    def sizeHint(self) -> QSize:
        rows = 2 if self._wraps else len(self._lines)
        height = 2 * MARGIN + self._line_height(self._theme.bold_font) + rows * (self._line_height(self._theme.small_font) + LINE_GAP)
        return QSize(150, height)

    def text_fits(self) -> bool:
        """Whether all of the text is seen at the card's present size."""
        metrics = QFontMetrics(self._theme.small_font)
        width = self.width() - 2 * MARGIN
        if not self._wraps:
            return all(metrics.horizontalAdvance(line) <= width for line in self._lines)
        room = QRect(0, 0, width, 10_000)
        needed = metrics.boundingRect(room, int(Qt.TextFlag.TextWordWrap), " ".join(self._lines)).height()
        return needed <= self.height() - self._text_top() - 4

    def _text_top(self) -> int:
        return MARGIN + self._line_height(self._theme.bold_font) + LINE_GAP

    def minimumSizeHint(self) -> QSize:
        return QSize(110, self.sizeHint().height())

    def _line_height(self, font: QFont) -> int:
        return QFontMetrics(font).height()

    @safe
    def enterEvent(self, event: QEnterEvent) -> None:
        self._is_under_pointer = True
        self.update()
        super().enterEvent(event)

    @safe
    def leaveEvent(self, event: QEvent) -> None:
        self._is_under_pointer = False
        self.update()
        super().leaveEvent(event)

    @safe
    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter)
        self._paint_dot(painter)
        self._paint_text(painter)
        painter.end()

    def _paint_ground(self, painter: QPainter) -> None:
        p = self._theme.palette
        ground = mix(p.panel, p.accent, 0.16) if self.isChecked() else mix(p.panel, p.text, 0.06) if self._is_under_pointer else p.panel
        is_marked = self.isChecked() or self.hasFocus()
        line = 2.0 if self.hasFocus() else 1.0
        painter.setPen(QPen(QColor(p.accent if is_marked else p.border), line))
        painter.setBrush(QColor(ground))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(line / 2, line / 2, -line / 2, -line / 2), CORNER, CORNER)

    def _paint_dot(self, painter: QPainter) -> None:
        p = self._theme.palette
        center = QPointF(self.width() - MARGIN - DOT / 2, MARGIN + DOT / 2 + 1)
        painter.setPen(QPen(QColor(p.accent if self.isChecked() else p.text_dim), 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawEllipse(center, DOT / 2 - 1, DOT / 2 - 1)
        if self.isChecked():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(p.accent))
            painter.drawEllipse(center, DOT / 2 - 4, DOT / 2 - 4)

    def _paint_text(self, painter: QPainter) -> None:
        p = self._theme.palette
        painter.setFont(self._theme.bold_font)
        painter.setPen(QColor(p.text))
        width = self.width() - 2 * MARGIN
        metrics = painter.fontMetrics()
        title = metrics.elidedText(self.text(), Qt.TextElideMode.ElideRight, width - DOT - 6)
        painter.drawText(MARGIN, MARGIN + metrics.ascent(), title)
        top = self._text_top()
        painter.setFont(self._theme.small_font)
        painter.setPen(QColor(p.text_dim))
        metrics = painter.fontMetrics()
        if self._wraps:
            area = QRectF(MARGIN, top, width, self.height() - top - 4)
            painter.drawText(area, int(Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap), " ".join(self._lines))
            return
        for line in self._lines:
            painter.drawText(MARGIN, top + metrics.ascent(), metrics.elidedText(line, Qt.TextElideMode.ElideRight, width))
            top += metrics.height() + LINE_GAP
