"""Dock: flags and notes on the timeline; a click jumps there, a double click or F2 edits the text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from hlprof_core.trace.ranges import TimeRange
from hlprof_gui.commands.command import Deeds
from hlprof_gui.notify import safe
from hlprof_gui.qtmodels.notes_model import TEXT, NotesModel
from hlprof_gui.state.view_state import Mark
from hlprof_gui.viewmodels.sheets import about, trace_name
from hlprof_gui.widgets.context_menu import attach_menu
from hlprof_gui.widgets.data_table import DataTable
from hlprof_gui.widgets.panel import PanelContext
from hlprof_gui.widgets.table_export import TableExport

if TYPE_CHECKING:
    from hlprof_core.report.sheet import Sheet

HELP = "Ctrl+M notes the chosen time or slice; Shift+M sets a flag at the pointer. Ctrl+S keeps them beside the trace."


class NotesPanel(QWidget):
    """The table, and a line that says how notes are made while there are none."""

    def __init__(self, context: PanelContext) -> None:
        super().__init__()
        self.setObjectName("panelBody")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._context = context
        self.summary = QLabel(HELP)
        self.summary.setProperty("dim", True)
        self.summary.setWordWrap(True)
        self.summary.setContentsMargins(12, 8, 12, 6)
        self.model = NotesModel(context.state, context.theme.mono_font, self)
        self.table = DataTable(self.model, "Notes")
        self.table.setSelectionMode(DataTable.SelectionMode.ExtendedSelection)
        self.table.setEditTriggers(DataTable.EditTrigger.DoubleClicked | DataTable.EditTrigger.EditKeyPressed)
        self.table.setColumnWidth(0, 160)
        self.table.setColumnWidth(1, 110)
        self.table.let_fill(TEXT)
        self.table.clicked.connect(self._jump)
        delete = QShortcut(QKeySequence(QKeySequence.StandardKey.Delete), self.table, context=Qt.ShortcutContext.WidgetShortcut)
        delete.activated.connect(self._remove)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        self.export = TableExport(context, self.table, "notes", self._sheet)
        attach_menu(self.table, "notes", context.menu, self._deeds)
        head = QHBoxLayout()
        head.setContentsMargins(0, 4, 8, 4)
        head.setSpacing(8)
        head.addWidget(self.summary, 1)
        head.addWidget(self.export.copy_button)
        head.addWidget(self.export.button)
        layout.addLayout(head)
        layout.addWidget(self.table, 1)
        layout.addStretch()  # where the table is when there is one
        context.state.gathering.connect(self._gather)
        for signal in (context.state.marks_changed, context.state.trace_changed):
            signal.connect(self.refresh)
        self.refresh()

    @safe
    def refresh(self) -> None:
        if self.model.is_behind:
            self._gather()  # a table of other notes closes the field in which one is being written
        self.model.refresh()
        self.table.setVisible(self.model.rowCount() > 0)
        self.export.set_possible(self.model.rowCount() > 0)

    def _gather(self) -> None:
        """Take over what stands in the field in which a note is being written."""
        field = self.table.indexWidget(self.table.currentIndex())
        if field is not None:
            self.table.commitData(field)

    def _sheet(self) -> Sheet | None:
        from hlprof_core.report.sheet import Sheet, SheetColumn

        state = self._context.state
        if state.trace is None:
            return None
        columns = (SheetColumn("start_ns", "Start", "time"), SheetColumn("length_ns", "Length", "ns"), SheetColumn("note", "Note"))
        rows = [(mark.time_ns, mark.length_ns, mark.label) for mark in state.marks]
        return Sheet("Notes", about(trace_name(state.trace)), columns, lambda _: rows, len(rows), state.trace.span.start_ns)

    def edit(self, mark: Mark) -> None:
        """Put the cursor into the text of a note."""
        self.refresh()
        row = next((row for row in range(self.model.rowCount()) if self.model.mark(row) == mark), None)
        if row is not None:
            index = self.model.index(row, TEXT)
            self.table.setFocus()
            self.table.setCurrentIndex(index)
            if self.table.indexWidget(index) is None:  # else it is being written already
                self.table.edit(index)

    @safe
    def _jump(self, index: QModelIndex) -> None:
        """Bring the note into sight, with its surroundings when it covers some time."""
        state, mark = self._context.state, self.model.mark(index.row())
        if mark.length_ns:
            margin = mark.length_ns // 4
            state.set_window(TimeRange(mark.time_ns - margin, mark.range.end_ns + margin))
        elif not state.window.start_ns <= mark.time_ns < state.window.end_ns:
            half = state.window.length_ns // 2
            state.set_window(TimeRange(mark.time_ns - half, mark.time_ns + half))

    def _deeds(self, index: QModelIndex) -> Deeds:
        own = {"go_to": lambda: self._jump(index), "edit_row": lambda: self.edit(self.model.mark(index.row())), "remove_row": self._remove}
        return {**own, **self.export.deeds}

    @safe
    def _remove(self) -> None:
        self.model.remove({index.row() for index in self.table.selectionModel().selectedRows()})
