"""Dock: every counter in the chosen or visible time, the chosen ones as lines over it; a click shows a counter's row."""

from __future__ import annotations

from functools import partial
from math import isnan
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QModelIndex, QPersistentModelIndex, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QFont, QIcon, QPixmap, QShowEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QSplitter, QVBoxLayout, QWidget

from hlprof_core.levels.viewport import CounterLevels
from hlprof_core.progress import Progress
from hlprof_core.trace.model import Trace
from hlprof_core.trace.ranges import TimeRange
from hlprof_core.units import format_ns
from hlprof_gui.notify import safe
from hlprof_gui.qtmodels.rows_model import RowsModel
from hlprof_gui.state.view_state import Item
from hlprof_gui.timeline import colours
from hlprof_gui.timeline.counter_rows import CounterRows
from hlprof_gui.timeline.ticks import build_ruler
from hlprof_gui.viewmodels.counter_tracks import known_counters
from hlprof_gui.viewmodels.counters import CounterSummary, CounterTable, compact
from hlprof_gui.viewmodels.sheets import about, time_text, trace_name
from hlprof_gui.viewmodels.time_scale import scale_in_use, zero_ns
from hlprof_gui.widgets.context_menu import attach_menu
from hlprof_gui.widgets.data_table import DataTable
from hlprof_gui.widgets.line_plot import LinePlot, PlotLine
from hlprof_gui.widgets.panel import PanelContext
from hlprof_gui.widgets.table_export import TableExport
from hlprof_gui.widgets.work_bar import WorkBar

if TYPE_CHECKING:
    from hlprof_core.report.sheet import Kind, Sheet

JOB, VALUES, FEW = "counters", "counters.values", 400
"""So many counters are asked for their values at once, more in a working thread."""
COLUMNS = ("Counter", "Series", "At Pointer", "Least", "Mean", "Most", "Samples", "Process")
WIDTHS = (150, 110, 92, 82, 82, 82, 74, 110)
MOST_LINES = 12
"""So many counters are drawn at once."""
PAUSE_MS = 60
"""While the view moves the table follows at this distance."""
SWATCH = QSize(9, 9)
Index = QModelIndex | QPersistentModelIndex


class CounterModel(RowsModel):
    """Numbers in few letters, exact ones as tips; ``swatches`` are the colours of the lines by series."""

    def __init__(self, mono: QFont, parent: QWidget) -> None:
        super().__init__(mono, parent)
        self.swatches: dict[int, QColor] = {}

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.DecorationRole and index.isValid() and index.column() == 0:
            return swatch(self.swatches.get(self.source_row(index.row()), QColor(Qt.GlobalColor.transparent)))
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole) and index.isValid():
            value = self.value(index)
            if isinstance(value, float):
                return compact(value, 5) if role == Qt.ItemDataRole.DisplayRole else f"{value:,.12g}"
        return super().data(index, role)

    def show_swatches(self, swatches: dict[int, QColor]) -> None:
        """Colours of the lines that are drawn."""
        if swatches != self.swatches and self.rowCount():
            self.swatches = swatches
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, 0))


