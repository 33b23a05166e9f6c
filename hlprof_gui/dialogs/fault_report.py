"""A defect of the program: say so, offer the report to copy, keep the work."""

from __future__ import annotations

import traceback
from types import TracebackType

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from hlprof_gui.dialogs.about import about_lines
from hlprof_gui.theme.theme import Theme
from hlprof_gui.widgets.plain_buttons import take_button_icons


def fault_text(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> str:
    """What a developer needs: versions and the traceback."""
    return "\n".join([*about_lines(), "", "".join(traceback.format_exception(kind, error, trace))])


class FaultReport(QDialog):
    """Shown once for each defect; what is open stays open."""

    def __init__(self, text: str, theme: Theme, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("hlprof has a defect")
        theme.dress(self)
        title = QLabel("Something went wrong inside hlprof")
        title.setFont(theme.bold_font)
        words = QLabel("What is open stays open; you can go on. Please send the report below to the developers.")
        words.setProperty("dim", True)
        self.report = QPlainTextEdit(text)
        self.report.setReadOnly(True)
        self.report.setFont(theme.mono_font)
        self.report.setAccessibleName("Report")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        copy = buttons.addButton("Copy Report", QDialogButtonBox.ButtonRole.ActionRole)
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(text))
        buttons.rejected.connect(self.close)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 16)
        layout.setSpacing(10)
        for widget in (title, words):
            layout.addWidget(widget)
        layout.addWidget(self.report, 1)
        layout.addWidget(buttons)
        take_button_icons(self)
        self.resize(760, 440)
