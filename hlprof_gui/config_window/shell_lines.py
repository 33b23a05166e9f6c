"""The commands that do the same in a shell, each with a button that copies it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QLineEdit, QPushButton, QToolButton, QVBoxLayout

from hlprof_gui.config_window.live_page import dim_label, heading
from hlprof_gui.config_window.page import PageContext
from hlprof_gui.notify import safe
from hlprof_gui.viewmodels.run_plan import ShellLine
from hlprof_gui.widgets.status_line import ElidedLabel


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
        self.copy_all.clicked.connect(safe(lambda *_: self._copy("\n".join(field.text() for field in self.fields), "Copied the lines.")))
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
        button.clicked.connect(safe(lambda *_: self._copy(field.text(), "Copied the line.")))
        label = dim_label(wrap=False)
        for column, widget in enumerate((label, field, button)):
            self._grid.addWidget(widget, row, column)
        self.fields.append(field)
        self.buttons.append(button)
        self._labels.append(label)

    def _copy(self, text: str, what: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self._notifier.post(what)

    @safe
    def _tint(self) -> None:
        for button in self.buttons:
            button.setIcon(self._theme.icon("copy"))