class CountersPanel(QWidget):
    """Works only while it can be seen."""

    def __init__(self, context: PanelContext) -> None:
        super().__init__()
        self.setObjectName("panelBody")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._context = context
        self._table: CounterTable | None = None
        self._levels: dict[int, CounterLevels] = {}
        self._wanted: tuple[int, ...] = ()
        """Series that are drawn, by their number in the trace."""
        self._former: frozenset[tuple[str, str, str]] = frozenset()
        """Names of those that were drawn of the trace before."""
        self.summary = QLabel()
        self.summary.setProperty("dim", True)
        self.own_scales = QCheckBox("A scale for each")
        self.own_scales.setToolTip("Draw each counter from its least to its most, so that counters of different size can be compared")
        self.own_scales.toggled.connect(self.refresh)
        head = QHBoxLayout()
        head.setContentsMargins(12, 6, 12, 4)
        head.setSpacing(12)
        head.addWidget(self.summary, 1)
        head.addWidget(self.own_scales)
        self.model = CounterModel(context.theme.mono_font, self)
        self.table = DataTable(self.model, "Counters", is_sortable=True)
        self.table.setSelectionMode(DataTable.SelectionMode.ExtendedSelection)
        self.table.setIconSize(SWATCH)
        self.table.clicked.connect(self._show_row)
        self.table.selectionModel().selectionChanged.connect(self._choose)
        self.export = TableExport(context, self.table, "counters", self._sheet)
        attach_menu(self.table, "counters", context.menu, lambda i: {"go_to": lambda: self._show_row(i), **self.export.deeds})
        self.work = WorkBar(context.jobs, (JOB, *self.export.keys), self._stopped)
        for widget in (self.work, self.export.copy_button, self.export.button):
            head.addWidget(widget)
        self.plot = LinePlot(context.theme, self._ticks)
        self._connect_plot()
        self.parts = QSplitter(Qt.Orientation.Horizontal)
        self.parts.setChildrenCollapsible(False)
        self.parts.addWidget(self.table)
        self.parts.addWidget(self.plot)
        self.parts.setStretchFactor(0, 1)
        self.parts.setStretchFactor(1, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(self.parts, 1)
        layout.addStretch()  # where the parts are when there is something to show
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self.refresh)
        state = context.state
        state.trace_changed.connect(self._forget)
        for signal in (state.window_changed, state.range_changed, state.hover_changed):
            signal.connect(self._later)
        context.theme.follow(self, self.refresh)
        self._forget()

    def _connect_plot(self) -> None:
        state = self._context.state
        self.plot.hovered.connect(safe(lambda time: state.set_hover(None, time)))
        self.plot.range_chosen.connect(safe(state.set_range))
        self.plot.zoomed.connect(safe(state.zoom))
        self.plot.panned.connect(safe(state.set_window))

    def _ticks(self, window: TimeRange, width: int) -> list[tuple[int, str]]:
        trace = self._context.state.trace
        if trace is None:
            return []
        state = self._context.state
        is_clock = scale_in_use(state) == "day"
        return list(build_ruler(window, zero_ns(state), width, is_clock=is_clock).ticks)

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
        if self._table is not None:
            names = self._table.names()
            self._former = frozenset(names[series] for series in self._wanted)
        self._table = None
        self._wanted, self._levels = (), {}
        self.model.show_rows(COLUMNS, ())
        self.plot.show_lines(())
        trace = self._context.state.trace
        has_any = trace is not None and bool(trace.series)
        self.parts.setVisible(has_any)
        self.own_scales.setVisible(has_any)
        self.export.set_possible(False)
        for button in (self.export.button, self.export.copy_button):
            button.setVisible(has_any)
        self.summary.setText("No trace is open." if trace is None else "" if trace.series else "The trace has no counters.")
        if self.isVisible():
            self._prepare()

    def _prepare(self) -> None:
        trace = self._context.state.trace
        if trace is not None and trace.series and self._table is None:
            self._context.jobs.start(JOB, "Preparing the counters", lambda p: _prepared(trace, p), self._take)
        else:
            self.refresh()

    def _take(self, table: CounterTable) -> None:
        trace = self._context.state.trace
        if trace is None or table.trace is not trace:
            return
        self._table = table
        self.export.set_possible(True)
        self._show_values(table, [(None,) * (len(COLUMNS) - 3)] * len(trace.series))
        for column, width in enumerate(WIDTHS):
            self.table.setColumnWidth(column, width)
        again = [series for series, names in enumerate(table.names()) if names in self._former] if self._former else []
        known = known_counters(trace)
        self.draw((again or known.ids(known.tracks[0]))[:MOST_LINES])

    # -- what is drawn ----------------------------------------------------------------------------------------------

    def draw(self, series: list[int]) -> None:
        """Choose these rows of ``trace.series``: their lines are drawn."""
        chosen = QItemSelection()
        for row in range(self.model.rowCount()):
            if self.model.source_row(row) in series:
                chosen.select(self.model.index(row, 0), self.model.index(row, len(COLUMNS) - 1))
        self.table.selectionModel().select(chosen, QItemSelectionModel.SelectionFlag.ClearAndSelect)

    @safe
    def _choose(self, *_: object) -> None:
        rows = (self.model.source_row(index.row()) for index in self.table.selectionModel().selectedRows())
        self._wanted = tuple(sorted(rows)[:MOST_LINES])
        self.refresh()

    def _lines(self, trace: Trace, table: CounterTable) -> tuple[PlotLine, ...]:
        """Lines in the colours of the timeline; a second one of the same colour takes one that is free."""
        palette = self._context.theme.palette
        rows, known = CounterRows(trace, palette), known_counters(trace)
        free = colours.line_colours(palette)
        lines = []
        for series in self._wanted:
            track = trace.series[series].track
            color = rows.colour(track, known.ids(track).index(series))
            color = color if color in free else free[0]
            free.remove(color)
            lines.append(self._line(trace, table, series, QColor.fromRgb(color)))
        return tuple(lines)

    def _line(self, trace: Trace, table: CounterTable, series: int, color: QColor) -> PlotLine:
        first, last = (int(x) for x in trace.counters.offsets[series : series + 2])
        if series not in self._levels:
            self._levels[series] = CounterLevels(trace.counters.time_ns[first:last], trace.counters.value[first:last])
        levels = self._levels[series]
        name, part, _ = table.names()[series]
        title = name if part in ("", "value", name) else f"{name} · {part}"
        return PlotLine(
            title,
            color,
            lambda window, width: levels.columns(0, last - first, window, width),
            lambda time: table.value_at(series, time),
        )

    @safe
    def refresh(self, *_: object) -> None:
        """Follow time, pointer and choice; the values of very many counters come a moment later."""
        state, table = self._context.state, self._table
        if table is None or not self.isVisible():
            return
        window, cursor = state.range or state.window, state.cursor_ns
        if len(table.trace.series) <= FEW:
            self._take_values(table, table.summary(window, cursor))
        else:
            take = partial(self._take_values, table)
            self._context.jobs.start(VALUES, "Values of the counters", lambda _: table.summary(window, cursor), take)
        what = "Chosen" if state.range is not None else "Visible"
        self.summary.setText(f"{what} time: {format_ns(window.length_ns)}. Means are over time: a value holds until the next sample.")
        plot = self.plot
        plot.window_shown, plot.chosen, plot.cursor_ns = state.window, state.range, state.cursor_ns
        plot.own_scales = self.own_scales.isChecked()
        plot.show_lines(self._lines(table.trace, table))
        self.model.show_swatches({series: line.color for series, line in zip(self._wanted, plot.lines, strict=True)})

    def _take_values(self, table: CounterTable, told: CounterSummary) -> None:
        if table is self._table:
            values = (told.last, told.least, told.mean, told.most)
            columns = (*([None if isnan(v) else v for v in column.tolist()] for column in values), told.samples.tolist())
            self._show_values(table, list(zip(*columns, strict=True)))

    def _show_values(self, table: CounterTable, values: list[tuple[float | None, ...]]) -> None:
        rows = [(name, part, *numbers, process) for (name, part, process), numbers in zip(table.names(), values, strict=True)]
        self.model.update_rows(COLUMNS, rows)

    def _sheet(self) -> Sheet | None:
        """The table as it is sorted, with whole numbers and fractions as they are."""
        from hlprof_core.report.sheet import Sheet, SheetColumn

        state, rows = self._context.state, self.model.shown_rows
        if state.trace is None:
            return None
        kinds: tuple[Kind, ...] = ("text", "text", "any", "any", "any", "any", "number", "text")
        named = zip(COLUMNS, kinds, strict=True)
        columns = tuple(SheetColumn(title.lower().replace(" ", "_"), title, kind) for title, kind in named)
        said = about(trace_name(state.trace), time_text(state.trace, state.range or state.window), "means over time")
        return Sheet("Counters", said, columns, lambda _: rows, len(rows))

    def _stopped(self, key: str) -> None:
        if key == JOB:
            self.summary.setText("Stopped. The counters are prepared again when the panel is shown again.")

    @safe
    def _show_row(self, index: QModelIndex) -> None:
        trace = self._context.state.trace
        if trace is not None:
            track = trace.series[self.model.source_row(index.row())].track
            self._context.state.select(Item("track", track), reveal=True)


def swatch(color: QColor) -> QIcon:
    """A small square of a colour, the same in a chosen row."""
    pixmap = QPixmap(SWATCH)
    pixmap.fill(color)
    icon = QIcon(pixmap)
    icon.addPixmap(pixmap, QIcon.Mode.Selected)
    return icon


def _prepared(trace: Trace, progress: Progress) -> CounterTable:
    progress.report("counters", 0, 0)
    return CounterTable(trace)
