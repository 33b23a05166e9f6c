"""From one part of a window to the next by keyboard: the timeline, then every panel that can be seen."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QDockWidget, QMainWindow, QWidget


def panes(window: QMainWindow, centre: QWidget) -> list[QWidget]:
    """The centre, then the docks in sight, from the upper left on."""
    docks = [dock for dock in window.findChildren(QDockWidget) if dock.isVisible() and not dock.visibleRegion().isEmpty()]
    docks.sort(key=lambda dock: (dock.mapTo(window, QPoint(0, 0)).y(), dock.mapTo(window, QPoint(0, 0)).x()))
    return [centre, *docks]


def entrance(pane: QWidget) -> QWidget | None:
    """What gets the keyboard in a pane: itself, else the first in it that can be reached with Tab."""
    for widget in (pane, *pane.findChildren(QWidget)):
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isVisible() and widget.isEnabled() and widget.focusProxy() is None:
            return widget
    return None


def focus_next(places: Sequence[QWidget], step: int) -> None:
    """Give the keyboard to the pane behind (1) or before (-1) the one that has it."""
    now = QApplication.focusWidget()
    here = next((n for n, pane in enumerate(places) if now is not None and (pane is now or pane.isAncestorOf(now))), 0)
    for distance in range(1, len(places) + 1):
        target = entrance(places[(here + step * distance) % len(places)])
        if target is not None:
            target.setFocus(Qt.FocusReason.TabFocusReason)
            return
