"""Statistics as a table, sorted by any column; the groups keep their numbers whatever the order."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QFont

from hlprof_core.analysis.statistics import Statistics
from hlprof_core.units import format_ns, format_ns_exact
from hlprof_gui.viewmodels.short_texts import IN_BLOCK, beginning_of

Index = QModelIndex | QPersistentModelIndex
GROUP, COUNT, TOTAL = range(3)
COLUMNS = (
    ("Group", "", "What the slices have in common"),
    ("Count", "count", "Slices with a part in the time"),
    ("Total", "total_ns", "Time of whole slices"),
    ("In time", "clipped_ns", "Their part inside the time"),
    ("Self", "self_ns", "Whole slices without what ran inside"),
    ("Mean", "mean_ns", "Mean duration"),
    ("Median", "median_ns", "Half of them last no longer"),
    ("p95", "p95_ns", "95 % of them last no longer"),
    ("Min", "min_ns", "Shortest"),
    ("Max", "max_ns", "Longest"),
)
"""Title, attribute of ``Statistics``, explanation."""
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class StatisticsModel(QAbstractTableModel):
    """Rows of one ``Statistics``."""

    def __init__(self, mono: QFont, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._mono = mono
        self._result: Statistics | None = None
        self._order = np.empty(0, np.int64)
        self._sort = (TOTAL, Qt.SortOrder.DescendingOrder)

    def show_result(self, result: Statistics | None) -> None:
        """Replace everything; the order stays chosen."""
        if result is self._result:
            return
        self.beginResetModel()
        self._result = result
        self._order = self._sorted()
        self.endResetModel()

    def label_at(self, row: int) -> str:
        """Group of a table row."""
        assert self._result is not None
        return self._result.labels[int(self._order[row])]

    def row_of(self, label: str | None) -> int:
        """Table row of a group, -1 for none."""
        if self._result is None or label not in self._result.labels:
            return -1
        return int(np.flatnonzero(self._order == self._result.labels.index(label))[0])

    @property
    def shown(self) -> tuple[Statistics, np.ndarray] | None:
        """The statistics, and its groups as they are sorted."""
        return (self._result, self._order) if self._result is not None else None

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(COLUMNS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        result, column = self._result, index.column()
        if not index.isValid() or result is None or index.row() >= len(self._order):
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return LEFT if column == GROUP else RIGHT
        if role == Qt.ItemDataRole.FontRole:
            return None if column == GROUP else self._mono
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        place = int(self._order[index.row()])
        if column == GROUP:
            return result.labels[place] if role == Qt.ItemDataRole.DisplayRole else beginning_of(result.labels[place], IN_BLOCK)
        value = getattr(result, COLUMNS[column][1])[place]
        if column == COUNT:
            return f"{int(value):,}" if role == Qt.ItemDataRole.DisplayRole else None
        return format_ns(round(float(value))) if role == Qt.ItemDataRole.DisplayRole else format_ns_exact(round(float(value)))

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        title, _, explanation = COLUMNS[section]
        if role == Qt.ItemDataRole.DisplayRole:
            column, order = self._sort
            arrow = "  ▴" if order == Qt.SortOrder.AscendingOrder else "  ▾"
            return title + (arrow if section == column else "")
        if role == Qt.ItemDataRole.ToolTipRole:
            return explanation
        return (LEFT if section == GROUP else RIGHT) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._sort = (column, order)
        self.layoutAboutToBeChanged.emit()
        before = self._order
        self._order = self._sorted()
        row_of = np.empty(len(before), np.int64)
        row_of[self._order] = np.arange(len(before))
        for index in self.persistentIndexList():
            self.changePersistentIndex(index, self.index(int(row_of[before[index.row()]]), index.column()))
        self.layoutChanged.emit()
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(COLUMNS) - 1)

    def _sorted(self) -> np.ndarray:
        result, (column, order) = self._result, self._sort
        if result is None:
            return np.empty(0, np.int64)
        if column == GROUP:
            labels = [label.casefold() for label in result.labels]
            ranked = np.array(sorted(range(len(labels)), key=labels.__getitem__), np.int64)
        else:
            ranked = np.argsort(getattr(result, COLUMNS[column][1]), kind="stable")
        return ranked if order == Qt.SortOrder.AscendingOrder else ranked[::-1]
