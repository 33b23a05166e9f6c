"""Ctrl+Z in a field is a step back of the document, not of the letters in the field: all views share one history."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QWidget

from hlprof_gui.notify import safe_or

STEPS = (QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo)


class StepsToDocument(QObject):
    """Keeps fields from claiming the keys of undo and redo, so that the window's commands get them."""

    @safe_or(False)
    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and any(event.matches(key) for key in STEPS):
            event.ignore()
            return True
        return False


def leave_steps(root: QWidget, to: StepsToDocument) -> None:
    """Do so for every field in ``root`` that has none yet."""
    for kind in (QLineEdit, QPlainTextEdit):
        fields = [root] if isinstance(root, kind) else root.findChildren(kind)
        for field in fields:
            if not field.property("leaves_steps"):
                field.setProperty("leaves_steps", True)
                field.installEventFilter(to)
