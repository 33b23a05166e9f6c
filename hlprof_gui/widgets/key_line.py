"""Keys drawn as on a keyboard, and beside them what they do: one widget a line, for help pages are full of them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QLabel

from hlprof_gui.notify import safe
from hlprof_gui.theme.theme import Theme

CAP_PADDING, CAP_HEIGHT, CAP_GAP, TEXT_GAP, CORNER = 8, 22, 4, 14, 4


class KeyLine(QLabel):
    """``room``: width of the place for the keys, pixels."""

    def __init__(self, keys: Sequence[str], text: str, theme: Theme, room: int) -> None:
        super().__init__(text)
        self._keys, self._theme = list(keys), theme
        self.setIndent(room + TEXT_GAP)
        self.setMinimumHeight(CAP_HEIGHT)
        self.setAccessibleName(f"{text}: {' or '.join(keys)}")

    @safe
    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        theme, metrics = self._theme, QFontMetrics(self._theme.small_font)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(theme.small_font)
        left, top = 0, (self.height() - CAP_HEIGHT) / 2
        for key in self._keys:
            cap = QRectF(left, top, cap_width(metrics, key), CAP_HEIGHT).adjusted(0.5, 0.5, -0.5, -0.5)
            painter.setPen(QPen(theme.color("border"), 1))
            painter.setBrush(theme.color("group"))
            painter.drawRoundedRect(cap, CORNER, CORNER)
            painter.setPen(theme.color("text"))
            painter.drawText(cap, Qt.AlignmentFlag.AlignCenter, key)
            left += cap_width(metrics, key) + CAP_GAP
        painter.end()


def cap_width(metrics: QFontMetrics, key: str) -> int:
    return metrics.horizontalAdvance(key) + 2 * CAP_PADDING


def keys_width(theme: Theme, keys: Sequence[str]) -> int:
    """The place that these keys need beside each other."""
    metrics = QFontMetrics(theme.small_font)
    return sum(cap_width(metrics, key) + CAP_GAP for key in keys) - CAP_GAP
