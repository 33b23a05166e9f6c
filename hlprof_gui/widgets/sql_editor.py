"""A field for SQL: keywords in colour, tables and columns completed while typing, the place of an error underlined."""

from __future__ import annotations

import re
from collections.abc import Mapping

from PySide6.QtCore import QStringListModel, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QSyntaxHighlighter, QTextCharFormat, QTextCursor, QTextDocument
from PySide6.QtWidgets import QCompleter, QPlainTextEdit, QTextEdit, QWidget

from hlprof_gui.notify import safe
from hlprof_gui.theme.theme import Theme
from hlprof_gui.widgets.own_keys import keep_moving_keys

_KEYWORDS = """
SELECT FROM WHERE GROUP BY ORDER HAVING LIMIT OFFSET JOIN LEFT INNER ON USING AS AND OR NOT IN IS NULL LIKE ILIKE BETWEEN CASE WHEN
THEN ELSE END WITH UNION ALL DISTINCT DESC ASC OVER PARTITION FILTER EXISTS CAST DESCRIBE EXPLAIN QUALIFY WINDOW
"""
_FUNCTIONS = "count sum avg min max median quantile_cont round abs coalesce lag lead row_number rank list string_agg regexp_matches"
KEYWORDS, FUNCTIONS = tuple(_KEYWORDS.split()), tuple(_FUNCTIONS.split())
WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]*$")
LEAST_LETTERS = 2
"""So much of a word is typed before anything is proposed."""


class _Highlighter(QSyntaxHighlighter):
    def __init__(self, document: QTextDocument, theme: Theme) -> None:
        super().__init__(document)
        self._theme = theme
        self.names: frozenset[str] = frozenset()

    def highlightBlock(self, text: str) -> None:
        for found in re.finditer(r"--.*$|'(?:[^']|'')*'?|\b\d[\d_.]*\b|[A-Za-z_]\w*", text):
            form = QTextCharFormat()
            word = found[0]
            if word.startswith("--"):
                form.setForeground(self._theme.color("text_dim"))
                form.setFontItalic(True)
            elif word.startswith("'"):
                form.setForeground(self._theme.color("good"))
            elif word[0].isdigit():
                form.setForeground(self._theme.color("measure"))
            elif word.upper() in KEYWORDS:
                form.setForeground(self._theme.color("accent"))
                form.setFontWeight(600)
            elif word.lower() in self.names:
                form.setForeground(self._theme.color("flow"))
            else:
                continue
            self.setFormat(found.start(), len(word), form)


class SqlEditor(QPlainTextEdit):
    """Ctrl+Enter asks; Ctrl+Up and Ctrl+Down go through what was asked before."""

    run_wanted = Signal()
    history_wanted = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setAccessibleName("Question in SQL")
        self.setFont(theme.mono_font)
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self._highlighter = _Highlighter(self.document(), theme)
        self._completer = QCompleter([], self)
        self._completer.setWidget(self)
        self._completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self._completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        self._completer.activated.connect(self._complete)
        keep_moving_keys(self, with_control=True)
        keep_moving_keys(self._completer.popup())
        self.textChanged.connect(self.clear_error)
        theme.follow(self, self._highlighter.rehighlight)

    def set_schema(self, tables: Mapping[str, tuple[str, ...]]) -> None:
        """What can be named: tables and their columns."""
        names = sorted({*tables, *(column for columns in tables.values() for column in columns)})
        self._highlighter.names = frozenset(names)
        self._highlighter.rehighlight()
        self._completer.setModel(QStringListModel([*names, *FUNCTIONS, *KEYWORDS], self._completer))

    def show_error(self, line: int, column: int) -> None:
        """Underline the word at a place, both from 1."""
        cursor = QTextCursor(self.document().findBlockByNumber(line - 1))
        cursor.movePosition(QTextCursor.MoveOperation.Right, n=max(column - 1, 0))
        cursor.movePosition(QTextCursor.MoveOperation.EndOfWord, QTextCursor.MoveMode.KeepAnchor)
        if not cursor.hasSelection():
            cursor.movePosition(QTextCursor.MoveOperation.Right, QTextCursor.MoveMode.KeepAnchor)
        mark = QTextEdit.ExtraSelection()
        mark.cursor = cursor
        form = QTextCharFormat()
        form.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
        form.setUnderlineColor(QColor(self._theme.color("error")))
        mark.format = form
        self.setExtraSelections([mark])

    @safe
    def clear_error(self) -> None:
        self.setExtraSelections([])

    @safe
    def keyPressEvent(self, event: QKeyEvent) -> None:
        popup = self._completer.popup()
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if is_enter and control:
            popup.hide()
            self.run_wanted.emit()
            return
        if control and event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.history_wanted.emit(-1 if event.key() == Qt.Key.Key_Up else 1)
            return
        if popup.isVisible() and (is_enter or event.key() in (Qt.Key.Key_Tab, Qt.Key.Key_Escape)):
            event.ignore()  # the list of proposals takes it
            return
        asked = control and event.key() == Qt.Key.Key_Space
        if not asked:
            super().keyPressEvent(event)
        self._propose(asked=asked, typed=event.text())

    def _propose(self, *, asked: bool, typed: str) -> None:
        prefix = self._prefix()
        popup = self._completer.popup()
        if not asked and (len(prefix) < LEAST_LETTERS or not typed.strip()):
            popup.hide()
            return
        self._completer.setCompletionPrefix(prefix)
        only = self._completer.completionCount() == 1 and self._completer.currentCompletion().lower() == prefix.lower()
        if not self._completer.completionCount() or only:
            popup.hide()
            return
        self._theme.dress(popup)
        popup.setCurrentIndex(self._completer.completionModel().index(0, 0))
        place = self.cursorRect()
        place.setWidth(popup.sizeHintForColumn(0) + popup.verticalScrollBar().sizeHint().width() + 16)
        self._completer.complete(place)

    def _prefix(self) -> str:
        cursor = self.textCursor()
        found = WORD.search(cursor.block().text()[: cursor.positionInBlock()])
        return found[0] if found else ""

    @safe
    def _complete(self, word: str) -> None:
        cursor = self.textCursor()
        cursor.movePosition(QTextCursor.MoveOperation.Left, QTextCursor.MoveMode.KeepAnchor, len(self._prefix()))
        cursor.insertText(word)
        self.setTextCursor(cursor)
