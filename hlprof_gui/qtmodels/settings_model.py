"""All settings as a tree: sections, and in them the settings with value and option; words leave only what has them."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor, QFont

from hlprof_core.config.schema import all_settings
from hlprof_core.config.setting import Setting
from hlprof_gui.notify import safe_or
from hlprof_gui.theme.theme import Theme
from hlprof_gui.viewmodels.configuration import ConfigurationViewModel

Index = QModelIndex | QPersistentModelIndex
HEADERS = ("Setting", "Value", "Option")
TITLE, VALUE, OPTION = range(3)
NOTHING = QModelIndex()
Role = Qt.ItemDataRole


class SettingsModel(QAbstractItemModel):
    """``refresh`` after each change of the document, ``search`` for other rows. Sections have the internal id 0, settings their section's
    place plus 1."""

    def __init__(self, document: ConfigurationViewModel, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document, self._theme = document, theme
        self._texts = {entry.id: search_text(entry) for entry in all_settings().values()}
        self._words: tuple[str, ...] = ()
        self._only_changed = False
        self._sections: list[tuple[str, list[Setting]]] = []
        self._choose()

    # -- content ----------------------------------------------------------------------------------------------------

    def search(self, words: str, *, only_changed: bool = False) -> None:
        """Show the settings that have every word in title, option, key or explanation."""
        self.beginResetModel()
        self._words, self._only_changed = tuple(words.casefold().split()), only_changed
        self._choose()
        self.endResetModel()

    def refresh(self) -> None:
        """The document changed: values, and which settings differ."""
        if self._only_changed:
            self.beginResetModel()
            self._choose()
            self.endResetModel()
            return
        for row, (_, entries) in enumerate(self._sections):
            section = self.index(row, 0)
            self.dataChanged.emit(self.index(0, TITLE, section), self.index(len(entries) - 1, OPTION, section))

    def _choose(self) -> None:
        sections: dict[str, list[Setting]] = {}
        for entry in all_settings().values():
            is_found = all(word in self._texts[entry.id] for word in self._words)
            if is_found and not (self._only_changed and self._document.is_default(entry.id)):
                sections.setdefault(entry.section, []).append(entry)
        self._sections = list(sections.items())

    @property
    def count(self) -> int:
        """How many settings are shown."""
        return sum(len(entries) for _, entries in self._sections)

    def entry(self, index: Index) -> Setting | None:
        """The setting of a row; None for a section."""
        if not index.isValid() or not index.internalId():
            return None
        return self._sections[index.internalId() - 1][1][index.row()]

    def index_of(self, setting_id: str) -> QModelIndex:
        """The row of a setting; invalid when it is not shown."""
        for place, (_, entries) in enumerate(self._sections):
            for row, entry in enumerate(entries):
                if entry.id == setting_id:
                    return self.index(row, 0, self.index(place, 0))
        return QModelIndex()

    # -- Qt ---------------------------------------------------------------------------------------------------------

    @safe_or(0)
    def rowCount(self, parent: Index = NOTHING) -> int:
        if not parent.isValid():
            return len(self._sections)
        return len(self._sections[parent.row()][1]) if not parent.internalId() and parent.column() == 0 else 0

    @safe_or(0)
    def columnCount(self, parent: Index = NOTHING) -> int:
        return len(HEADERS)

    @safe_or(NOTHING)
    def index(self, row: int, column: int, parent: Index = NOTHING) -> QModelIndex:
        if not self.hasIndex(row, column, parent):
            return QModelIndex()
        return self.createIndex(row, column, parent.row() + 1 if parent.isValid() else 0)

    @safe_or(NOTHING)
    def parent(self, index: Index = NOTHING) -> QModelIndex:
        if not index.isValid() or not index.internalId():
            return QModelIndex()
        return self.createIndex(index.internalId() - 1, 0, 0)

    @safe_or(None)
    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Role.DisplayRole:
            return HEADERS[section]
        return None

    @safe_or(None)
    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        entry = self.entry(index)
        if entry is None:
            return self._section_data(index, role)
        if role in (Role.DisplayRole, Role.AccessibleTextRole):
            return (entry.title, entry.kind.tell(self._document.value(entry.id)), option_text(entry))[index.column()]
        if role == Role.ToolTipRole:
            return f"{entry.doc}\n{entry.key}"
        if role == Role.FontRole and index.column() == OPTION:
            return self._theme.mono_font
        if role == Role.FontRole and not self._document.is_default(entry.id):
            return self._theme.bold_font
        if role == Role.ForegroundRole:
            return self._colour(entry, index.column())
        return None

    def _section_data(self, index: Index, role: int) -> Any:
        title, entries = self._sections[index.row()]
        if role == Role.DisplayRole:
            changed = sum(not self._document.is_default(entry.id) for entry in entries)
            return (title, f"{changed} changed" if changed else "", "")[index.column()]
        if role == Role.FontRole and index.column() == TITLE:
            font: QFont = self._theme.bold_font
            return font
        if role == Role.ForegroundRole and index.column() == VALUE:
            return self._theme.color("accent")
        return None

    def _colour(self, entry: Setting, column: int) -> QColor | None:
        if column == OPTION:
            return self._theme.color("text_dim")
        return self._theme.color("accent") if column == VALUE and not self._document.is_default(entry.id) else None


def search_text(entry: Setting) -> str:
    """Everything a setting can be found by."""
    options = " ".join(("-" if len(flag) == 1 else "--") + flag for flag in entry.flags)
    return f"{entry.title} {options} {option_text(entry)} {entry.id} {entry.key} {entry.doc} {entry.section}".casefold()


def option_text(entry: Setting) -> str:
    """How the setting is written on the command line."""
    if entry.member_of:
        return f"--{entry.member_of[0]} …,{entry.member_of[1]},…"
    if not entry.flags:
        return f"--set {entry.id}"
    return ", ".join(f"-{flag}" if len(flag) == 1 else f"--{flag}" for flag in entry.flags)
