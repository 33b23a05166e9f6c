"""Rows of an answer as a table: numbers to the right, sorted as the user likes, nothing for null."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QFont

from hlprof_core.progress import Progress
from hlprof_gui.viewmodels.short_texts import IN_BLOCK, IN_LINE, beginning_of
from hlprof_gui.viewmodels.work import AtOnce, Work

Index = QModelIndex | QPersistentModelIndex
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
AT_ONCE = 5_000
"""More rows are sorted by a job."""
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class RowsModel(QAbstractTableModel):
    """Keeps its own order: ``source_row`` tells which of the rows is shown where."""

    def __init__(self, mono: QFont, parent: QObject | None = None, *, work: Work | None = None, job: str = "rows.sort") -> None:
        super().__init__(parent)
        self._mono = mono
        self._work: Work = work or AtOnce()
        self._job = job
        self._columns: Sequence[str] = ()
        self._rows: Sequence[Sequence[Any]] = ()
        self._order: list[int] = []

    def show_rows(self, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """Replace everything."""
        self._work.cancel(self._job)
        self.beginResetModel()
        self._columns, self._rows, self._order = columns, rows, list(range(len(rows)))
        self.endResetModel()

    def update_rows(self, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """The same rows with other values: place, selection and order stay."""
        if tuple(columns) != tuple(self._columns) or len(rows) != len(self._rows):
            self.show_rows(columns, rows)
        elif rows:
            self._rows = rows
            self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(columns) - 1))

    @property
    def shown_rows(self) -> list[Sequence[Any]]:
        """The rows in the order they are shown."""
        return [self._rows[row] for row in self._order]

    def source_row(self, row: int) -> int:
        return self._order[row]

    def value(self, index: Index) -> Any:
        """What a cell holds, before it is written out."""
        return self._rows[self._order[index.row()]][index.column()]

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self._order):
            return None
        value = self.value(index)
        if role == Qt.ItemDataRole.DisplayRole:
            return shown(value)
        if role == Qt.ItemDataRole.ToolTipRole and isinstance(value, str) and len(value) > 40:
            return beginning_of(value, IN_BLOCK)
        if role == Qt.ItemDataRole.FontRole and is_number(value):
            return self._mono
        return RIGHT if role == Qt.ItemDataRole.TextAlignmentRole and is_number(value) else None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole and section < len(self._columns):
            return self._columns[section]
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.TextAlignmentRole and section < len(self._columns):
            first = next((row[section] for row in self._rows[:50] if row[section] is not None), "")
            return RIGHT if is_number(first) else LEFT
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """By a column; values of different kinds stay apart, nulls and what is no number come last. Many rows are sorted elsewhere."""
        self._work.cancel(self._job)
        if not 0 <= column < len(self._columns):
            return
        rows, descending = self._rows, order == Qt.SortOrder.DescendingOrder
        if len(rows) <= AT_ONCE:
            self._take(rows, _sorted(rows, column, descending))
        else:

            def work(_progress: Progress) -> list[int]:
                return _sorted(rows, column, descending)

            self._work.start(self._job, "Sorting", work, lambda found: self._take(rows, found))

    def _take(self, rows: Sequence[Sequence[Any]], order: list[int]) -> None:
        if rows is not self._rows:
            return
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        kept = [self._order[index.row()] for index in before]
        self._order = order
        wanted = set(kept)
        place = {row: at for at, row in enumerate(order) if row in wanted}
        after = [self.index(place[row], index.column()) for row, index in zip(kept, before, strict=True)]
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()


def _sorted(rows: Sequence[Sequence[Any]], column: int, descending: bool) -> list[int]:
    def key(row: int) -> tuple[str, Any]:
        value = rows[row][column]
        kind = "" if is_number(value) else type(value).__name__
        return kind, value if is_number(value) else str(value)

    def has_place(row: int) -> bool:
        value = rows[row][column]
        return value is not None and bool(value == value)  # what is no number is unlike itself

    known = [row for row in range(len(rows)) if has_place(row)]
    known.sort(key=key, reverse=descending)
    return known + [row for row in range(len(rows)) if not has_place(row)]


def is_number(value: Any) -> bool:
    return not isinstance(value, bool | str | bytes | list | dict | tuple) and value is not None and hasattr(value, "__float__")


def shown(value: Any) -> str:
    """A value as a cell of a table; text keeps to one line, and very long lists end early."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.6g}"
    if isinstance(value, list | tuple | bytes):
        return beginning_of(str(value[:IN_LINE]))  # written out anew each time it is drawn
    return str(value).replace("\n", " ")
