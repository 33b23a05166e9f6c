"""Named layouts of rows: rules on the right, applied to the trace at a click, kept for every other trace."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from hlprof_core.errors import UsageError
from hlprof_core.trace.model import Trace
from hlprof_gui.dialogs.question import ask
from hlprof_gui.notify import safe
from hlprof_gui.settings import Settings
from hlprof_gui.state.arrangement import Arrangement
from hlprof_gui.state.row_rules import ACTIONS, FIELDS, HELP, Rule, arrange_by, parse_rules
from hlprof_gui.state.view_state import ViewState
from hlprof_gui.theme.theme import Theme
from hlprof_gui.viewmodels.work import AtOnce, Work
from hlprof_gui.widgets.plain_buttons import take_button_icons

FIRST_LAYOUTS = {
    "Compute pinned": "# what computes, always in sight\npin engine:MME\npin engine:TPC thread:*0\n",
    "Device only": "hide engine:HOST\nhide engine:\n",
    "Engines of all ranks": "group by engine\nfold engine:HOST\n",
    "Copies and network first": "first engine:DMA\nfirst engine:NIC\nfold engine:HOST\n",
}
"""Offered while the user has none."""
FEW_TRACKS, JOB = 5_000, "row_layouts"
"""So many rows are arranged at once, more in the background."""
Arranged = tuple[Arrangement, frozenset[int]]


class RowLayouts(QDialog):
    """Nothing is kept before Save; Apply is one step that can be undone."""

    def __init__(self, state: ViewState, settings: Settings, theme: Theme, parent: QWidget, work: Work | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Layouts of Rows")
        theme.dress(self)
        self._theme = theme
        self.resize(680, 420)
        self._state, self._settings, self._work = state, settings, work or AtOnce()
        self._layouts = dict(settings.row_layouts or FIRST_LAYOUTS)
        self.names = QListWidget()
        self.names.setAccessibleName("Layouts")
        self.names.setMaximumWidth(210)
        self.names.setProperty("framed", True)
        self.rules = QPlainTextEdit()
        self.rules.setFont(theme.mono_font)
        self.rules.setAccessibleName("Rules of the layout")
        self.note = QLabel()
        self.note.setWordWrap(True)
        self.note.setTextFormat(Qt.TextFormat.PlainText)
        self.note.setProperty("dim", True)
        self.apply_button = QPushButton("Apply")
        self.save_button = QPushButton("Save As…")
        self.delete_button = QPushButton("Delete")
        for button, slot in ((self.apply_button, self._apply), (self.save_button, self._save), (self.delete_button, self._delete)):
            button.setAutoDefault(False)
            button.clicked.connect(slot)
        help_text = QLabel(f"{HELP}\nActions: {', '.join(ACTIONS)}. Fields: {', '.join(FIELDS)}.")
        help_text.setWordWrap(True)
        help_text.setProperty("dim", True)
        close = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        close.rejected.connect(self.close)
        right = QVBoxLayout()
        right.setSpacing(8)
        right.addWidget(help_text)
        right.addWidget(self.rules, 1)
        right.addWidget(self.note)
        row = QHBoxLayout()
        row.addWidget(self.apply_button)
        row.addWidget(self.save_button)
        row.addWidget(self.delete_button)
        row.addStretch()
        row.addWidget(close)
        right.addLayout(row)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 12)
        layout.setSpacing(12)
        layout.addWidget(self.names)
        layout.addLayout(right, 1)
        self.names.currentTextChanged.connect(self._choose)
        self.names.itemDoubleClicked.connect(self._apply)
        self.rules.textChanged.connect(self._check)
        take_button_icons(self)
        self._fill(next(iter(self._layouts), ""))

    def _fill(self, chosen: str) -> None:
        self.names.clear()
        self.names.addItems(sorted(self._layouts, key=str.casefold))
        for item in self.names.findItems(chosen, Qt.MatchFlag.MatchExactly):
            self.names.setCurrentItem(item)

    @safe
    def _choose(self, name: str) -> None:
        self.rules.setPlainText(self._layouts.get(name, ""))
        self.delete_button.setEnabled(bool(name))

    @safe
    def _check(self) -> None:
        """Say what the rules would do to this trace, or what is wrong with them."""
        trace = self._state.trace
        try:
            rules = parse_rules(self.rules.toPlainText())
        except UsageError as error:
            self._say(f"{error.message} {error.hint}", is_error=True)
            return
        if trace is not None:
            self._arrange(rules, trace, self._tell)

    def _arrange(self, rules: list[Rule], trace: Trace, done: Callable[[Arranged], None]) -> None:
        work = AtOnce() if len(trace.tracks) <= FEW_TRACKS else self._work
        work.start(JOB, "Arranging rows", lambda _progress: arrange_by(rules, trace), done)

    def _tell(self, arranged: Arranged) -> None:
        arrangement, folded = arranged
        grouped = "" if arrangement.group_by == "process" else f", grouped by {arrangement.group_by}"
        counts = f"{len(arrangement.pinned)} pinned, {len(arrangement.hidden)} hidden, {len(folded)} folded"
        self._say(f"In this trace: {counts}{grouped}.", is_error=False)

    def _say(self, text: str, *, is_error: bool) -> None:
        self.note.setText(text)
        self.note.setProperty("role", "error" if is_error else None)
        self.note.style().unpolish(self.note)
        self.note.style().polish(self.note)
        self.apply_button.setEnabled(not is_error)
        self.save_button.setEnabled(not is_error)

    @safe
    def _apply(self, *_: object) -> None:
        trace = self._state.trace
        if trace is not None:
            self._arrange(parse_rules(self.rules.toPlainText()), trace, self._use)

    def _use(self, arranged: Arranged) -> None:
        arrangement, folded = arranged
        self._state.set_arrangement(arrangement)
        self._state.set_collapsed(folded)

    @safe
    def _save(self, *_: object) -> None:
        present = self.names.currentItem().text() if self.names.currentItem() is not None else ""
        name = ask(self, self._theme, "Save Layout", "Name:", present)
        if name is not None:
            self._layouts[name] = self.rules.toPlainText()
            self._settings.row_layouts = self._layouts
            self._fill(name)

    @safe
    def _delete(self, *_: object) -> None:
        item = self.names.currentItem()
        if item is not None:
            del self._layouts[item.text()]
            self._settings.row_layouts = self._layouts
            self._fill(next(iter(self._layouts), ""))
