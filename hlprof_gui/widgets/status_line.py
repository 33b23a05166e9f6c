"""The line at the bottom: what is under the pointer, the chosen time, pointer time, window length, state of the file."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget

from hlprof_gui.notify import safe
from hlprof_gui.state.view_state import ViewState
from hlprof_gui.theme.theme import Theme
from hlprof_gui.viewmodels.diagnostics import badge_text
from hlprof_gui.viewmodels.status import chosen_text, cursor_text, hover_text, window_text
from hlprof_gui.widgets.tipped import plain_tip


class ElidedLabel(QLabel):
    """A label that never widens its window: a long text ends in an ellipsis, the tooltip has it all."""

    def __init__(self, text: str = "", mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight) -> None:
        super().__init__(text)
        self._mode = mode
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def minimumSizeHint(self) -> QSize:
        return QSize(20, super().minimumSizeHint().height())

    @safe
    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        text = self.fontMetrics().elidedText(self.text(), self._mode, self.contentsRect().width())
        self.setToolTip(plain_tip(self.text()) if text != self.text() else "")
        area, flags = self.contentsRect(), int(self.alignment())
        self.style().drawItemText(painter, area, flags, self.palette(), self.isEnabled(), text, self.foregroundRole())
        painter.end()


class StatusLine(QWidget):
    """Listens to the view state; costs a few texts for each move of the pointer."""

    badge_clicked = Signal()

    def __init__(self, state: ViewState, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self.hover = ElidedLabel()
        self.hover.setAccessibleName("Under the pointer")
        self.chosen = self._label("Chosen time", theme)
        self.window_length = self._label("Window length", theme)
        self.pointer = self._label("Pointer time", theme)
        self.pointer.setMinimumWidth(150)
        self.badge = QPushButton()
        self.badge.setObjectName("badge")
        self.badge.setToolTip("Show what reading the file found")
        self.badge.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.badge.clicked.connect(self.badge_clicked)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 0, 8, 0)
        layout.setSpacing(20)
        layout.addWidget(self.hover, 1)
        for widget in (self.chosen, self.pointer, self.window_length, self.badge):
            layout.addWidget(widget)
        for signal in (state.hover_changed, state.window_changed, state.measures_changed, state.range_changed):
            signal.connect(self.refresh)
        state.trace_changed.connect(self._refresh_all)
        self._refresh_all()

    def _label(self, name: str, theme: Theme) -> QLabel:
        label = QLabel()
        label.setAccessibleName(name)
        label.setProperty("dim", True)
        label.setFont(theme.ui_font)
        label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return label

    @safe
    def refresh(self) -> None:
        """Write the texts anew."""
        self.hover.setText(hover_text(self._state))
        self.chosen.setText(chosen_text(self._state))
        self.window_length.setText(window_text(self._state))
        self.pointer.setText(cursor_text(self._state))

    @safe
    def _refresh_all(self) -> None:
        text, level = badge_text(self._state.trace)
        self.badge.setText(text)
        self.badge.setProperty("level", level or "")
        self.badge.setVisible(bool(text))
        self.badge.style().unpolish(self.badge)
        self.badge.style().polish(self.badge)
        self.refresh()
