"""How cells of tables and trees write texts of a trace: in one line, of very long ones the beginning."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, QLocale, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QAbstractItemView, QStyledItemDelegate, QStyleOptionViewItem, QToolTip

from hlprof_gui.notify import safe_or
from hlprof_gui.viewmodels.short_texts import beginning_of
from hlprof_gui.widgets.tipped import plain_tip


class ShortCells(QStyledItemDelegate):
    """The model still has the whole texts, for copying."""

    @safe_or("")
    def displayText(self, value: Any, locale: QLocale | QLocale.Language) -> str:
        return beginning_of(value).replace("\n", " ") if isinstance(value, str) else str(super().displayText(value, locale))

    @safe_or(False)
    def helpEvent(
        self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> bool:
        tip = index.data(Qt.ItemDataRole.ToolTipRole) if event.type() == QEvent.Type.ToolTip else None
        if isinstance(tip, str) and tip:
            QToolTip.showText(event.globalPos(), plain_tip(tip), view.viewport(), view.visualRect(index))
            return True
        return bool(super().helpEvent(event, view, option, index))
