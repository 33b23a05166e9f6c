"""Notes as a table: time, length, and the text, which can be edited in place."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QFont

from hlprof_core.units import format_ns, format_ns_exact
from hlprof_gui.state.view_state import Mark, ViewState

Index = QModelIndex | QPersistentModelIndex
START, LENGTH, TEXT = range(3)
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class NotesModel(QAbstractTableModel):
    """Table over ``state.marks``."""

    HEADERS = ("Start", "Length", "Note")

    def __init__(self, state: ViewState, mono: QFont, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._state, self._mono = state, mono
        self._marks: tuple[Mark, ...] = ()
        self.refresh()

    @property
    def is_behind(self) -> bool:
        """Whether the state has other marks by now."""
        return self._marks != self._state.marks

    def refresh(self) -> None:
        """Take over the marks of the state."""
        if self.is_behind:
            self.beginResetModel()
            self._marks = self._state.marks
            self.endResetModel()

    def mark(self, row: int) -> Mark:
        return self._marks[row]

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._marks)

    def columnCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.HEADERS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        trace = self._state.trace
        if not index.isValid() or trace is None or index.row() >= len(self._marks):
            return None
        mark, column = self._marks[index.row()], index.column()
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            if column == TEXT:
                return mark.label
            if column == START:
                return format_ns_exact(mark.time_ns - trace.span.start_ns)
            return format_ns(mark.length_ns) if mark.length_ns else "flag"
        if role == Qt.ItemDataRole.FontRole and column != TEXT:
            return self._mono
        return RIGHT if role == Qt.ItemDataRole.TextAlignmentRole and column != TEXT else None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.EditRole or index.column() != TEXT or index.row() >= len(self._marks):
            return False
        former, marks = self._marks[index.row()], list(self._state.marks)
        if former not in marks:
            return False
        marks[marks.index(former)] = replace(former, label=str(value).strip())
        self._state.set_marks(marks)
        return True

    def remove(self, rows: set[int]) -> None:
        """Take these notes away."""
        self._state.set_marks(mark for row, mark in enumerate(self._marks) if row not in rows)

    def flags(self, index: Index) -> Qt.ItemFlag:
        usual = super().flags(index)
        return usual | Qt.ItemFlag.ItemIsEditable if index.isValid() and index.column() == TEXT else usual

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole and section < len(self.HEADERS):
            return self.HEADERS[section]
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.TextAlignmentRole:
            return LEFT if section == TEXT else RIGHT
        return None
