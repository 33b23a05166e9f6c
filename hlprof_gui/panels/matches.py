"""Dock: all hits of the search as a list; a click jumps there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from hlprof_gui.commands.command import Deeds
from hlprof_gui.notify import safe
from hlprof_gui.qtmodels.matches_model import JOB, NAME, START, MatchesModel
from hlprof_gui.viewmodels.search import WORK_KEYS
from hlprof_gui.viewmodels.sheets import about, filter_text, time_text, trace_name
from hlprof_gui.widgets.context_menu import attach_menu
from hlprof_gui.widgets.data_table import DataTable
from hlprof_gui.widgets.panel import PanelContext
from hlprof_gui.widgets.status_line import ElidedLabel
from hlprof_gui.widgets.table_export import TableExport
from hlprof_gui.widgets.work_bar import WorkBar

if TYPE_CHECKING:
    from hlprof_core.report.sheet import Sheet

WIDTHS = (420, 220, 150, 130)


class MatchesPanel(QWidget):
    """Count on top, table below."""

    def __init__(self, context: PanelContext) -> None:
        super().__init__()
        self.setObjectName("panelBody")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._context = context
        self.summary = ElidedLabel()
        self.summary.setProperty("dim", True)
        self.summary.setContentsMargins(12, 6, 12, 4)
        self.model = MatchesModel(context.state, context.theme.mono_font, self, work=context.jobs)
        self.table = DataTable(self.model, "Search results")
        header = self.table.horizontalHeader()
        for column, width in enumerate(WIDTHS):
            self.table.setColumnWidth(column, width)
        self.table.let_fill(NAME)
        header.setSortIndicator(START, Qt.SortOrder.AscendingOrder)
        self.table.setSortingEnabled(True)
        self.table.clicked.connect(self._jump)
        self.table.activated.connect(self._jump)
        self.export = TableExport(context, self.table, "matches", self._sheet)
        attach_menu(self.table, "matches", context.menu, self._deeds)
        self.work = WorkBar(context.jobs, (*WORK_KEYS, JOB, *self.export.keys), self._stopped)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        head = QHBoxLayout()
        head.setContentsMargins(0, 4, 8, 4)
        head.setSpacing(8)
        head.addWidget(self.summary, 1)
        head.addWidget(self.work)
        head.addWidget(self.export.copy_button)
        head.addWidget(self.export.button)
        layout.addLayout(head)
        layout.addWidget(self.table, 1)
        context.search.changed.connect(self.refresh)

    @safe
    def refresh(self) -> None:
        """Follow the search; a hidden list costs nothing and catches up when it is shown."""
        if not self.isVisible():
            return
        search, state = self._context.search, self._context.state
        self.model.refresh()
        self.summary.setText(search.summary)
        self.export.set_possible(len(state.matches) > 0)
        row = self.model.row_of(state.match_index) if state.match_index >= 0 else -1
        if row >= 0 and self.table.currentIndex().row() != row:
            self.table.setCurrentIndex(self.model.index(row, 0))

    @safe
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def _sheet(self) -> Sheet | None:
        """The list as it is sorted."""
        from hlprof_core.report.slice_list import slice_sheet

        state = self._context.state
        if state.trace is None:
            return None
        said = about(trace_name(state.trace), time_text(state.trace, None), filter_text(state))
        return slice_sheet(state.trace, self.model.shown_slices(), "Search results", said)

    def _stopped(self, key: str) -> None:
        if key in WORK_KEYS:
            self._context.search.stop()

    def _deeds(self, index: QModelIndex) -> Deeds:
        def zoom() -> None:
            self._jump(index)
            self._context.state.focus()

        return {"go_to": lambda: self._jump(index), "zoom_to": zoom, **self.export.deeds}

    @safe
    def _jump(self, index: QModelIndex) -> None:
        self._context.search.jump(self.model.match_index(index.row()))
