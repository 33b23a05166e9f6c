"""A table of data as all panels show it: whole rows, quiet lines, rows of one height."""

from __future__ import annotations

from PySide6.QtCore import QAbstractItemModel
from PySide6.QtWidgets import QHeaderView, QTableView

from hlprof_gui.widgets.own_keys import keep_moving_keys
from hlprof_gui.widgets.short_cells import ShortCells

ROW_HEIGHT = 24


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
        keep_moving_keys(self)
