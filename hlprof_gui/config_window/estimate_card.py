"""What a recording with this configuration will be like: asked anew, in a job, when the document has been quiet for a moment."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QFileDialog, QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from hlprof_core.config.document import ProfConfig
from hlprof_core.errors import HlprofError
from hlprof_core.progress import Progress
from hlprof_core.services import estimate
from hlprof_gui.config_window.live_page import dim_label, plain_label, small_button, while_alive
from hlprof_gui.config_window.page import PageContext
from hlprof_gui.notify import safe
from hlprof_gui.theme.theme import Theme
from hlprof_gui.viewmodels.estimate import FROM_A_TRACE, EstimateText, estimate_text

if TYPE_CHECKING:
    from hlprof_core.profiling.estimate.estimate import Estimate

QUIET_MS = 250
TRACES = "Traces (*.json *.json.gz *.hltv *.csv *.gz *.zip);;All files (*)"
JOB = "estimate"


class EstimateCard(QWidget):
    """Older figures stay, dimmed, until there are new ones."""

    def __init__(self, context: PageContext) -> None:
        super().__init__()
        self._context = context
        self.setAccessibleName("Estimate")
        self.state = dim_label()
        self.state.setFont(context.theme.small_font)
        self.bar = FillBar(context.theme)
        self.bar.hide()
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(10)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(1, 1)
        self.labels: list[QLabel] = []
        self._asked: tuple[str, str] | None = None
        """The document and the workload that the figures are for."""
        self._like: Path | None = None
        """The earlier trace that the figures are scaled from; None: a workload on the model."""
        self.like_button = small_button(context, FROM_A_TRACE, "Take the figures from an earlier trace of your program")
        self.like_button.clicked.connect(safe(lambda *_: self._ask_like()))
        self.model_button = small_button(context, "From the Model", "Take the figures from a workload on the device model")
        self.model_button.clicked.connect(safe(lambda *_: self.scale_from(None)))
        buttons = QHBoxLayout()
        buttons.setSpacing(4)
        buttons.addWidget(self.like_button)
        buttons.addWidget(self.model_button)
        buttons.addStretch(1)
        self.notes = dim_label()
        self.notes.setFont(context.theme.small_font)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addLayout(self._grid)
        layout.addWidget(self.bar)
        layout.addWidget(self.state)
        layout.addWidget(self.notes)
        layout.addLayout(buttons)
        self.quiet_ms = QUIET_MS
        """How long the document has to be left alone before the figures are asked for."""
        self._quiet = QTimer(self, singleShot=True)
        self._quiet.timeout.connect(self._start)
        while_alive(self, context.plan.changed, self._ask)
        self.scale_from(None)

    def _ask_like(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, "Earlier Trace", str(self._context.settings.folder), TRACES)
        if name:
            self.scale_from(Path(name))

    def scale_from(self, trace: Path | None) -> None:
        """Take the figures from an earlier trace; None: from the model."""
        self._like = trace
        self.model_button.setVisible(trace is not None)
        self._asked = None
        self._ask()

    @property
    def text(self) -> str:
        """Everything that is shown."""
        return "\n".join(label.text() for label in (*self.labels, self.state, self.notes))

    @safe
    def _ask(self) -> None:
        asked = (self._context.model.json_text, self._context.plan.estimated)
        if asked == self._asked:
            return
        self._asked = asked
        self._context.jobs.cancel(JOB)
        self.state.setText("Estimating …")
        for label in self.labels:
            label.setEnabled(False)
        self._quiet.start(self.quiet_ms)

    @safe
    def _start(self) -> None:
        model = self._context.model
        if model.problems:
            self._fail("No estimate: a stored value cannot be read.")
            return
        config, like, workload = model.config, self._like, self._context.plan.estimated
        work = partial(make_estimate, config, workload, like)
        self._context.jobs.start(JOB, "Estimating the recording", work, self._show, self._failed)

    @safe
    def _show(self, found: Estimate) -> None:
        text = estimate_text(found)
        self._fill(text)
        self.state.setText(f"For {text.basis}.")
        self.notes.setText("\n".join(text.notes))
        self.notes.setVisible(bool(text.notes))

    @safe
    def _failed(self, error: HlprofError) -> None:
        self._fail(f"No estimate: {error.message} {error.hint}".strip())

    def _fail(self, text: str) -> None:
        self._clear()
        self.bar.hide()
        self.notes.hide()
        self.state.setText(text)

    def _fill(self, text: EstimateText) -> None:
        self._clear()
        for row, (title, value) in enumerate((*text.figures, ("Buffer", text.fill_text))):
            self._add(title, row, 0, dim=True)
            self._add(value, row, 1, dim=False)
        self.bar.show_fill(text.fill)
        self.bar.setVisible(text.fill > 0)
        self.bar.setAccessibleDescription(text.fill_text)

    def _clear(self) -> None:
        for label in self.labels:
            self._grid.removeWidget(label)
            label.hide()
            label.deleteLater()
        self.labels = []

    def _add(self, text: str, row: int, column: int, *, dim: bool) -> None:
        label = dim_label(text, wrap=False) if dim else plain_label(text)
        label.setWordWrap(not dim)
        self._grid.addWidget(label, row, column, Qt.AlignmentFlag.AlignTop)
        self.labels.append(label)


class FillBar(QWidget):
    """How much of the trace buffer is needed: calm, then warning, then too much."""

    HEIGHT, TIGHT = 6, 0.8

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._share = 0.0
        self.setAccessibleName("Fill of the trace buffer")
        self.setFixedHeight(self.HEIGHT)
        theme.follow(self, self.update)

    def sizeHint(self) -> QSize:
        return QSize(100, self.HEIGHT)

    def show_fill(self, share: float) -> None:
        self._share = share
        self.update()

    @safe
    def paintEvent(self, _event: QPaintEvent) -> None:
        p = self._theme.palette
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(p.border))
        painter.drawRoundedRect(QRectF(self.rect()), 3, 3)
        color = p.error if self._share > 1 else p.warning if self._share > self.TIGHT else p.good
        painter.setBrush(QColor(color))
        painter.drawRoundedRect(QRectF(0, 0, max(6.0, self.width() * min(1.0, self._share)), self.height()), 3, 3)
        painter.end()


def make_estimate(config: ProfConfig, workload: str, like: Path | None, progress: Progress) -> Estimate:
    """Runs in a working thread; the document is never changed, only replaced."""
    progress.check()
    return estimate(config, workload, like=like, progress=progress)
