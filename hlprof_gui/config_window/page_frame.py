"""The frame around a page: its title, a line of help, and a scroll bar where the page is taller than the window."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget
from shiboken6 import isValid

from hlprof_gui.config_window.live_page import plain_label
from hlprof_gui.config_window.page import PageContext, PageEntry
from hlprof_gui.notify import safe

SETTLED_MS = 500


class PageFrame(QScrollArea):
    """Makes the page where it will stay: a page that is moved into a window gets its style anew, widget by widget."""

    def __init__(self, entry: PageEntry, context: PageContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("pageFrame")
        context.theme.dress(self)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(entry.title)
        self.entry = entry
        self._target: QWidget | None = None
        self.verticalScrollBar().rangeChanged.connect(safe(self._scroll))
        title = plain_label(entry.title)
        title.setFont(context.theme.title_font)
        help = plain_label(entry.help)
        help.setProperty("dim", True)
        help.setWordWrap(True)
        body = QWidget()
        body.setObjectName("pageBody")
        self.setWidget(body)
        self.page = entry.make(context, body)
        column = QVBoxLayout(body)
        column.setContentsMargins(24, 20, 24, 20)
        column.setSpacing(4)
        column.addWidget(title)
        column.addWidget(help)
        column.addSpacing(12)
        column.addWidget(self.page, 1)

    def reveal(self, setting_id: str) -> bool:
        """Show the control of a setting; False when the page has none."""
        reveal = getattr(self.page, "reveal", None)
        if reveal is not None:
            is_shown = bool(reveal(setting_id))
            if is_shown and (focus := self.page.focusWidget()) is not None:
                self.show_widget(focus)
            return is_shown
        found = [w for w in self.page.findChildren(QWidget) if w.property("setting_id") == setting_id and w.isVisibleTo(self.page)]
        if found:
            self.show_widget(found[0])
        return bool(found)

    def show_widget(self, widget: QWidget) -> None:
        """Scroll to a control of the page and give it the keyboard."""
        widget.setFocus(Qt.FocusReason.OtherFocusReason)
        self._target = widget
        QTimer.singleShot(0, widget, safe(self._scroll))
        QTimer.singleShot(SETTLED_MS, widget, safe(partial(self._leave, widget)))

    def _scroll(self, *_: object) -> None:
        """To what is to be seen: what was made just now moves until the page around it is laid out."""
        if self._target is not None and isValid(self._target):
            self.ensureWidgetVisible(self._target, 0, 60)

    def _leave(self, widget: QWidget) -> None:
        if self._target is widget:
            self._target = None
