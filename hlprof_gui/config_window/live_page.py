"""A page that follows the document: it looks anew at each change while it is on the screen, and catches up when it is shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from hlprof_gui.config_window.page import PageContext
from hlprof_gui.notify import safe
from hlprof_gui.state.signal import Signal


def while_alive(owner: QObject, signal: Signal, listener: Callable[..., Any]) -> None:
    """Connect until ``owner`` is deleted: documents and themes outlive windows."""
    disconnect = signal.connect(listener)
    owner.destroyed.connect(lambda *_: disconnect())


class LivePage(QWidget):
    """``refresh`` of a page shows the document as it is now; it must not change it."""

    def __init__(self, context: PageContext, parent: QWidget) -> None:
        super().__init__(parent)
        self.context = context
        while_alive(self, context.model.changed, self._follow)

    def refresh(self) -> None:
        raise NotImplementedError

    @safe
    def _follow(self) -> None:
        if self.isVisible():
            self.refresh()

    @safe
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Wrapped texts need more lines in a narrow window: the page grows, and the frame around it scrolls."""
        super().resizeEvent(event)
        self.reflow(self.width())
        self.fit_height()

    def reflow(self, width: int) -> None:
        """Arrange the page for that many pixels; most need nothing."""

    def fit_height(self) -> None:
        """Never lower than what the page's layout needs at its width."""
        layout = self.layout()
        if layout is not None and layout.hasHeightForWidth():
            self.setMinimumHeight(layout.minimumHeightForWidth(self.width()))

    @safe
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()


def keep_own_steps(*fields: QWidget) -> None:
    """Undo in these fields takes back letters: what they hold is no part of the document."""
    for field in fields:
        field.setProperty("leaves_steps", True)


def tell(label: QLabel, text: str, *, is_error: bool) -> None:
    """Quiet text, or in the colour of errors."""
    label.setText(text)
    role = "error" if is_error else ""
    if label.property("role") != role:
        label.setProperty("role", role)
        label.setProperty("dim", not is_error)
        label.style().unpolish(label)
        label.style().polish(label)


def small_button(context: PageContext, text: str, help: str) -> QPushButton:
    """A button among small letters."""
    button = QPushButton(text)
    button.setProperty("small", True)
    button.setFont(context.theme.small_font)
    button.setToolTip(help)
    return button


def plain_label(text: str = "") -> QLabel:
    """A text as it is: what files and users name is never taken for mark-up."""
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label


def heading(context: PageContext, text: str) -> QLabel:
    """The title of a part of a page."""
    label = plain_label(text)
    label.setFont(context.theme.bold_font)
    return label


def dim_label(text: str = "", *, wrap: bool = True) -> QLabel:
    """Quiet text under or beside a control."""
    label = plain_label(text)
    label.setProperty("dim", True)
    label.setWordWrap(wrap)
    return label
