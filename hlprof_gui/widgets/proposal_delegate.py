"""How a proposal for a filter is drawn; loaded with the first one, as the types of styles take long to load."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from hlprof_gui.theme.theme import Theme
from hlprof_gui.widgets.proposals import NOTE

Index = QModelIndex | QPersistentModelIndex
ROW_HEIGHT, MARGIN = 24, 8


class ProposalDelegate(QStyledItemDelegate):
    """Text on the left, what it is on the right."""

    def __init__(self, theme: Theme, width: int, parent: QObject) -> None:
        super().__init__(parent)
        self._theme, self._width = theme, width

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(self._width, ROW_HEIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, self._theme.color("accent"))
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        area = option.rect.adjusted(MARGIN, 0, -MARGIN, 0)
        centred = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
        metrics = option.fontMetrics
        text, note = str(index.data()), str(index.data(NOTE))
        room = area.width() * (3 if note else 5) // 5
        painter.setPen(self._theme.color("accent_text" if chosen else "text"))
        painter.drawText(area, centred, metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, room))
        left = area.left() + min(metrics.horizontalAdvance(text), room) + 2 * MARGIN
        rest = QRect(left, area.top(), area.right() - left, area.height())
        painter.setPen(self._theme.color("accent_text" if chosen else "text_dim"))
        painter.drawText(rest, centred | Qt.AlignmentFlag.AlignRight, metrics.elidedText(note, Qt.TextElideMode.ElideRight, rest.width()))
        painter.restore()
