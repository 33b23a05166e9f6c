"""Dock: every counter in the chosen or visible time, and its value under the pointer; a click shows its row."""

from __future__ import annotations

from math import isnan

from PySide6.QtCore import QModelIndex, Qt, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from hlprof_core.progress import Progress
from hlprof_core.trace.model import Trace
from hlprof_core.units import format_ns
from hlprof_gui.notify import safe
from hlprof_gui.qtmodels.rows_model import RowsModel
from hlprof_gui.state.view_state import Item
from hlprof_gui.viewmodels.counters import CounterTable
from hlprof_gui.widgets.data_table import DataTable
from hlprof_gui.widgets.panel import PanelContext

COLUMNS = ("Counter", "Series", "Process", "Samples", "Least", "Mean", "Most", "At Pointer")
WIDTHS = (240, 140, 180, 80, 110, 110, 110, 110)
PAUSE_MS = 60
"""While the view moves the table follows at this distance."""


class CountersPanel(QWidget):
    """Works only while it can be seen."""

    def __init__(self, context: PanelContext) -> None:
        super().__init__()
        self.setObjectName("panelBody")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._context = context
        self._table: CounterTable | None = None
        self.summary = QLabel()
        self.summary.setProperty("dim", True)
        self.summary.setContentsMargins(12, 6, 12, 4)
        self.model = RowsModel(context.theme.mono_font, self)
        self.table = DataTable(self.model, "Counters", is_sortable=True)
        self.table.clicked.connect(self._show_row)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.summary)
        layout.addWidget(self.table, 1)
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self.refresh)
        state = context.state
        state.trace_changed.connect(self._forget)
        for signal in (state.window_changed, state.range_changed, state.hover_changed):
            signal.connect(self._later)
        self._forget()

    @safe
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._prepare()

    @safe
    def _later(self) -> None:
        if self.isVisible() and not self._pause.isActive():
            self._pause.start()

    @safe
    def _forget(self) -> None:
        self._table = None
        self.model.show_rows(COLUMNS, ())
        trace = self._context.state.trace
        self.table.setVisible(trace is not None and bool(trace.series))
        self.summary.setText("No trace is open." if trace is None else "" if trace.series else "The trace has no counters.")
        if self.isVisible():
            self._prepare()

    def _prepare(self) -> None:
        trace = self._context.state.trace
        if trace is not None and trace.series and self._table is None:
            self._context.jobs.start("counters", "Preparing the counters", lambda p: _prepared(trace, p), self._take)
        else:
            self.refresh()

    def _take(self, table: CounterTable) -> None:
        if table.trace is self._context.state.trace:
            self._table = table
            self.refresh()
            for column, width in enumerate(WIDTHS):
                self.table.setColumnWidth(column, width)

    @safe
    def refresh(self) -> None:
        """Follow time and pointer."""
        state = self._context.state
        if self._table is None or not self.isVisible():
            return
        window = state.range or state.window
        told = self._table.summary(window, state.cursor_ns)
        values = (told.least, told.mean, told.most, told.last)
        columns = (told.samples.tolist(), *([None if isnan(v) else v for v in column.tolist()] for column in values))
        rows = [(*names, *numbers) for names, numbers in zip(self._table.names(), zip(*columns, strict=True), strict=True)]
        self.model.update_rows(COLUMNS, rows)
        what = "Chosen" if state.range is not None else "Visible"
        mean = "The mean is over time: a counter keeps its value until the next sample."
        self.summary.setText(f"{what} time: {format_ns(window.length_ns)}. {mean}")

    @safe
    def _show_row(self, index: QModelIndex) -> None:
        trace = self._context.state.trace
        if trace is not None:
            track = trace.series[self.model.source_row(index.row())].track
            self._context.state.select(Item("track", track), reveal=True)


def _prepared(trace: Trace, progress: Progress) -> CounterTable:
    progress.report("counters", 0, 0)
    return CounterTable(trace)
