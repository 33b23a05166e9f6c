"""Search hits as a table: name, row, start, duration; sorted as the user likes, whatever their number."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QFont

from hlprof_core.progress import Progress
from hlprof_core.trace.model import Trace
from hlprof_core.units import format_ns, format_ns_exact
from hlprof_gui.state.view_state import ViewState
from hlprof_gui.viewmodels.match_list import SortKey, sort_matches
from hlprof_gui.viewmodels.status import track_text
from hlprof_gui.viewmodels.work import AtOnce, Work

Index = QModelIndex | QPersistentModelIndex
NAME, ROW, START, DURATION = range(4)
KEYS: dict[int, SortKey] = {NAME: "name", ROW: "track", START: "start", DURATION: "dur"}
NO_ROWS = np.empty(0, np.uint32)
JOB, AT_ONCE = "sort", 50_000
"""More rows are sorted by a job of this key."""
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class MatchesModel(QAbstractTableModel):
    """Table over ``state.matches``; keeps its own order, so that sorting does not move the user's place in time."""

    HEADERS = ("Name", "Row", "Start", "Duration")

    def __init__(self, state: ViewState, mono: QFont, parent: QObject | None = None, *, work: Work | None = None) -> None:
        super().__init__(parent)
        self._work: Work = work or AtOnce()
        self._state = state
        self._mono = mono
        self._matches = state.matches
        self._order: np.ndarray | None = None
        """Places in ``_matches``; None: as they are, or the other way round when sorted from the latest."""
        self._rows = NO_ROWS
        """Row of each place, while there is an order."""
        self._sort = (START, Qt.SortOrder.AscendingOrder)

    def refresh(self) -> None:
        """Take over the hits of the state."""
        if self._matches is self._state.matches:
            return
        self.beginResetModel()
        self._matches, self._order = self._state.matches, None
        self.endResetModel()
        self._arrange()

    def slice_at(self, row: int) -> int:
        """Slice of a table row."""
        return int(self._matches[self.match_index(row)])

    def match_index(self, row: int) -> int:
        """Position in ``state.matches`` of a table row."""
        if self._order is not None:
            return int(self._order[row])
        return len(self._matches) - 1 - row if self._sort == (START, Qt.SortOrder.DescendingOrder) else row

    def row_of(self, match_index: int) -> int:
        """Table row of a position in ``state.matches``, -1 for none."""
        if self._order is None:
            return self.match_index(match_index) if match_index < len(self._matches) else -1
        return int(self._rows[match_index]) if match_index < len(self._matches) else -1

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._matches)

    def columnCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.HEADERS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        trace = self._state.trace
        if not index.isValid() or trace is None or index.row() >= len(self._matches):
            return None
        column = index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            i = self.slice_at(index.row())
            if column == NAME:
                return trace.name(i)
            if column == ROW:
                return track_text(trace, trace.tracks[int(trace.slices.track[i])])
            if column == START:
                return format_ns(int(trace.slices.start_ns[i]) - trace.span.start_ns, digits=7)
            return format_ns(int(trace.slices.dur_ns[i]))
        if role == Qt.ItemDataRole.ToolTipRole and column >= START:
            i = self.slice_at(index.row())
            ns = int(trace.slices.dur_ns[i]) if column == DURATION else int(trace.slices.start_ns[i]) - trace.span.start_ns
            return format_ns_exact(ns)
        if role == Qt.ItemDataRole.TextAlignmentRole and column >= START:
            return RIGHT
        if role == Qt.ItemDataRole.FontRole and column >= START:
            return self._mono
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal:
            if role == Qt.ItemDataRole.DisplayRole:
                column, order = self._sort
                arrow = "  ▴" if order == Qt.SortOrder.AscendingOrder else "  ▾"
                return self.HEADERS[section] + (arrow if section == column else "")
            if role == Qt.ItemDataRole.TextAlignmentRole:
                return RIGHT if section >= START else Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._sort = (column, order)
        self._take(self._matches, None)
        self._arrange()
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self.HEADERS) - 1)

    def _arrange(self) -> None:
        """Sort by the chosen column; many rows are sorted elsewhere and stay by start until then."""
        trace, matches, (column, order) = self._state.trace, self._matches, self._sort
        self._work.cancel(JOB)
        if trace is None or column == START or not len(matches):
            return
        descending = order == Qt.SortOrder.DescendingOrder
        if len(matches) <= AT_ONCE:
            self._take(matches, _sorted(trace, matches, KEYS[column], descending))
        else:

            def work(_progress: Progress) -> tuple[np.ndarray, np.ndarray]:
                return _sorted(trace, matches, KEYS[column], descending)

            self._work.start(JOB, "Sorting", work, lambda found: self._take(matches, found))

    def _take(self, matches: np.ndarray, found: tuple[np.ndarray, np.ndarray] | None) -> None:
        if matches is self._matches:
            self.layoutAboutToBeChanged.emit()
            self._order, self._rows = found if found is not None else (None, NO_ROWS)
            self.layoutChanged.emit()

    def shown_slices(self) -> np.ndarray:
        """The slices in the order they are listed."""
        if self._order is not None:
            return self._matches[self._order]
        return self._matches[::-1] if self._sort == (START, Qt.SortOrder.DescendingOrder) else self._matches


def _sorted(trace: Trace, matches: np.ndarray, key: SortKey, descending: bool) -> tuple[np.ndarray, np.ndarray]:
    """The places in their order, and the row of each place."""
    order = sort_matches(trace, matches, key, descending=descending)
    rows = np.empty(len(order), np.uint32)
    rows[order] = np.arange(len(order), dtype=np.uint32)
    return order, rows
