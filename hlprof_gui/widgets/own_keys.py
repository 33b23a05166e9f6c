"""Keys with which one moves about in a list stay with the list that has the keyboard, whatever the window does with them elsewhere."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from hlprof_gui.notify import safe

MOVING = frozenset(
    getattr(Qt.Key, f"Key_{name}") for name in ("Up", "Down", "Left", "Right", "PageUp", "PageDown", "Home", "End")
)
PLAIN = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier


class OwnKeys(QObject):
    """Watches one widget; keys count with these modifiers or without."""

    def __init__(self, widget: QWidget, modifiers: Qt.KeyboardModifier) -> None:
        super().__init__(widget)
        self._modifiers = modifiers

    @safe
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        is_asked = event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent)
        if is_asked and event.key() in MOVING and not event.modifiers() & ~self._modifiers:
            event.accept()
            return True
        return super().eventFilter(watched, event)


def keep_moving_keys(widget: QWidget, *, with_control: bool = False) -> None:
    """Arrows, page keys, Home and End move in ``widget`` while it has the keyboard; ``with_control``: those with Ctrl as well."""
    held = PLAIN | Qt.KeyboardModifier.ControlModifier if with_control else PLAIN
    widget.installEventFilter(OwnKeys(widget, held))
