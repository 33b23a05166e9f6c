"""A table of data as all panels show it: whole rows, quiet lines, rows of one height."""

from __future__ import annotations

from PySide6.QtCore import QAbstractItemModel, Qt
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QTableView

from hlprof_gui.notify import safe
from hlprof_gui.viewmodels.short_texts import beginning_of
from hlprof_gui.widgets.own_keys import keep_moving_keys
from hlprof_gui.widgets.short_cells import ShortCells

ROW_HEIGHT = 24
ROWS_MEASURED, COLUMNS_MEASURED, LETTERS_MEASURED = 40, 24, 60
"""So much of a table decides how wide its columns are at first; further columns have the usual width."""
ROOM, WIDEST_FITTED = 26, 420
"""Pixels beside the text of a cell and its title, and the most that a column gets by itself."""
LEAST_FILLED = 160
"""Width that a column of names has at least, pixels; a narrower table scrolls."""


class DataTable(QTableView):
    """``name`` is what screen readers call it."""

    def __init__(self, model: QAbstractItemModel, name: str, *, is_sortable: bool = False) -> None:
        super().__init__()
        self.setModel(model)
        self.setItemDelegate(ShortCells(self))
        self.setAccessibleName(name)
        self.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        self.setAlternatingRowColors(True)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        self.horizontalHeader().setHighlightSections(False)
        self.setSortingEnabled(is_sortable)
        self._filling: int | None = None
        keep_moving_keys(self)

    def let_fill(self, column: int) -> None:
        """Let a column of names take what room the others leave, but never so little that nothing can be read of it."""
        self._filling = column
        self._fill()

    def fit_columns(self) -> None:
        """Give the first columns the width of their titles and first cells: Qt would measure thousands of cells for it."""
        header, model, metrics = self.horizontalHeader(), self.model(), self.fontMetrics()
        rows = range(min(model.rowCount(), ROWS_MEASURED))
        for column in range(min(header.count(), COLUMNS_MEASURED)):
            title = str(model.headerData(column, Qt.Orientation.Horizontal) or "")
            texts = (beginning_of(str(model.index(row, column).data() or ""), LETTERS_MEASURED) for row in rows)
            font = model.index(0, column).data(Qt.ItemDataRole.FontRole) if rows else None
            width = max((QFontMetrics(font) if font is not None else metrics).horizontalAdvance(text) for text in (title, *texts))
            self.setColumnWidth(column, min(max(width, header.fontMetrics().horizontalAdvance(title)) + ROOM, WIDEST_FITTED))

    def _fill(self) -> None:
        if self._filling is None:
            return
        header = self.horizontalHeader()
        others = sum(header.sectionSize(column) for column in range(header.count()) if column != self._filling)
        if self.viewport().width() - others >= LEAST_FILLED:
            header.setSectionResizeMode(self._filling, QHeaderView.ResizeMode.Stretch)
        else:
            header.setSectionResizeMode(self._filling, QHeaderView.ResizeMode.Interactive)
            header.resizeSection(self._filling, LEAST_FILLED)

    @safe
    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fill()
        super().resizeEvent(event)
