"""Dock: statistics of the chosen or visible time in groups, and how the durations of one group spread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Qt, QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QSplitter,
    QVBoxLayout,
    QWidget,
)  # fmt: skip

from hlprof_core.units import format_ns
from hlprof_gui.notify import safe
from hlprof_gui.qtmodels.statistics_model import COLUMNS, COUNT, GROUP, TOTAL, StatisticsModel
from hlprof_gui.viewmodels.sheets import about, time_text, trace_name
from hlprof_gui.viewmodels.short_texts import beginning_of, breakable
from hlprof_gui.viewmodels.statistics import GROUP_KEY, KEY, StatisticsViewModel, filter_of
from hlprof_gui.widgets.breaking_label import BreakingLabel
from hlprof_gui.widgets.context_menu import attach_menu
from hlprof_gui.widgets.data_table import DataTable
from hlprof_gui.widgets.histogram import Histogram
from hlprof_gui.widgets.own_keys import keep_moving_keys
from hlprof_gui.widgets.panel import PanelContext
from hlprof_gui.widgets.status_line import ElidedLabel
from hlprof_gui.widgets.table_export import TableExport
from hlprof_gui.widgets.work_bar import WorkBar

if TYPE_CHECKING:
    from hlprof_core.report.sheet import Sheet

PAUSE_MS = 60
"""While the view moves the table follows at this distance."""
WIDTH = 88
BY_LETTERS = 18


class StatisticsPanel(QWidget):
    """Table on the left, histogram of the chosen row on the right; a double click filters by the group."""

    def __init__(self, context: PanelContext) -> None:
        super().__init__()
        self.setObjectName("panelBody")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._context = context
        self.view_model = StatisticsViewModel(context.state, context.search, context.jobs)
        self.by = QComboBox()
        self.by.setEditable(True)
        self.by.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        for part in (self.by, self.by.lineEdit()):
            part.setAccessibleName("Group by")
            keep_moving_keys(part)
        self.by.setToolTip("A column, or args.KEY")
        self.by.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)  # keys may be long
        self.by.setMinimumContentsLength(BY_LETTERS)
        self.by.activated.connect(self._choose_by)
        self.by.lineEdit().editingFinished.connect(self._choose_by)
        self.only_matches = QCheckBox("Only what the filter found")
        self.only_matches.setChecked(True)
        self.only_matches.toggled.connect(safe(self.view_model.set_follows_filter))
        self.scope = ElidedLabel()
        self.scope.setProperty("dim", True)
        self.model = StatisticsModel(context.theme.mono_font, self)
        self.table = self._make_table()
        self.export = TableExport(context, self.table, "statistics", self._sheet)
        attach_menu(self.table, "statistics", context.menu, lambda i: {"filter_by": lambda: self._filter_by_group(i), **self.export.deeds})
        self.work = WorkBar(context.jobs, (KEY, GROUP_KEY, *self.export.keys), self._stopped)
        self.caption = BreakingLabel()
        self.caption.setTextFormat(Qt.TextFormat.PlainText)
        self.histogram = Histogram(context.theme, can_brush=True)
        self.histogram.brushed.connect(safe(self.view_model.brush))
        self.brush_text = QLabel()
        self.brush_text.setProperty("dim", True)
        self.brush_text.setWordWrap(True)
        self._arrange()
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self.refresh)
        state = context.state
        for signal in (state.window_changed, state.range_changed, state.matches_changed, state.trace_changed, context.search.changed):
            signal.connect(self._later)
        self.view_model.changed.connect(self._show)
        self.view_model.group_changed.connect(self._show_group)
        self.view_model.brush_changed.connect(self._show_brush)
        self._show()
        self._show_group()

    def _make_table(self) -> DataTable:
        table = DataTable(self.model, "Statistics")
        header = table.horizontalHeader()
        header.setMinimumSectionSize(60)
        table.let_fill(GROUP)
        for column in range(COUNT, len(COLUMNS)):
            table.setColumnWidth(column, WIDTH)
        header.setSortIndicator(TOTAL, Qt.SortOrder.DescendingOrder)
        table.setSortingEnabled(True)
        table.selectionModel().currentRowChanged.connect(self._row_chosen)
        table.doubleClicked.connect(self._filter_by_group)
        return table

    def _arrange(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(12, 6, 8, 6)
        head.setSpacing(8)
        by = QLabel("Group by")
        by.setBuddy(self.by)
        for widget in (by, self.by, self.only_matches):
            head.addWidget(widget)
        head.addWidget(self.scope, 1)
        head.addWidget(self.work)
        head.addWidget(self.export.copy_button)
        head.addWidget(self.export.button)
        closer = QWidget()
        column = QVBoxLayout(closer)
        column.setContentsMargins(12, 4, 12, 8)
        column.setSpacing(6)
        column.addWidget(self.caption)
        column.addWidget(self.histogram)
        column.addWidget(self.brush_text)
        column.addStretch(1)
        closer.setMinimumWidth(240)
        splitter = QSplitter()
        splitter.addWidget(self.table)
        splitter.addWidget(closer)
        splitter.setStretchFactor(0, 5)
        splitter.setStretchFactor(1, 2)
        splitter.setChildrenCollapsible(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(splitter, 1)

    # -- following the state ----------------------------------------------------------------------------------------

    @safe
    def _later(self, *_: object) -> None:
        if self.isVisible() and not self._pause.isActive():
            self._pause.start()

    @safe
    def refresh(self) -> None:
        """Follow what is chosen; a hidden panel costs nothing and catches up when it is shown."""
        if self.isVisible():
            self.view_model.refresh()
            self._show_scope()

    @safe
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    @safe
    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.view_model.brush(None)

    def _show_scope(self) -> None:
        model = self.view_model
        self.only_matches.setEnabled(self._context.state.is_matched)
        self.scope.setText(model.problem or model.scope + (" …" if model.is_pending else ""))

    @safe
    def _show(self) -> None:
        model = self.view_model
        self._show_scope()
        self.export.set_possible(model.result is not None and len(model.result) > 0)
        self.model.show_result(model.result)
        row = self.model.row_of(model.group)
        selection = self.table.selectionModel()
        selection.blockSignals(True)
        self.table.setCurrentIndex(self.model.index(row, 0) if row >= 0 else QModelIndex())
        selection.blockSignals(False)
        if not self.by.hasFocus() and not self.by.lineEdit().hasFocus():
            self._show_groupings()

    def _show_groupings(self) -> None:
        known = self.view_model.groupings
        if [self.by.itemText(i) for i in range(self.by.count())] != known:
            self.by.clear()
            self.by.addItems(known)
        if self.by.currentText() != self.view_model.by:
            self.by.setEditText(self.view_model.by)

    @safe
    def _show_group(self) -> None:
        model = self.view_model
        self.histogram.show_spread(model.spread)
        self.histogram.setVisible(model.spread is not None)
        self._show_brush()
        if model.group is None:
            self.caption.setText("Choose a row to see how its durations spread.")
        else:
            nothing = " has no slices here." if model.spread is None and model.result is not None and not model.is_pending else ""
            self.caption.setText(breakable(beginning_of(model.group)) + nothing)

    # -- what the user does -----------------------------------------------------------------------------------------

    @safe
    def _choose_by(self, *_: object) -> None:
        self.view_model.set_by(self.by.currentText().strip())

    @safe
    def _row_chosen(self, current: QModelIndex, _former: QModelIndex) -> None:
        if current.isValid():
            self.view_model.look_at(self.model.label_at(current.row()))

    @safe
    def _show_brush(self) -> None:
        model, highlighted = self.view_model, self._context.state.highlight
        self.histogram.show_brush(model.brushed)
        self.brush_text.setVisible(model.spread is not None or model.brushed is not None)
        if model.brushed is None or highlighted is None:
            self.brush_text.setText("Drag over the bars to see those slices on the timeline.")
        else:
            low, high = (format_ns(edge) for edge in model.brushed)
            one = len(highlighted) == 1
            what = f"1 slice from {low} to {high} stands" if one else f"{len(highlighted):,} slices from {low} to {high} stand"
            self.brush_text.setText(f"{what} out on the timeline.")

    @safe
    def _filter_by_group(self, index: QModelIndex) -> None:
        """Let the search field hold the group."""
        self._context.search.set_words(filter_of(self.view_model.by, self.model.label_at(index.row())))

    def _sheet(self) -> Sheet | None:
        """The table as it is sorted."""
        from hlprof_core.report.statistics_table import statistics_sheet

        trace, shown = self._context.state.trace, self.model.shown
        if trace is None or shown is None:
            return None
        model = self.view_model
        return statistics_sheet(*shown, about(trace_name(trace), time_text(trace, model.window), model.scope))

    def _stopped(self, key: str) -> None:
        if key == KEY:
            self.view_model.stop()
        elif key == GROUP_KEY:
            self.view_model.look_at(None)
