"""Page: the commands for the shell, and a run from the window with its log and the files it leaves."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QSplitter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from hlprof_core.errors import HlprofError
from hlprof_gui.config_window.child_process import ChildProcess
from hlprof_gui.config_window.live_page import LivePage, dim_label, heading, while_alive
from hlprof_gui.config_window.page import PageContext
from hlprof_gui.config_window.run_form import RunForm
from hlprof_gui.notify import safe
from hlprof_gui.theme.theme import Theme
from hlprof_gui.viewmodels.run_plan import RunPlan, ShellLine
from hlprof_gui.viewmodels.run_state import RunState, WrittenFile
from hlprof_gui.widgets.status_line import ElidedLabel

LOG_LINES = 10_000
"""Lines that the log keeps at least; at twice as many the earlier half goes."""
EARLIER = "[earlier lines are not shown]"
TICK_MS = 100
FILE = Qt.ItemDataRole.UserRole


class RunPage(LivePage):
    """Commands, form, then log and files side by side."""

    trace_wanted = Signal(Path)
    """A trace that the run left is to be shown."""
    run_ended = Signal()

    def __init__(self, context: PageContext) -> None:
        super().__init__(context)
        self.plan = RunPlan(context.model)
        self.state = RunState()
        self.child = ChildProcess(self)
        self.child.printed.connect(self._take_output)
        self.child.ended.connect(self._end)
        self.child.failed.connect(self._fail)
        self._scratch: tempfile.TemporaryDirectory[str] | None = None
        self._ticks = QTimer(self, interval=TICK_MS)
        self._ticks.timeout.connect(self._tick)
        self.lines = ShellLines(context)
        self.form = RunForm(context, self.plan)
        self.log = LogView(context.theme)
        self.files = FileList(context)
        self.files.open_wanted.connect(self.trace_wanted)
        self.trace_wanted.connect(safe(context.open_trace))
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        split.setHandleWidth(12)
        split.addWidget(self.log)
        split.addWidget(self.files)
        split.setStretchFactor(0, 5)
        split.setStretchFactor(1, 3)
        split.setMinimumHeight(130)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self.lines)
        layout.addSpacing(4)
        layout.addWidget(self.form)
        layout.addLayout(self._make_bar())
        layout.addWidget(split, 1)
        while_alive(self, self.plan.changed, self._follow)
        self.refresh()

    def _make_bar(self) -> QHBoxLayout:
        theme = self.context.theme
        self.run_button = QPushButton("Run")
        self.run_button.setProperty("primary", True)
        self.run_button.setProperty("compact", True)
        self.run_button.setFont(theme.bold_font)
        self.run_button.clicked.connect(safe(lambda *_: self.run()))
        self.stop_button = QPushButton("Stop")
        self.stop_button.clicked.connect(safe(lambda *_: self.stop()))
        self.status = dim_label()
        self.progress = QProgressBar()
        self.progress.setRange(0, 0)
        self.progress.setTextVisible(False)
        self.progress.setFixedWidth(120)
        self.progress.setAccessibleName("The program runs")
        self.status.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.run_button)
        row.addWidget(self.stop_button)
        row.addWidget(self.progress, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.status, 1)
        return row

    # -- the run ----------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Run the program under a copy of the document as it is now, saved or not."""
        if self.state.is_running or self.plan.problem:
            return
        self._scratch = tempfile.TemporaryDirectory(prefix="hlprof-run-")
        copy = Path(self._scratch.name) / "prof_config.json"
        try:
            self.context.model.config.save(copy, backup=False)
            self.state.start(self.plan.title, self.plan.folder, self.context.model.config)
        except HlprofError:
            self._leave()
            raise
        self.log.clear()
        self.files.show_files(())
        # Python programs would keep back what they print to a pipe.
        self.child.start(self.plan.recorded_words(copy), self.plan.folder, {"PYTHONUNBUFFERED": "1"})
        self._ticks.start()
        self.refresh()

    def stop(self) -> None:
        """Ask it to end; asked again, do not wait any longer."""
        if self.state.stage == "running":
            self.state.stop()
            self.child.stop()
        else:
            self.child.kill()
        self.refresh()

    def shut_down(self) -> None:
        """The window closes."""
        self.child.shut_down()
        self._leave()

    @safe
    def _take_output(self, data: bytes) -> None:
        self.state.log.feed(data)
        self.log.append(self.state.log.take(), self.state.log.tail)

    @safe
    def _end(self, code: int, killed_by: int) -> None:
        self.state.end(code, killed_by=killed_by)
        self.log.append(self.state.log.finish(), "")
        self.files.show_files(self.state.files)
        self._leave()
        self.refresh()
        self.run_ended.emit()

    @safe
    def _fail(self, reason: str) -> None:
        self.state.fail(reason)
        self._leave()
        self.refresh()
        self.run_ended.emit()

    def _leave(self) -> None:
        self._ticks.stop()
        if self._scratch is not None:
            self._scratch.cleanup()
            self._scratch = None

    @safe
    def _tick(self) -> None:
        self.status.setText(self.state.status)

    # -- showing ----------------------------------------------------------------------------------------------------

    @safe
    def refresh(self) -> None:
        problem, is_running = self.plan.problem, self.state.is_running
        self.lines.show_lines(self.plan.shell_lines() if not self.context.model.problems else (), self.plan.shell_note)
        self.form.refresh()
        self.form.setEnabled(not is_running)
        self.run_button.setEnabled(not is_running and not problem)
        self.run_button.setToolTip(problem or "Run it under these settings, saved or not")
        self.stop_button.setVisible(is_running)
        self.stop_button.setText("Stop" if self.state.stage == "running" else "Kill")
        self.progress.setVisible(is_running)
        says_problem = bool(problem) and not is_running
        text = problem if says_problem else self.state.status or self.plan.note
        if not is_running and not says_problem and self.state.status and self.plan.note:
            text = f"{self.state.status} {self.plan.note}"
        self.status.setText(text)
        role = "error" if says_problem or (not is_running and self.state.outcome == "bad") else ""
        if self.status.property("role") != role:
            self.status.setProperty("role", role)
            self.status.setProperty("dim", not role)
            self.status.style().unpolish(self.status)
            self.status.style().polish(self.status)
        self.fit_height()


