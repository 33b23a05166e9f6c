"""A label for names of a trace: words longer than its width break anywhere, and what is copied is what the file has."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QClipboard, QContextMenuEvent, QGuiApplication, QKeyEvent, QKeySequence, QMouseEvent
from PySide6.QtWidgets import QLabel, QMenu

from hlprof_gui.notify import safe
from hlprof_gui.viewmodels.short_texts import MAY_BREAK


class BreakingLabel(QLabel):
    """Takes texts from ``breakable``; they can be selected and copied without what lets them break."""

    def __init__(self) -> None:
        super().__init__()
        self.setWordWrap(True)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)

    @property
    def chosen_text(self) -> str:
        """The selected part."""
        return self.selectedText().replace(MAY_BREAK, "")

    def _copy(self, mode: QClipboard.Mode = QClipboard.Mode.Clipboard) -> None:
        if self.hasSelectedText():
            QGuiApplication.clipboard().setText(self.chosen_text, mode)

    @safe
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self._copy()
        else:
            super().keyPressEvent(event)

    @safe
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if QGuiApplication.clipboard().supportsSelection():
            self._copy(QClipboard.Mode.Selection)

    @safe
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        copy = menu.addAction("Copy", self._copy)
        copy.setEnabled(self.hasSelectedText())
        menu.addAction("Select All", lambda: self.setSelection(0, len(self.text())))
        menu.popup(event.globalPos())
