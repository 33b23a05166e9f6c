"""The bar that tells of a file that somebody else changed or removed, and asks which of the two counts."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from hlprof_gui.notify import safe
from hlprof_gui.theme.theme import Theme
from hlprof_gui.viewmodels.configuration import ConfigurationViewModel

TEXTS = {
    "changed": "{name} was changed by another program.",
    "gone": "{name} was removed by another program; saving writes it anew.",
}


class DiskBar(QWidget):
    """Shown while the file on disk is another one than the one that was read."""

    reload_clicked = Signal()

    def __init__(self, model: ConfigurationViewModel, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("messageBar")
        theme.dress(self)
        self.setProperty("level", "warning")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName("The file on disk")
        self._model, self._theme = model, theme
        self._icon, self.text = QLabel(), QLabel()
        self.text.setTextFormat(Qt.TextFormat.PlainText)
        self.text.setWordWrap(True)
        self.reload_button = QPushButton("Reload")
        self.reload_button.setToolTip("Read the file as it is now")
        self.reload_button.clicked.connect(self.reload_clicked)
        self.keep_button = QPushButton("Keep Mine")
        self.keep_button.setToolTip("Go on with what is shown here; saving replaces the file")
        self.keep_button.clicked.connect(safe(lambda *_: self._model.keep_mine()))
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 8, 6)
        row.setSpacing(10)
        row.addWidget(self._icon)
        row.addWidget(self.text, 1)
        row.addWidget(self.reload_button)
        row.addWidget(self.keep_button)
        model.file_changed.connect(self.refresh)
        theme.follow(self, self._tint)
        self._tint()
        self.refresh()

    @safe
    def refresh(self) -> None:
        """Show what the model knows of the file."""
        state = self._model.disk
        if state != "same":
            self.text.setText(TEXTS[state].format(name=self._model.path.name))
            self.reload_button.setVisible(state == "changed")
        self.setVisible(state != "same")

    @safe
    def _tint(self) -> None:
        self._icon.setPixmap(self._theme.icon("diagnostics").pixmap(18, 18))