class ShellLines(QFrame):
    """Each line with a button that copies it, and one that copies all."""

    def __init__(self, context: PageContext) -> None:
        super().__init__()
        self._theme = context.theme
        self._notifier = context.notifier
        self.fields: list[QLineEdit] = []
        self.buttons: list[QToolButton] = []
        self._labels: list[QLabel] = []
        self.copy_all = QPushButton("Copy all")
        self.copy_all.clicked.connect(safe(lambda *_: self._copy("\n".join(field.text() for field in self.fields), "The lines are")))
        self.note = ElidedLabel()
        self.note.setProperty("dim", True)
        head = QHBoxLayout()
        head.setSpacing(12)
        head.addWidget(heading(context, "Commands for the shell"))
        head.addWidget(self.note, 1)
        head.addWidget(self.copy_all)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(6)
        self._grid.setColumnStretch(1, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addLayout(head)
        layout.addLayout(self._grid)
        context.theme.follow(self, self._tint)

    def show_lines(self, lines: Sequence[ShellLine], note: str) -> None:
        """Replace what is shown."""
        while len(self.fields) < len(lines):
            self._add_row()
        for number, (field, button, label) in enumerate(zip(self.fields, self.buttons, self._labels, strict=True)):
            is_shown = number < len(lines)
            for widget in (field, button, label):
                widget.setVisible(is_shown)
            text = lines[number].text if is_shown else ""
            if field.text() != text:
                field.setText(text)
                field.setCursorPosition(0)
                field.setToolTip(text)
            if is_shown:
                label.setText(lines[number].title)
                field.setAccessibleName(lines[number].title)
                button.setAccessibleName(f"Copy {lines[number].title}")
        self.copy_all.setEnabled(bool(lines))
        self.note.setText(note)

    def _add_row(self) -> None:
        row = len(self.fields)
        field = QLineEdit()
        field.setReadOnly(True)
        field.setFont(self._theme.mono_font)
        button = QToolButton()
        button.setToolTip("Copy this line")
        button.setIconSize(QSize(18, 18))
        button.setIcon(self._theme.icon("copy"))
        button.clicked.connect(safe(lambda *_: self._copy(field.text(), "The line is")))
        label = dim_label(wrap=False)
        for column, widget in enumerate((label, field, button)):
            self._grid.addWidget(widget, row, column)
        self.fields.append(field)
        self.buttons.append(button)
        self._labels.append(label)

    def _copy(self, text: str, what: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self._notifier.post(f"{what} in the clipboard.")

    @safe
    def _tint(self) -> None:
        for button in self.buttons:
            button.setIcon(self._theme.icon("copy"))


class LogView(QPlainTextEdit):
    """What the program prints, the latest in sight unless the user scrolled up."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setReadOnly(True)
        self.setFont(theme.mono_font)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setUndoRedoEnabled(False)
        self.setAccessibleName("Log of the run")
        self.setPlaceholderText("What the program prints comes here.")
        self._has_tail = False

    def clear(self) -> None:
        super().clear()
        self._has_tail = False

    def append(self, lines: Sequence[str], tail: str) -> None:
        """Add complete lines; ``tail`` is one in work, replaced by the next call."""
        bar = self.verticalScrollBar()
        is_at_end = bar.value() >= bar.maximum() - 2
        if self._has_tail:
            cursor = QTextCursor(self.document().lastBlock())
            cursor.select(QTextCursor.SelectionType.BlockUnderCursor)
            cursor.removeSelectedText()
        self._has_tail = bool(tail)
        shown = [*lines, tail] if tail else list(lines)
        if len(shown) > LOG_LINES:
            self.setPlainText(EARLIER)
            shown = shown[-LOG_LINES:]
        if shown:
            self.appendPlainText("\n".join(shown))
        if self.blockCount() > 2 * LOG_LINES:
            self._drop_earlier()
        if is_at_end:
            bar.setValue(bar.maximum())


    def _drop_earlier(self) -> None:
        # A limit of Qt's own takes out line after line, which takes seconds when much is printed.
        cursor = QTextCursor(self.document())
        cursor.setPosition(self.document().findBlockByNumber(self.blockCount() - LOG_LINES).position(), QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText(EARLIER + "\n")


class FileList(QWidget):
    """The files that the run left; traces can be opened."""

    open_wanted = Signal(Path)

    def __init__(self, context: PageContext) -> None:
        super().__init__()
        self.title = dim_label("Files of the run", wrap=False)
        self.list = QListWidget()
        self.list.setAccessibleName("Files of the run")
        self.list.setProperty("framed", True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.list.itemActivated.connect(safe(lambda *_: self.open_current()))
        self.list.currentItemChanged.connect(safe(lambda *_: self._update_button()))
        self.button = QPushButton("Open")
        self.button.setToolTip("Show the trace in a window of its own")
        self.button.clicked.connect(safe(lambda *_: self.open_current()))
        head = QHBoxLayout()
        head.addWidget(self.title, 1)
        head.addWidget(self.button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addLayout(head)
        layout.addWidget(self.list, 1)
        self.setMinimumWidth(220)
        self.show_files(())

    def show_files(self, files: Sequence[WrittenFile]) -> None:
        """Replace the list; the first trace is chosen."""
        self.list.clear()
        for file in files:
            item = QListWidgetItem(file.text)
            item.setData(FILE, file)
            item.setToolTip(str(file.path))
            self.list.addItem(item)
        first = next((row for row, file in enumerate(files) if file.is_trace), 0)
        self.list.setCurrentRow(first if files else -1)
        self._update_button()

    def _current(self) -> WrittenFile | None:
        item = self.list.currentItem()
        return item.data(FILE) if item is not None else None

    def _update_button(self) -> None:
        file = self._current()
        self.button.setEnabled(file is not None and file.is_trace)

    def open_current(self) -> None:
        """Ask for the chosen trace to be shown."""
        file = self._current()
        if file is not None and file.is_trace:
            self.open_wanted.emit(file.path.absolute())
