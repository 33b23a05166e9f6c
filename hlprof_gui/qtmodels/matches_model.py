"""Search hits as a table: name, row, start, duration; sorted as the user likes, whatever their number."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QFont

from hlprof_core.trace.table import I8
from hlprof_core.units import format_ns, format_ns_exact
from hlprof_gui.state.view_state import ViewState
from hlprof_gui.viewmodels.status import track_text

Index = QModelIndex | QPersistentModelIndex
NAME, ROW, START, DURATION = range(4)
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class MatchesModel(QAbstractTableModel):
    """Table over ``state.matches``; keeps its own order, so that sorting does not move the user's place in time."""

    HEADERS = ("Name", "Row", "Start", "Duration")

    def __init__(self, state: ViewState, mono: QFont, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._mono = mono
        self._matches = state.matches
        self._order = np.arange(len(state.matches))
        self._sort = (START, Qt.SortOrder.AscendingOrder)

    def refresh(self) -> None:
        """Take over the hits of the state."""
        if self._matches is self._state.matches:
            return
        self.beginResetModel()
        self._matches = self._state.matches
        self._order = self._sorted()
        self.endResetModel()

    def match_index(self, row: int) -> int:
        """Position in ``state.matches`` of a table row."""
        return int(self._order[row])

    def row_of(self, match_index: int) -> int:
        """Table row of a position in ``state.matches``, -1 for none."""
        if self._sort == (START, Qt.SortOrder.AscendingOrder):
            return match_index if match_index < len(self._order) else -1
        found = np.flatnonzero(self._order == match_index)
        return int(found[0]) if len(found) else -1

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._matches)

    def columnCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.HEADERS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        trace = self._state.trace
        if not index.isValid() or trace is None or index.row() >= len(self._order):
            return None
        column = index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            i = int(self._matches[self._order[index.row()]])
            if column == NAME:
                return trace.name(i)
            if column == ROW:
                return track_text(trace, trace.tracks[int(trace.slices.track[i])])
            if column == START:
                return format_ns(int(trace.slices.start_ns[i]) - trace.span.start_ns, digits=7)
            return format_ns(int(trace.slices.dur_ns[i]))
        if role == Qt.ItemDataRole.ToolTipRole and column >= START:
            i = int(self._matches[self._order[index.row()]])
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
        self.layoutAboutToBeChanged.emit()
        self._order = self._sorted()
        self.layoutChanged.emit()
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self.HEADERS) - 1)

    def _sorted(self) -> I8:
        trace, (column, order) = self._state.trace, self._sort
        places = np.arange(len(self._matches))
        if trace is None or not len(places):
            return places
        slices = trace.slices
        if column == NAME:
            ids, inverse = np.unique(slices.name[self._matches], return_inverse=True)
            texts = [trace.strings[int(i)].casefold() for i in ids]
            rank = np.empty(len(ids), np.int64)
            rank[sorted(range(len(ids)), key=texts.__getitem__)] = np.arange(len(ids))
            keys = rank[inverse]
        elif column == DURATION:
            keys = slices.dur_ns[self._matches]
        elif column == ROW:
            keys = slices.track[self._matches]
        else:
            return places if order == Qt.SortOrder.AscendingOrder else places[::-1]
        ranked = np.argsort(keys, kind="stable")
        return ranked if order == Qt.SortOrder.AscendingOrder else ranked[::-1]
