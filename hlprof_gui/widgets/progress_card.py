"""A small card over the window while long work runs: what, how far, and a button that stops it."""

from __future__ import annotations

import time

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget

from hlprof_gui.jobs import Job
from hlprof_gui.notify import safe, safe_or
from hlprof_gui.widgets.floating import float_over

PATIENCE_MS = 120
"""Work shorter than this shows no card."""
WIDTH, MARGIN = 420, 16


class ProgressCard(QWidget):
    """Floats near the top of its parent."""

    cancel_clicked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("progressCard")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName("Progress")
        self._title = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._stage = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._stage.setProperty("dim", True)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName("Progress of the running work")
        self._cancel = QPushButton("Cancel")
        self._cancel.clicked.connect(self.cancel_clicked)
        row = QHBoxLayout()
        row.addWidget(self._stage, 1)
        row.addWidget(self._cancel)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(MARGIN, 14, MARGIN, 12)
        layout.setSpacing(10)
        layout.addWidget(self._title)
        layout.addWidget(self._bar)
        layout.addLayout(row)
        self.setFixedWidth(WIDTH)
        self._job: Job | None = None
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._appear)
        self._parent = parent
        parent.installEventFilter(self)
        self.hide()

    @safe
    def follow(self, job: Job) -> None:
        """Show this job once it has run a moment."""
        self._job = job
        metrics = self._title.fontMetrics()
        self._title.setText(metrics.elidedText(job.title, Qt.TextElideMode.ElideMiddle, WIDTH - 2 * MARGIN))
        self._update()
        self._timer.start(max(0, PATIENCE_MS - int((time.monotonic() - job.started) * 1000)))

    @safe
    def update_job(self, job: Job) -> None:
        if job is self._job and self.isVisible():
            self._update()

    @safe
    def leave(self, job: Job) -> None:
        """The job ended."""
        if job is self._job:
            self._job = None
            self._timer.stop()
            self.hide()

    @safe
    def _appear(self) -> None:
        if self._job is not None:
            self._update()
            self._place()
            float_over(self)

    def _update(self) -> None:
        if self._job is None:
            return
        share = self._job.share
        self._bar.setRange(0, 0 if share < 0 else 1000)
        if share >= 0:
            self._bar.setValue(round(min(1.0, share) * 1000))
        percent = f"   {min(1.0, share):.0%}" if share >= 0 else ""
        self._stage.setText((self._job.stage or "starting").capitalize() + percent)

    def _place(self) -> None:
        self.adjustSize()
        self.move((self._parent.width() - self.width()) // 2, max(24, self._parent.height() // 6))

    @safe_or(False)
    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return False
