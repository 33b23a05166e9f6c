"""A table of data as all panels show it: whole rows, quiet lines, rows of one height."""

from __future__ import annotations

from PySide6.QtCore import QAbstractItemModel
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHeaderView, QTableView

from hlprof_gui.notify import safe
from hlprof_gui.widgets.own_keys import keep_moving_keys
from hlprof_gui.widgets.short_cells import ShortCells

ROW_HEIGHT = 24
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
