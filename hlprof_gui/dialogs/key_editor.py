"""Every command with its keys, to be changed: press the new keys, see what had them before, or go back to the first ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QKeySequenceEdit,
    QLabel,
    QLineEdit,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from hlprof_gui.commands.command import AnyCommand, Commands
from hlprof_gui.commands.keys import Keys, assign, holder, is_reserved, rebound
from hlprof_gui.notify import safe
from hlprof_gui.theme.theme import Theme
from hlprof_gui.widgets.actions import key_texts
from hlprof_gui.widgets.plain_buttons import take_button_icons

ID = Qt.ItemDataRole.UserRole


class KeyEditor(QDialog):
    """``changed`` is called with the user's keys after each change; they apply at once."""

    def __init__(self, commands: Iterable[AnyCommand], own: Keys, changed: Callable[[Keys], None], theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Keyboard Shortcuts")
        theme.dress(self)
        self.resize(620, 560)
        self._first = list(commands)
        self._own = dict(own)
        self._changed, self._theme = changed, theme
        self._bound: Commands = rebound(self._first, self._own)
        self.filter = QLineEdit()
        self.filter.setPlaceholderText("Find a command or a key")
        self.filter.setAccessibleName("Find a command or a key")
        self.filter.setClearButtonEnabled(True)
        self.filter.textChanged.connect(self._apply_filter)
        self.tree = QTreeWidget()
        self.tree.setAccessibleName("Commands and their keys")
        self.tree.setHeaderLabels(["Command", "Keys"])
        self.tree.setRootIsDecorated(False)
        self.tree.setAlternatingRowColors(True)
        self.tree.setUniformRowHeights(True)
        self.tree.currentItemChanged.connect(self._choose)
        self.edit = QKeySequenceEdit()
        for field in self.edit.findChildren(QLineEdit):
            field.setAccessibleName("Keys of the command")
        self.edit.setMaximumSequenceLength(1)
        self.edit.setClearButtonEnabled(True)
        self.edit.setAccessibleName("New keys")
        self.edit.keySequenceChanged.connect(self._explain)
        self.assign_button = QPushButton("Use These Keys")
        self.assign_button.clicked.connect(self._assign)
        self.remove_button = QPushButton("No Keys")
        self.remove_button.clicked.connect(self._remove)
        self.reset_button = QPushButton("As at First")
        self.reset_button.clicked.connect(self._reset)
        self.note = QLabel()
        self.note.setProperty("dim", True)
        self.note.setWordWrap(True)
        self.note.setTextFormat(Qt.TextFormat.PlainText)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        all_button = buttons.addButton("Reset All", QDialogButtonBox.ButtonRole.ResetRole)
        all_button.clicked.connect(self._reset_all)
        buttons.rejected.connect(self.close)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.edit, 1)
        for button in (self.assign_button, self.remove_button, self.reset_button):
            button.setAutoDefault(False)
            row.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 12)
        layout.setSpacing(10)
        layout.addWidget(self.filter)
        layout.addWidget(self.tree, 1)
        layout.addLayout(row)
        layout.addWidget(self.note)
        layout.addWidget(buttons)
        take_button_icons(self)
        self._fill()

    def _fill(self) -> None:
        chosen = self._chosen_id
        self.tree.blockSignals(True)
        self.tree.clear()
        for command in self._bound:
            item = QTreeWidgetItem([command.title.rstrip("…"), "   ".join(key_texts(command))])
            item.setData(0, ID, command.id)
            item.setToolTip(0, command.help)
            if command.id in self._own:
                item.setFont(1, self._theme.bold_font)
            self.tree.addTopLevelItem(item)
            if command.id == chosen or (chosen is None and self.tree.topLevelItemCount() == 1):
                self.tree.setCurrentItem(item)
        self.tree.setColumnWidth(0, 330)
        self.tree.blockSignals(False)
        self._apply_filter(self.filter.text())
        self._choose()

    @property
    def _chosen_id(self) -> str | None:
        item = self.tree.currentItem()
        return str(item.data(0, ID)) if item is not None else None

    def choose(self, command_id: str) -> None:
        """Go to a command."""
        for place in range(self.tree.topLevelItemCount()):
            item = self.tree.topLevelItem(place)
            if item is not None and item.data(0, ID) == command_id:
                self.tree.setCurrentItem(item)

    @safe
    def _apply_filter(self, words: str) -> None:
        wanted = words.casefold().split()
        for place in range(self.tree.topLevelItemCount()):
            item = self.tree.topLevelItem(place)
            if item is not None:
                text = f"{item.text(0)} {item.text(1)}".casefold()
                item.setHidden(not all(word in text for word in wanted))

    @safe
    def _choose(self, *_: object) -> None:
        self.edit.clear()
        chosen = self._chosen_id
        self.remove_button.setEnabled(chosen is not None and bool(self._bound.get(chosen).keys))
        self.reset_button.setEnabled(chosen in self._own)
        self._explain()

    @safe
    def _explain(self, *_: object) -> None:
        """Say what pressing the button will do."""
        key, chosen = self._key, self._chosen_id
        taken = holder(self._bound, key) if key else None
        self.assign_button.setEnabled(bool(key) and chosen is not None and not is_reserved(key) and (taken is None or taken.id != chosen))
        if not key:
            self.note.setText("Click into the field and press the keys. Commands in bold have keys of your own.")
        elif is_reserved(key):
            self.note.setText(f"{key} moves or zooms the timeline and cannot be taken.")
        elif taken is not None and taken.id != chosen:
            self.note.setText(f"{key} means {taken.title.rstrip('…')} now, which will give it up.")
        else:
            self.note.setText("")

    @property
    def _key(self) -> str:
        return self.edit.keySequence().toString(QKeySequence.SequenceFormat.PortableText)

    @safe
    def _assign(self) -> None:
        if self._chosen_id is not None and self._key:
            self._take(assign(self._bound, self._own, self._chosen_id, (self._key,)))

    @safe
    def _remove(self) -> None:
        if self._chosen_id is not None:
            self._take({**self._own, self._chosen_id: ()})

    @safe
    def _reset(self) -> None:
        self._take({command_id: keys for command_id, keys in self._own.items() if command_id != self._chosen_id})

    @safe
    def _reset_all(self) -> None:
        self._take({})

    def _take(self, own: Keys) -> None:
        self._own = dict(own)
        self._bound = rebound(self._first, self._own)
        self._changed(self._own)
        self._fill()
