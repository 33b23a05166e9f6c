"""The log of a running program: complete lines, the one in work, and no more than anybody reads."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QPlainTextEdit

from hlprof_gui.theme.theme import Theme

LOG_LINES = 10_000
"""Lines that the log keeps at least; at twice as many the earlier half goes."""
EARLIER = "[earlier lines are not shown]"


class LogView(QPlainTextEdit):
    """What the program prints, the latest in sight unless the user scrolled up."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setReadOnly(True)
        self.setFont(theme.mono_font)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setUndoRedoEnabled(False)
        self.setAccessibleName("Log of the run")
        self.setPlaceholderText("The output of the program appears here.")
        self._has_tail = False

    def clear(self) -> None:
        super().clear()
        self._has_tail = False

    def append(self, lines: Sequence[str], tail: str) -> None:
        """Add complete lines; ``tail`` is one in work, replaced by the next call."""
        bar = self.verticalScrollBar()
        is_at_end = bar.value() >= bar.maximum() - 2
        if self._has_tail:
            cursor = QTextCursor(self.document().lastBlock())
            cursor.select(QTextCursor.SelectionType.BlockUnderCursor)
            cursor.removeSelectedText()
        self._has_tail = bool(tail)
        shown = [*lines, tail] if tail else list(lines)
        if len(shown) > LOG_LINES:
            self.setPlainText(EARLIER)
            shown = shown[-LOG_LINES:]
        if shown:
            self.appendPlainText("\n".join(shown))
        if self.blockCount() > 2 * LOG_LINES:
            self._drop_earlier()
        if is_at_end:
            bar.setValue(bar.maximum())


    def _drop_earlier(self) -> None:
        # A limit of Qt's own takes out line after line, which takes seconds when much is printed.
        cursor = QTextCursor(self.document())
        cursor.setPosition(self.document().findBlockByNumber(self.blockCount() - LOG_LINES).position(), QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText(EARLIER + "\n")
