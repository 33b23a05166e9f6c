"""Widgets that lie over others, also over a canvas that is a window of its own to the system."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

NATIVE = "nativeCanvas"
"""Object name of the widget that holds such a canvas."""


def float_over(widget: QWidget) -> None:
    """Show it above its siblings. Only a native widget can be above a native canvas."""
    if widget.window().findChild(QWidget, NATIVE) is not None:
        widget.setAttribute(Qt.WidgetAttribute.WA_DontCreateNativeAncestors)
        widget.setAttribute(Qt.WidgetAttribute.WA_NativeWindow)
    widget.show()
    widget.raise_()
