"""Page: the commands for the shell, and a run from the window with its log and the files it leaves."""

from __future__ import annotations

import tempfile
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from hlprof_core.errors import HlprofError
from hlprof_gui.config_window.child_process import ChildProcess
from hlprof_gui.config_window.live_page import LivePage, dim_label, tell, while_alive
from hlprof_gui.config_window.log_view import LogView
from hlprof_gui.config_window.page import PageContext
from hlprof_gui.config_window.run_files import FileList
from hlprof_gui.config_window.run_form import RunForm
from hlprof_gui.config_window.shell_lines import ShellLines
from hlprof_gui.notify import safe
from hlprof_gui.viewmodels.run_state import RunState

TICK_MS = 100


class RunPage(LivePage):
    """Commands, form, then log and files side by side."""

    trace_wanted = Signal(Path)
    """A trace that the run left is to be shown."""
    run_ended = Signal()

    def __init__(self, context: PageContext, parent: QWidget) -> None:
        super().__init__(context, parent)
        self.plan = context.plan
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
        tell(self.status, text, is_error=says_problem or (not is_running and self.state.outcome == "bad"))
        self.fit_height()
