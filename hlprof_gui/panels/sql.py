"""Dock: questions in SQL over the open trace; rows that name slices lead to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QModelIndex, Qt, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QSplitter, QVBoxLayout, QWidget

from hlprof_core import services
from hlprof_core.errors import HlprofError
from hlprof_core.progress import Progress
from hlprof_core.trace.table import I8
from hlprof_gui.commands.command import Deeds
from hlprof_gui.notify import safe
from hlprof_gui.qtmodels.rows_model import RowsModel
from hlprof_gui.state.view_state import Item
from hlprof_gui.viewmodels.sheets import about, trace_name
from hlprof_gui.viewmodels.sql import FIRST_QUESTION, QuestionHistory, SqlAnswer, answer_question, error_place
from hlprof_gui.widgets.context_menu import attach_menu
from hlprof_gui.widgets.data_table import DataTable
from hlprof_gui.widgets.panel import PanelContext
from hlprof_gui.widgets.sql_editor import SqlEditor
from hlprof_gui.widgets.table_export import Save, TableExport
from hlprof_gui.widgets.work_bar import WorkBar

if TYPE_CHECKING:
    from hlprof_core.report.sheet import Sheet

TIME_LIMIT_S = 60
JOB, SORT, MARK = "sql", "sql.sort", "sql.mark"


class SqlPanel(QWidget):
    """Question on the left, answer on the right. One question at a time; a new one replaces the one that runs."""

    def __init__(self, context: PanelContext) -> None:
        super().__init__()
        self.setObjectName("panelBody")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._context = context
        self._answer: SqlAnswer | None = None
        self._asked = ""
        """The question that the line above the table tells about."""
        self._tables: tuple[str, ...] = ()
        self._history = QuestionHistory(context.settings.sql_questions, context.settings.set_sql_questions)
        self.editor = SqlEditor(context.theme)
        self.editor.setPlainText(self._history.step(-1, FIRST_QUESTION))
        self.editor.run_wanted.connect(self.ask)
        self.editor.history_wanted.connect(self._show_former)
        self.run_button = QPushButton("Ask")
        self.run_button.setToolTip("Ask (Ctrl+Enter)")
        self.run_button.clicked.connect(self.ask)
        self.mark_button = QPushButton("Mark on Timeline")
        self.mark_button.setToolTip("Highlight the slices of the answer as search results")
        self.mark_button.clicked.connect(self._mark)
        self.summary = QLabel()
        self.summary.setProperty("dim", True)
        self.summary.setWordWrap(True)
        self.summary.setTextFormat(Qt.TextFormat.PlainText)
        self.summary.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.model = RowsModel(context.theme.mono_font, self, work=context.jobs, job=SORT)
        self.table = DataTable(self.model, "Answer", is_sortable=True)
        self.table.clicked.connect(self._jump)
        self.table.activated.connect(self._jump)
        self.plan = QPlainTextEdit(readOnly=True, lineWrapMode=QPlainTextEdit.LineWrapMode.NoWrap)
        self.plan.setFont(context.theme.mono_font)
        self.plan.setAccessibleName("Plan of the question")
        self.plan.hide()
        more = (("json", "JSON"), ("parquet", "Parquet"))
        self.export = TableExport(context, self.table, "answer", self._sheet, more_kinds=more, save=self._save)
        attach_menu(self.table, "sql", context.menu, self._deeds)
        self.work = WorkBar(context.jobs, (JOB, SORT, MARK, *self.export.keys), lambda key: self.stop() if key == JOB else None)
        self._limit = QTimer(self, singleShot=True, interval=TIME_LIMIT_S * 1000)
        self._limit.timeout.connect(self._stop_late)
        self._arrange()
        context.state.trace_changed.connect(self._forget)
        self._forget()

    def _arrange(self) -> None:
        question = QWidget()
        column = QVBoxLayout(question)
        column.setContentsMargins(8, 8, 4, 8)
        column.setSpacing(6)
        column.addWidget(self.editor, 1)
        row = QHBoxLayout()
        row.setSpacing(6)
        row.addWidget(self.run_button)
        row.addWidget(self.work)
        row.addStretch()
        for button in (self.mark_button, self.export.copy_button, self.export.button):
            row.addWidget(button)
        column.addLayout(row)
        answer = QWidget()
        column = QVBoxLayout(answer)
        column.setContentsMargins(4, 8, 0, 0)
        column.setSpacing(6)
        column.addWidget(self.summary)
        column.addWidget(self.table, 1)
        column.addWidget(self.plan, 1)
        splitter = QSplitter()
        splitter.addWidget(question)
        splitter.addWidget(answer)
        splitter.setStretchFactor(0, 2)
        splitter.setStretchFactor(1, 3)
        splitter.setChildrenCollapsible(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(splitter)

    @safe
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        # The names come from the database, which is loaded only when somebody wants to ask.
        self._context.jobs.start("sql.schema", "Reading the tables", _schema, self._take_schema)

    def _take_schema(self, tables: dict[str, tuple[str, ...]]) -> None:
        self._tables = tuple(tables)
        self.editor.set_schema(tables)
        if not self._asked:
            self._say_tables()

    def _say_tables(self) -> None:
        self._say(f"Tables: {', '.join(self._tables)}. Ctrl+Enter asks." if self._tables else "Ctrl+Enter asks.")

    # -- asking -----------------------------------------------------------------------------------------------------

    @safe
    def ask(self) -> None:
        """Ask what is written."""
        trace, sql = self._context.state.trace, self.editor.toPlainText()
        if trace is None or not sql.strip():
            return
        self._asked = sql
        self._history.add(sql)
        self.editor.clear_error()
        self.summary.setProperty("role", None)
        self._say("asking …")
        self._context.jobs.start_streaming(
            JOB, "Asking", lambda progress, part: answer_question(trace, sql, progress, part), self._show, self._show, self._fail
        )
        self._limit.start()
        self._refresh_buttons()

    @safe
    def stop(self) -> None:
        """Give up the question that runs."""
        self._end("stopped")

    @safe
    def _stop_late(self) -> None:
        self._end(f"stopped after {TIME_LIMIT_S} s; ask for less")

    def _end(self, text: str) -> None:
        self._limit.stop()
        self._context.jobs.cancel(JOB)
        self._say(f"{text}{self._rest}")
        self._refresh_buttons()

    @property
    def _rest(self) -> str:
        """What the table shows when the question has no whole answer."""
        answer = self._answer
        if answer is None:
            return ""
        is_part = answer.is_part and answer.sql == self._asked
        return "; the first rows are shown" if is_part else "; the rows are of the question before" if answer.rows else ""

    def _show(self, answer: SqlAnswer) -> None:
        """The whole answer, or its first rows while the others are read."""
        if not answer.is_part:
            self._limit.stop()
        former, self._answer = self._answer, answer
        is_rest = former is not None and former.is_part and former.sql == answer.sql
        self._show_plan(answer.plan)
        self.table.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.model.show_rows(answer.columns, answer.rows)
        if not is_rest:
            self.table.fit_columns()
        self._say(answer.summary)
        self._refresh_buttons()

    def _show_plan(self, plan: str | None) -> None:
        """Its drawing in the place of the table, which would squeeze it into a line."""
        self.plan.setPlainText(plan or "")
        self.plan.setVisible(plan is not None)
        self.table.setVisible(plan is None)

    def _fail(self, error: HlprofError) -> None:
        self._limit.stop()
        self._refresh_buttons()
        self.summary.setProperty("role", "error")
        self._say(f"{error.message} {error.hint}".strip().rstrip(".") + f"{self._rest}.")
        place = error_place(error.message)
        if place is not None:
            self.editor.show_error(*place)

    def _say(self, text: str) -> None:
        self.summary.setText(text)
        self.summary.style().unpolish(self.summary)
        self.summary.style().polish(self.summary)

    def _forget(self) -> None:
        """Another trace: what was asked of the former one says nothing about it."""
        self._limit.stop()
        for key in (JOB, MARK):
            self._context.jobs.cancel(key)
        self._answer, self._asked = None, ""
        self._show_plan(None)
        self.model.show_rows((), ())
        self.summary.setProperty("role", None)
        self._say_tables()
        self._refresh_buttons()

    def _refresh_buttons(self) -> None:
        self.run_button.setEnabled(self._context.state.trace is not None)
        self.export.set_possible(self._answer is not None and not self._answer.is_part)
        self.mark_button.setEnabled(self._answer is not None and self._answer.slice_ids is not None)

    @safe
    def _show_former(self, step: int) -> None:
        self.editor.setPlainText(self._history.step(step, self.editor.toPlainText()))

    # -- what to do with the answer ---------------------------------------------------------------------------------

    def _deeds(self, index: QModelIndex) -> Deeds:
        def zoom() -> None:
            self._jump(index)
            self._context.state.focus()

        has_slices = self._answer is not None and self._answer.slice_ids is not None
        own: Deeds = {"go_to": lambda: self._jump(index), "zoom_to": zoom, "mark_slices": self._mark} if has_slices else {}
        return {**own, **self.export.deeds}

    @safe
    def _jump(self, index: QModelIndex) -> None:
        answer = self._answer
        if answer is not None and answer.slice_ids is not None:
            chosen = int(answer.slice_ids[self.model.source_row(index.row())])
            self._context.state.select(Item("slice", chosen), reveal=True)

    @safe
    def _mark(self) -> None:
        trace = self._context.state.trace
        if trace is not None and self._answer is not None and (slice_ids := self._answer.slice_ids) is not None:

            def work(_progress: Progress) -> I8:
                ids = np.unique(slice_ids)
                return ids[np.argsort(trace.slices.start_ns[ids], kind="stable")].astype(np.int64)

            self._context.jobs.start(MARK, "Marking the slices", work, self._context.search.show_found)

    def _about(self, sql: str) -> str:
        trace = self._context.state.trace
        return about(trace_name(trace) if trace is not None else "", " ".join(sql.split()))

    def _sheet(self) -> Sheet | None:
        """The rows as they are sorted, for the clipboard."""
        from hlprof_core.report.sheet import answer_sheet

        answer, rows = self._answer, self.model.shown_rows
        return answer_sheet(answer.columns, rows, self._about(answer.sql), len(rows)) if answer is not None else None

    def _save(self) -> Save | None:
        """The whole answer is asked for once more: the table may hold only its first rows."""
        trace, answer = self._context.state.trace, self._answer
        if trace is None or answer is None:
            return None  # another trace came while a name was asked for
        said = self._about(answer.sql)
        return lambda target, progress: services.export_answer(trace, answer.sql, target, progress, about=said)


def _schema(_progress: Progress) -> dict[str, tuple[str, ...]]:
    from hlprof_core.analysis.database import schema

    return schema()
