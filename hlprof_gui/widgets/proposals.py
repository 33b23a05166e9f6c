"""What may stand at a place of a filter, as a list."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from hlprof_core.analysis.filter.completion import Completion

Index = QModelIndex | QPersistentModelIndex
NOTE = Qt.ItemDataRole.UserRole
"""What the proposal is, beside its text."""


class Proposals(QAbstractListModel):
    """One proposal a row."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.completions: Sequence[Completion] = ()

    def show_completions(self, completions: Sequence[Completion]) -> None:
        self.beginResetModel()
        self.completions = completions
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.completions)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> str | None:
        if not index.isValid():
            return None
        completion = self.completions[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return completion.text
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{completion.text}, {completion.note}"
        return completion.note if role == NOTE else None
