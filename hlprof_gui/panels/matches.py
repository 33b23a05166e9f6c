"""Dock: all hits of the search as a list; a click jumps there."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QHeaderView, QLabel, QPushButton, QVBoxLayout, QWidget

from hlprof_core import services
from hlprof_core.progress import Progress
from hlprof_gui.notify import safe
from hlprof_gui.qtmodels.matches_model import START, MatchesModel
from hlprof_gui.widgets.data_table import DataTable
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
        self.summary.setTextFormat(Qt.TextFormat.PlainText)
        self.export = QPushButton("Export…")
        self.export.setToolTip("Write the list as CSV, in the order shown")
        self.export.clicked.connect(self._export)
        self.model = MatchesModel(context.state, context.theme.mono_font, self, work=context.jobs)
        self.table = DataTable(self.model, "Search results")
        header = self.table.horizontalHeader()
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
        head = QHBoxLayout()
        head.setContentsMargins(0, 4, 8, 4)
        head.addWidget(self.summary, 1)
        head.addWidget(self.export)
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
        self.export.setEnabled(len(state.matches) > 0)
        row = self.model.row_of(state.match_index) if state.match_index >= 0 else -1
        if row >= 0 and self.table.currentIndex().row() != row:
            self.table.setCurrentIndex(self.model.index(row, 0))

    @safe
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    @safe
    def _export(self, *_: object) -> None:
        context, trace = self._context, self._context.state.trace
        if trace is None:
            return
        stem = trace.origin.path.stem if trace.origin.path else "slices"
        proposal = context.settings.folder / f"{stem}-matches.csv"
        name, _filter = QFileDialog.getSaveFileName(self, "Export Matches", str(proposal), "CSV (*.csv)")
        if name:
            self.export_to(Path(name if name.lower().endswith(".csv") else f"{name}.csv"))

    def export_to(self, target: Path) -> None:
        """Write the list as it is shown."""
        context, trace, ids = self._context, self._context.state.trace, self.model.shown_slices()
        assert trace is not None

        def work(progress: Progress) -> None:
            services.export_slices(trace, ids, target, progress)

        context.jobs.start("matches.export", "Exporting", work, lambda _: context.notifier.post(f"Saved {target}."))

    @safe
    def _jump(self, index: QModelIndex) -> None:
        self._context.search.jump(self.model.match_index(index.row()))
