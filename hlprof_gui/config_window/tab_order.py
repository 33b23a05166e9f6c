"""The way of the Tab key: area by area, however late their controls were made. Qt's own chain has what is made last at its end."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget


def tab_order(window: QWidget, areas: Sequence[QWidget]) -> list[QWidget]:
    """What Tab reaches now: what is in no area first, then area by area, inside each as Qt has it."""
    found: list[QWidget] = []
    widget = window.nextInFocusChain()
    while widget is not window:
        takes_tab = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and widget.focusProxy() is None
        if takes_tab and widget.isVisible() and widget.isEnabled():
            found.append(widget)
        widget = widget.nextInFocusChain()

    def place(widget: QWidget) -> int:
        return next((number for number, area in enumerate(areas) if area is widget or area.isAncestorOf(widget)), -1)

    return sorted(found, key=place)


def focus_next(window: QWidget, areas: Sequence[QWidget], *, forward: bool) -> bool:
    """Give the keyboard to the next control, or the one before; False when there is none."""
    order, current = tab_order(window, areas), window.focusWidget()
    if not order:
        return False
    step = 1 if forward else -1
    here = order.index(current) if current in order else (-1 if forward else 0)
    reason = Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason
    order[(here + step) % len(order)].setFocus(reason)
    return True
