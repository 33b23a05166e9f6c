"""How cells of tables and trees write texts of a trace: in one line, of very long ones the beginning."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QStyledItemDelegate

from hlprof_gui.notify import safe_or
from hlprof_gui.viewmodels.short_texts import beginning_of


class ShortCells(QStyledItemDelegate):
    """The model still has the whole texts, for copying."""

    @safe_or("")
    def displayText(self, value: Any, locale: QLocale | QLocale.Language) -> str:
        return beginning_of(value).replace("\n", " ") if isinstance(value, str) else str(super().displayText(value, locale))
