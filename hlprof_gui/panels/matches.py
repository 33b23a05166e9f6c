"""Dock: all hits of the search as a list; a click jumps there."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHeaderView, QLabel, QTableView, QVBoxLayout, QWidget

from hlprof_gui.notify import safe
from hlprof_gui.qtmodels.matches_model import START, MatchesModel
from hlprof_gui.widgets.panel import PanelContext

WIDTHS = (420, 220, 150, 130)


class MatchesPanel(QWidget):
    """Count on top, table below."""

    def __init__(self, context: PanelContext) -> None:
        super().__init__()
        self.setObjectName("panelBody")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._context = context
        self.summary = QLabel()
        self.summary.setProperty("dim", True)
        self.summary.setContentsMargins(12, 6, 12, 4)
        self.model = MatchesModel(context.state, context.theme.mono_font, self)
        self.table = QTableView()
        self.table.setModel(self.model)
        self.table.setAccessibleName("Search results")
        self.table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        self.table.setAlternatingRowColors(True)
        self.table.setShowGrid(False)
        self.table.setWordWrap(False)
        self.table.setTabKeyNavigation(False)
        self.table.setCornerButtonEnabled(False)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.table.verticalHeader().setDefaultSectionSize(24)
        header = self.table.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for column, width in enumerate(WIDTHS):
            self.table.setColumnWidth(column, width)
        header.setSortIndicator(START, Qt.SortOrder.AscendingOrder)
        self.table.setSortingEnabled(True)
        self.table.clicked.connect(self._jump)
        self.table.activated.connect(self._jump)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.summary)
        layout.addWidget(self.table, 1)
        context.search.changed.connect(self.refresh)

    @safe
    def refresh(self) -> None:
        """Follow the search; a hidden list costs nothing and catches up when it is shown."""
        if not self.isVisible():
            return
        search, state = self._context.search, self._context.state
        self.model.refresh()
        n = len(state.matches)
        if not search.words:
            self.summary.setText("Type in the search field (/) to list matching slices.")
        else:
            what = "names and arguments" if search.in_args else "names"
            more = " so far …" if search.is_streaming else ""
            self.summary.setText(f"{n:,} slice{'s' * (n != 1)} with “{search.words}” in {what}{more}")
        row = self.model.row_of(state.match_index) if state.match_index >= 0 else -1
        if row >= 0 and self.table.currentIndex().row() != row:
            self.table.setCurrentIndex(self.model.index(row, 0))

    @safe
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    @safe
    def _jump(self, index: QModelIndex) -> None:
        self._context.search.jump(self.model.match_index(index.row()))
