"""The strip at the bottom: the command line that makes the document, to be copied or edited."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QFocusEvent, QGuiApplication, QKeyEvent, QTextOption
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from hlprof_core.config.document import ProfConfig
from hlprof_core.config.spelling import Spelling, shortest_spelling
from hlprof_core.progress import Progress
from hlprof_gui.config_window.live_page import dim_label, plain_label, tell, while_alive
from hlprof_gui.config_window.page import PageContext
from hlprof_gui.notify import safe, safe_or
from hlprof_gui.viewmodels.command_line import CommandLineViewModel

LINES = 2
TYPING_MS = 120
SHOWN_PROBLEMS = 3


class CommandField(QPlainTextEdit):
    """One line of text, wrapped as it needs; Enter is done."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("commandField")
        self.setTabChangesFocus(True)
        self.setUndoRedoEnabled(False)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)

    @safe
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.clearFocus()
        else:
            super().keyPressEvent(event)


class CommandStrip(QWidget):
    """Asks in a job how the document is spelled: for a large one that takes longer than a frame."""

    def __init__(self, context: PageContext) -> None:
        super().__init__()
        self.setObjectName("commandStrip")
        context.theme.dress(self)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._context = context
        self.view_model = CommandLineViewModel(context.model)
        title = plain_label("Command line")
        title.setFont(context.theme.bold_font)
        self.field = CommandField()
        self.field.setFont(context.theme.mono_font)
        self.field.setAccessibleName("Command line")
        self.field.setAccessibleDescription("The options that make this configuration; editing them changes it.")
        self.field.setFixedHeight(self.field.fontMetrics().lineSpacing() * LINES + 22)
        title.setBuddy(self.field)
        self.remark = dim_label()
        self.remark.setFont(context.theme.small_font)
        self.copy_button = QPushButton("Copy")
        self.copy_button.setToolTip("Copy the command line")
        self.copy_button.setAccessibleName("Copy command line")
        self.copy_button.clicked.connect(safe(lambda *_: self.copy()))
        row = QHBoxLayout()
        row.setSpacing(10)
        row.addWidget(self.field, 1)
        row.addWidget(self.copy_button, 0, Qt.AlignmentFlag.AlignTop)
        head = QHBoxLayout()
        head.setSpacing(12)
        head.addWidget(title)
        head.addWidget(self.remark, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 8, 16, 10)
        layout.setSpacing(6)
        layout.addLayout(head)
        layout.addLayout(row)
        self._is_showing = False
        self._typing = QTimer(self, singleShot=True, interval=TYPING_MS)
        self._typing.timeout.connect(self.read)
        self.field.textChanged.connect(self._changed)
        self.field.installEventFilter(self)
        while_alive(self, context.model.changed, self.refresh)
        while_alive(self, context.model.file_changed, self._ask)
        self._ask()

    @safe
    def refresh(self) -> None:
        """The document changed: ask for its spelling, unless it comes from here."""
        if not self.view_model.is_current:
            self._ask()

    @safe
    def _ask(self) -> None:
        config = self._context.model.config
        self._context.jobs.start("command line", "Spelling the command line", partial(spell, config), partial(self._show, config))

    @safe
    def _show(self, config: ProfConfig, spelling: Spelling) -> None:
        self._context.model.take_spelling(config, spelling)
        if self.field.hasFocus() and self.view_model.is_current:
            return  # asked for before typing began
        self.view_model.show(spelling)
        self._is_showing = True
        if self.field.toPlainText() != self.view_model.text:
            self.field.setPlainText(self.view_model.text)
        self._is_showing = False
        self._remark()

    @safe
    def _changed(self) -> None:
        if not self._is_showing:
            self._typing.start()

    @safe
    def read(self) -> None:
        """Take over what was typed."""
        self._typing.stop()
        self.view_model.edit(self.field.toPlainText().replace("\n", " "))
        self._remark()

    def _remark(self) -> None:
        problems, untold = self.view_model.problems, self.view_model.untold
        if problems:
            text = f"{enumeration(problems, '; ')}. The configuration stays as it was."
        else:
            text = f"Only in the file, as there is no option for it: {enumeration(untold, ', ')}." if untold else ""
        tell(self.remark, text, is_error=bool(problems))
        self.remark.setToolTip("\n".join(problems or untold))

    def copy(self) -> None:
        """Put the line onto the clipboard."""
        QGuiApplication.clipboard().setText(self.field.toPlainText())
        self._context.notifier.post("Copied the command line.")

    @safe_or(False)
    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QFocusEvent) and event.type() == QEvent.Type.FocusOut:
            if self._typing.isActive():
                self.read()
            self.view_model.end()
            if not self.view_model.problems:
                self._ask()
        return False


def enumeration(texts: Sequence[str], between: str) -> str:
    """The first of them, and how many more there are."""
    more = len(texts) - SHOWN_PROBLEMS
    return between.join(texts[:SHOWN_PROBLEMS]) + (f"{between}and {more} more" if more > 0 else "")


def spell(config: ProfConfig, progress: Progress) -> Spelling:
    """How a document is spelled; runs in a working thread. The document is never changed, only replaced."""
    progress.check()
    return shortest_spelling(config)
