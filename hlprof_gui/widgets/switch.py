"""A switch: on or off at a glance, for settings that act at once."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from hlprof_gui.notify import safe
from hlprof_gui.theme.stylesheet import mix
from hlprof_gui.theme.theme import Theme

WIDTH, HEIGHT, RIM = 34, 18, 3


class Switch(QAbstractButton):
    """Checked is on. Space and click turn it."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.follow(self, self.update)

    def sizeHint(self) -> QSize:
        # Room for the ring that shows the keyboard's focus.
        return QSize(WIDTH + 2 * RIM, HEIGHT + 2 * RIM)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    @safe
    def paintEvent(self, _event: QPaintEvent) -> None:
        p = self._theme.palette
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        left = self.width() - WIDTH - RIM
        body = QRectF(left, (self.height() - HEIGHT) / 2, WIDTH, HEIGHT)
        if self.hasFocus():
            painter.setPen(QPen(QColor(p.accent), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            ring = body.adjusted(-2, -2, 2, 2)
            painter.drawRoundedRect(ring, ring.height() / 2, ring.height() / 2)
        is_on = self.isChecked()
        ground, edge = (p.accent, p.accent) if is_on else (mix(p.panel, p.text, 0.08), p.text_dim)
        knob = p.accent_text if is_on else p.text_dim
        if not self.isEnabled():
            ground, edge, knob = (mix(color, p.panel, 0.55) for color in (ground, edge, knob))
        elif self.underMouse() and not is_on:
            ground = mix(p.panel, p.text, 0.16)
        painter.setPen(QPen(QColor(edge), 1))
        painter.setBrush(QColor(ground))
        painter.drawRoundedRect(body.adjusted(0.5, 0.5, -0.5, -0.5), HEIGHT / 2, HEIGHT / 2)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(knob))
        x = body.right() - HEIGHT / 2 if is_on else body.left() + HEIGHT / 2
        painter.drawEllipse(QPointF(x, body.center().y()), HEIGHT / 2 - 4, HEIGHT / 2 - 4)
        painter.end()
