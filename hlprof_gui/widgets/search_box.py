"""The search field of the toolbar: words, ``i / n``, previous, next, and whether arguments are searched too."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QKeyEvent, Qt
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QToolButton, QWidget

from hlprof_gui.notify import safe
from hlprof_gui.theme.theme import Theme
from hlprof_gui.viewmodels.search import SearchViewModel

TYPING_MS = 60
"""Pause in typing after which the search runs."""


class SearchField(QLineEdit):
    """A line that tells Enter apart from Shift+Enter."""

    next_wanted = Signal()
    previous_wanted = Signal()

    @safe
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            (self.previous_wanted if back else self.next_wanted).emit()
        elif event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            (self.next_wanted if event.key() == Qt.Key.Key_Down else self.previous_wanted).emit()
        else:
            super().keyPressEvent(event)


class SearchBox(QWidget):
    """Field and buttons over a SearchViewModel."""

    list_wanted = Signal()
    """The count was clicked: show all matches."""

    def __init__(self, search: SearchViewModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._search = search
        self._theme = theme
        self.field = SearchField()
        self.field.setPlaceholderText("Search names   /")
        self.field.setAccessibleName("Search slices")
        self.field.setClearButtonEnabled(True)
        self.field.setMinimumWidth(220)
        self.field.setMaximumWidth(320)
        self.count = QToolButton()
        self.count.setAccessibleName("Search position")
        self.count.setToolTip("List all matches")
        self.count.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.count.clicked.connect(self.list_wanted)
        self.in_args = self._button("filter", "Search arguments too", checkable=True)
        self.previous = self._button("previous", "Previous match (Shift+Enter)")
        self.next = self._button("next", "Next match (Enter)")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        for widget in (self.count, self.field, self.in_args, self.previous, self.next):
            layout.addWidget(widget)
        self._timer = QTimer(self, singleShot=True, interval=TYPING_MS)
        self._timer.timeout.connect(self._send)
        self.field.textEdited.connect(lambda _: self._timer.start())
        self.field.textChanged.connect(self._clear_at_once)
        self.field.next_wanted.connect(lambda: self._step(1))
        self.field.previous_wanted.connect(lambda: self._step(-1))
        self.next.clicked.connect(lambda: self._step(1))
        self.previous.clicked.connect(lambda: self._step(-1))
        self.in_args.toggled.connect(self._toggle_args)
        search.changed.connect(self.refresh)
        theme.follow(self, self._tint)
        self._tint()
        self.refresh()

    def _button(self, icon: str, title: str, *, checkable: bool = False) -> QToolButton:
        button = QToolButton()
        button.setProperty("icon_name", icon)
        button.setToolTip(title)
        button.setAccessibleName(title)
        button.setCheckable(checkable)
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        return button

    @safe
    def _tint(self) -> None:
        for button in (self.in_args, self.previous, self.next):
            button.setIcon(self._theme.icon(str(button.property("icon_name"))))

    @safe
    def _send(self) -> None:
        self._timer.stop()
        self._search.set_words(self.field.text())

    @safe
    def _clear_at_once(self, text: str) -> None:
        if not text:
            self._send()

    @safe
    def _step(self, by: int) -> None:
        self._send()
        self._search.step(by)

    @safe
    def _toggle_args(self, on: bool) -> None:
        self.field.setPlaceholderText("Search names and arguments   /" if on else "Search names   /")
        self._search.set_in_args(on)

    @safe
    def refresh(self) -> None:
        """Show what the view model says."""
        self.count.setText(self._search.count_text)
        self.count.setVisible(bool(self._search.count_text))
        has_hits = self._search.count_text not in ("", "none", "…")
        self.field.setEnabled(self._search.is_possible)
        self.in_args.setEnabled(self._search.is_possible)
        self.next.setEnabled(has_hits)
        self.previous.setEnabled(has_hits)
        # The words may have been set elsewhere (a menu, Escape): the field follows unless somebody is typing.
        if not self._timer.isActive() and self.field.text().strip() != self._search.words:
            self.field.setText(self._search.words)
        self.in_args.setChecked(self._search.in_args)

    def clear(self) -> None:
        """Drop what was typed, also what was not searched yet."""
        self._timer.stop()
        self.field.clear()

    def take_focus(self) -> None:
        """Put the cursor into the field, its text selected."""
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()
