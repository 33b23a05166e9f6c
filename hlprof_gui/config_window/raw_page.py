"""Page: the file as text. What is typed here becomes the document as soon as it is one."""

from __future__ import annotations

import copy
from typing import Any

from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from hlprof_core.config.text_problem import TextProblem, problems_in
from hlprof_gui.config_window.json_editor import JsonEditor
from hlprof_gui.config_window.live_page import LivePage, dim_label, tell
from hlprof_gui.config_window.page import PageContext
from hlprof_gui.notify import safe

TYPING_MS = 150
"""Pause in typing after which the text is read."""
STEP_MS = 1500
"""Pause after which what is typed next is a step of its own."""


class RawPage(LivePage):
    """While the text has errors the document stays as it was, and the page says so."""

    def __init__(self, context: PageContext, parent: QWidget) -> None:
        super().__init__(context, parent)
        self.editor = JsonEditor(context.theme)
        self.editor.setAccessibleName("Configuration as JSON")
        self.editor.setMinimumHeight(280)
        self.status = dim_label()
        self.go_button = QPushButton("Go There")
        self.go_button.setToolTip("Put the cursor where the first error is")
        self.go_button.clicked.connect(safe(lambda *_: self._go_to_first()))
        self.format_button = QPushButton()
        self.format_button.setToolTip("Show the text as it will be written; what is typed here and not valid is discarded")
        self.format_button.clicked.connect(safe(lambda *_: self._show_document()))
        self.copy_button = QPushButton("Copy")
        self.copy_button.setToolTip("Copy the whole text")
        self.copy_button.clicked.connect(safe(lambda *_: self._copy()))
        bar = QHBoxLayout()
        bar.addWidget(self.status, 1)
        for button in (self.go_button, self.format_button, self.copy_button):
            bar.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(10)
        layout.addWidget(self.editor, 1)
        layout.addLayout(bar)
        self._is_showing = False
        self._shown: Any = None
        """The document whose text was put into the editor, or that the text in it became."""
        self._problems: list[TextProblem] = []
        self._typing = QTimer(self, singleShot=True, interval=TYPING_MS)
        self._typing.timeout.connect(self.read)
        self._step = QTimer(self, singleShot=True, interval=STEP_MS)
        self._step.timeout.connect(safe(context.model.end_typing))
        self.editor.textChanged.connect(self._changed)

    @safe
    def refresh(self) -> None:
        if self.context.model.config.raw != self._shown:
            self._show_document()

    def _show_document(self) -> None:
        self._typing.stop()
        self._shown = copy.deepcopy(self.context.model.config.raw)
        self._is_showing = True
        self.editor.show_text(self.context.model.json_text)
        self._is_showing = False
        self.context.model.set_unread("")
        self._judge(self.editor.toPlainText())

    def repair(self, text: str) -> None:
        """Show a text that is no configuration yet."""
        self._shown = copy.deepcopy(self.context.model.config.raw)
        self.editor.setPlainText(text)
        self.read()

    @safe
    def _changed(self) -> None:
        if not self._is_showing:
            self._typing.start()

    @safe
    def read(self) -> None:
        """Make what was typed the document, when it is one."""
        self._typing.stop()
        text = self.editor.toPlainText()
        if self._judge(text):
            # Known before the document tells of its change: this text stays.
            self._shown = self.context.model.parse_json(text)
            self.context.model.set_unread("")
            self.context.model.set_json(text)
            self._step.start()
        else:
            self.context.model.set_unread(f"the text on the page Raw: {self._problems[0].message}, line {self._problems[0].line}")

    def _judge(self, text: str) -> bool:
        """Mark and tell what is wrong; whether the text can be the document."""
        self._problems = problems_in(text)
        self.editor.show_problems(self._problems)
        errors = [problem for problem in self._problems if problem.severity == "error"]
        self.go_button.setVisible(bool(errors))
        self.format_button.setText("Discard Edits" if errors else "Format")
        if errors:
            more = f" And {len(errors) - 1} more." if len(errors) > 1 else ""
            text = f"Line {errors[0].line}: {errors[0].message.rstrip('.')}.{more} The configuration stays as it was."
        elif self._problems:
            count = len(self._problems)
            text = f"{count} value{'s' if count > 1 else ''} not known here, kept as {'they are' if count > 1 else 'it is'}."
        else:
            text = "Form and command line show the same."
        tell(self.status, text, is_error=bool(errors))
        return not errors

    def _go_to_first(self) -> None:
        errors = [problem for problem in self._problems if problem.severity == "error"]
        if errors:
            self.editor.go_to(errors[0].line, errors[0].column)
            self.editor.setFocus()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.editor.toPlainText())
        self.context.notifier.post("Copied the configuration.")
