"""What a panel works on: stage, how far, and a button that stops it. Takes no room while nothing runs."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QPushButton, QSizePolicy, QWidget

from hlprof_gui.jobs import Job, JobRunner
from hlprof_gui.notify import safe

PATIENCE_MS = 150
"""Work shorter than this is not shown."""
BAR_WIDTH, BAR_HEIGHT = 90, 6


class WorkBar(QWidget):
    """Follows the jobs of ``keys``, the latest first. ``stopped`` is called with the key of each job that the user stopped."""

    def __init__(self, jobs: JobRunner, keys: tuple[str, ...], stopped: Callable[[str], None] | None = None) -> None:
        super().__init__()
        self._jobs, self._keys, self._stopped = jobs, keys, stopped
        self.setAccessibleName("Running work")
        self.stage = QLabel(textFormat=Qt.TextFormat.PlainText)
        self.stage.setProperty("dim", True)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setFixedSize(BAR_WIDTH, BAR_HEIGHT)
        self.bar.setAccessibleName("Progress")
        self.button = QPushButton("Stop")
        self.button.setProperty("small", True)
        self.button.setToolTip("Stop this work (Esc); what is there already stays")
        self.button.clicked.connect(safe(lambda *_: self.stop()))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        for part in (self.stage, self.bar, self.button):
            row.addWidget(part)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._appear)
        jobs.job_started.connect(self._started)
        jobs.job_moved.connect(self._moved)
        jobs.job_ended.connect(self._ended)
        self.hide()
        for job in self.running():
            self._started(job)

    def running(self) -> list[Job]:
        """The jobs it is about, the latest last."""
        return [job for job in self._jobs.running() if job.key in self._keys]

    def stop(self) -> bool:
        """Stop all of them; whether there was one."""
        running = self.running()
        for job in running:
            self._jobs.cancel(job.key)
            if self._stopped is not None:
                self._stopped(job.key)
        return bool(running)

    @safe
    def _started(self, job: Job) -> None:
        if job.key in self._keys and not self._timer.isActive() and self.isHidden():
            self._timer.start(max(0, PATIENCE_MS - int((time.monotonic() - job.started) * 1000)))

    @safe
    def _moved(self, job: Job) -> None:
        if not self.isHidden() and job.key in self._keys:
            self._update()

    @safe
    def _ended(self, job: Job) -> None:
        if job.key in self._keys and not self.running():
            self._timer.stop()
            self.hide()

    @safe
    def _appear(self) -> None:
        if self.running():
            self._update()
            self.show()

    def _update(self) -> None:
        running = self.running()
        if not running:
            return
        job = running[-1]
        share = min(1.0, job.share)
        self.bar.setRange(0, 0 if share < 0 else 1000)
        if share >= 0:
            self.bar.setValue(round(share * 1000))
        text = f"{job.title} … {share:.0%}" if share >= 0 else f"{job.title} …"
        if self.stage.text() != text:
            self.stage.setText(text)


def stop_visible_work(window: QWidget) -> bool:
    """Stop what is shown as running anywhere in a window; whether there was something."""
    stopped = [bar.stop() for bar in window.findChildren(WorkBar) if bar.isVisible()]
    return any(stopped)
