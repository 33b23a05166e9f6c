"""Keys with which one moves about in a list stay with the list that has the keyboard, whatever the window does with them elsewhere."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from hlprof_gui.notify import safe

MOVING = frozenset(
    getattr(Qt.Key, f"Key_{name}") for name in ("Up", "Down", "Left", "Right", "PageUp", "PageDown", "Home", "End")
)
PLAIN = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.KeypadModifier


class OwnKeys(QObject):
    """Watches one widget."""

    @safe
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        is_asked = event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent)
        if is_asked and event.key() in MOVING and event.modifiers() in PLAIN:
            event.accept()
            return True
        return super().eventFilter(watched, event)


def keep_moving_keys(widget: QWidget) -> None:
    """Arrows, page keys, Home and End move in ``widget`` while it has the keyboard."""
    widget.installEventFilter(OwnKeys(widget))
