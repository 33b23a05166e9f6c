"""The search field of the toolbar: a filter, ``i / n``, previous, next, whether arguments count, and what happens to the rest."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, QTimer, Signal
from PySide6.QtGui import QActionGroup, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QSizePolicy, QToolButton, QWidget

from hlprof_gui.notify import safe
from hlprof_gui.state.view_state import FILTER_MODES, FilterMode
from hlprof_gui.theme.theme import Theme
from hlprof_gui.viewmodels.search import SearchViewModel
from hlprof_gui.widgets.filter_field import FilterField
from hlprof_gui.widgets.floating import float_over
from hlprof_gui.widgets.tipped import plain_tip

TYPING_MS = 60
"""Pause in typing after which the search runs."""
FIELD_WIDTH, MAX_FIELD_WIDTH, COUNT_WIDTH = 160, 420, 50
"""The box keeps its room in the toolbar whatever it tells."""
MODES: dict[FilterMode, tuple[str, str]] = {
    "dim": ("Dim What Does Not Match", "filter"),
    "hide": ("Hide What Does Not Match", "hide"),
    "list": ("Only List Matches", "search"),
}
SPACING, TROUBLE_WIDTH = 4, 380
PLACEHOLDER = "Filter: gemm dur>1ms engine:MME   /"


class SearchBox(QWidget):
    """Field and buttons over a SearchViewModel."""

    list_wanted = Signal()
    """The count was clicked: show all matches."""

    def __init__(self, search: SearchViewModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._search = search
        self._theme = theme
        self.field = FilterField(theme, search.complete)
        self.field.setPlaceholderText(PLACEHOLDER)
        self.field.setAccessibleName("Search slices")
        self.field.setClearButtonEnabled(True)
        for button in self.field.findChildren(QToolButton):
            button.setAccessibleName("Clear the filter")
        self.field.setMinimumWidth(FIELD_WIDTH)
        self.field.setMaximumWidth(MAX_FIELD_WIDTH)
        self.count = QToolButton()
        self.count.setAccessibleName("Search position")
        self.count.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.count.setMinimumWidth(1)
        self.count.clicked.connect(self.list_wanted)
        self.stop = self._button("stop", "Stop the search (Esc); what is found already stays")
        self.stop.clicked.connect(safe(lambda *_: search.stop()))
        self.stop.hide()
        self.in_args = self._button("args", "Plain words search arguments too", checkable=True)
        self.mode = self._button("filter", "What the timeline does with the rest")
        self.previous = self._button("previous", "Previous match (Shift+Enter)")
        self.next = self._button("next", "Next match (Enter)")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACING)
        layout.addStretch(1)
        for widget in (self.count, self.stop, self.field, self.in_args, self.mode, self.previous, self.next):
            layout.addWidget(widget, 4 if widget is self.field else 0)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setMaximumWidth(MAX_FIELD_WIDTH + COUNT_WIDTH + 160)
        self._make_menu()
        self.trouble = QLabel(self)
        self.trouble.setObjectName("searchTrouble")
        self.trouble.setWordWrap(True)
        self.trouble.setTextFormat(Qt.TextFormat.PlainText)
        self.trouble.hide()
        self.field.installEventFilter(self)
        self._say_later = QTimer(self, singleShot=True, interval=0)
        self._say_later.timeout.connect(self.refresh)
        self._timer = QTimer(self, singleShot=True, interval=TYPING_MS)
        self._timer.timeout.connect(self._send)
        self.field.textEdited.connect(lambda _: self._timer.start())
        self.field.textChanged.connect(self._clear_at_once)
        self.field.next_wanted.connect(lambda: self._step(1))
        self.field.previous_wanted.connect(lambda: self._step(-1))
        self.next.clicked.connect(lambda: self._step(1))
        self.previous.clicked.connect(lambda: self._step(-1))
        self.in_args.toggled.connect(safe(lambda on: search.set_in_args(on)))
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

    def _make_menu(self) -> None:
        menu = QMenu(self.mode)
        group = QActionGroup(menu)
        self._mode_actions = {}
        for mode in FILTER_MODES:
            action = group.addAction(MODES[mode][0])
            action.setCheckable(True)
            action.triggered.connect(safe(lambda _=False, mode=mode: self._search.set_mode(mode)))
            menu.addAction(action)
            self._mode_actions[mode] = action
        self.mode.setMenu(menu)
        self.mode.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)

    @safe
    def _tint(self) -> None:
        for button in (self.stop, self.in_args, self.mode, self.previous, self.next):
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
    def refresh(self) -> None:
        """Show what the view model says."""
        search, error = self._search, self._search.error
        text = search.count_text if error is None else "?"
        self.count.setText(text)
        self.count.setVisible(bool(text))
        said = "" if error is None else f"{error.problem} {error.hint}"
        self.count.setToolTip(plain_tip(said) or "List all matches")
        self._say(said)
        self._show_trouble(error is not None)
        self.field.show_trouble(None if error is None or self._timer.isActive() else (error.position, error.length))
        has_hits = error is None and search.count_text not in ("", "none", "…")
        self.stop.setVisible(search.is_streaming)
        self.field.setEnabled(search.is_possible)
        self.in_args.setEnabled(search.is_possible)
        self.mode.setEnabled(search.is_possible)
        self.next.setEnabled(has_hits)
        self.previous.setEnabled(has_hits)
        # The words may have been set elsewhere (a menu, Escape, undo): the field follows unless somebody is typing.
        if not self._timer.isActive() and self.field.text().strip() != search.words:
            self.field.setText(search.words)
        self.in_args.setChecked(search.in_args)
        self._mode_actions[search.mode].setChecked(True)
        icon = MODES[search.mode][1]
        if self.mode.property("icon_name") != icon:
            self.mode.setProperty("icon_name", icon)
            self.mode.setIcon(self._theme.icon(icon))

    def _buttons_width(self) -> int:
        buttons = (self.in_args, self.mode, self.previous, self.next)
        return sum(button.sizeHint().width() + SPACING for button in buttons)

    def _say(self, text: str) -> None:
        """Show what is wrong below the field while somebody types there."""
        hint, window = self.trouble, self.window()
        if not text or not self.field.hasFocus() or window is self:
            hint.hide()
            return
        if hint.parent() is not window:
            hint.setParent(window)
        hint.setText(text)
        width = max(self.field.width(), TROUBLE_WIDTH)
        hint.resize(width, hint.heightForWidth(width))
        place = self.field.mapTo(window, QPoint(0, self.field.height() + 3))
        hint.move(min(place.x(), window.width() - width - 8), place.y())
        float_over(hint)

    def sizeHint(self) -> QSize:
        return QSize(MAX_FIELD_WIDTH + COUNT_WIDTH + self._buttons_width(), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(FIELD_WIDTH + COUNT_WIDTH + self._buttons_width(), super().minimumSizeHint().height())

    @safe
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """What is wrong is said only while the field has the keyboard."""
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self._say_later.start()
        return super().eventFilter(watched, event)

    def _show_trouble(self, is_wrong: bool) -> None:
        if self.count.property("trouble") != is_wrong:
            self.count.setProperty("trouble", is_wrong)
            self.count.style().unpolish(self.count)
            self.count.style().polish(self.count)

    def clear(self) -> None:
        """Drop what was typed, also what was not searched yet."""
        self._timer.stop()
        self.field.hide_proposals()
        self.field.clear()

    def take_focus(self) -> None:
        """Put the cursor into the field, its text selected."""
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()
