"""An editor for JSON: line numbers, colours, and marks at the lines that something is wrong with."""

from __future__ import annotations

import re
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QHelpEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QSyntaxHighlighter,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QToolTip, QWidget

from hlprof_core.config.text_problem import TextProblem
from hlprof_gui.notify import safe, safe_or
from hlprof_gui.theme.stylesheet import mix
from hlprof_gui.theme.theme import Theme

TOKEN = re.compile(
    r'(?P<key>"(?:[^"\\]|\\.)*")(?=\s*:)|(?P<text>"(?:[^"\\]|\\.)*"?)|(?P<word>-?\d[\d.eE+-]*|true|false|null)|(?P<sign>[{}\[\],:])'
)
COLOURS = {"key": "accent", "text": "good", "word": "flow", "sign": "text_dim"}
GAP = 10


class JsonColours(QSyntaxHighlighter):
    """Keys, texts, numbers and signs in the colours of the theme."""

    def __init__(self, document: QTextDocument, theme: Theme) -> None:
        super().__init__(document)
        self._theme = theme
        self._formats: dict[str, QTextCharFormat] = {}
        theme.follow(self, self.update_colours)
        self.update_colours()

    @safe
    def update_colours(self) -> None:
        for kind, color in COLOURS.items():
            self._formats[kind] = QTextCharFormat()
            self._formats[kind].setForeground(self._theme.color(color))
        self.rehighlight()

    @safe
    def highlightBlock(self, text: str) -> None:
        for match in TOKEN.finditer(text):
            self.setFormat(match.start(), match.end() - match.start(), self._formats[str(match.lastgroup)])


class JsonEditor(QPlainTextEdit):
    """``show_problems`` marks lines; the tooltip of a marked line tells what is wrong."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._problems: dict[int, list[TextProblem]] = {}
        self.setObjectName("jsonEditor")
        self.setFont(theme.mono_font)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setTabChangesFocus(True)
        # A step back is one of the document, which all views share.
        self.setUndoRedoEnabled(False)
        self._margin = LineNumbers(self)
        self.colours = JsonColours(self.document(), theme)
        self.blockCountChanged.connect(safe(lambda _: self._place_margin()))
        self.updateRequest.connect(safe(self._scroll_margin))
        self.cursorPositionChanged.connect(safe(self._mark_lines))
        theme.follow(self, self._mark_lines)
        self._place_margin()
        self._mark_lines()

    def show_text(self, text: str) -> None:
        """Replace the text; the cursor stays in its line."""
        line = self.textCursor().blockNumber()
        bar = self.verticalScrollBar().value()
        self.setPlainText(text)
        self.go_to(min(line, self.blockCount() - 1) + 1, 1)
        self.verticalScrollBar().setValue(bar)

    def show_problems(self, problems: Sequence[TextProblem]) -> None:
        """Mark their lines."""
        self._problems = {}
        for problem in problems:
            self._problems.setdefault(min(problem.line, self.blockCount()), []).append(problem)
        self._mark_lines()
        self._margin.update()

    def go_to(self, line: int, column: int) -> None:
        """Put the cursor there; both count from 1."""
        block = self.document().findBlockByNumber(line - 1)
        if block.isValid():
            cursor = QTextCursor(block)
            cursor.setPosition(block.position() + min(column - 1, block.length() - 1))
            self.setTextCursor(cursor)
            self.ensureCursorVisible()

    def problems_at(self, line: int) -> list[TextProblem]:
        """What is wrong with a line, counted from 1."""
        return self._problems.get(line, [])

    def level_of(self, line: int) -> str:
        """The palette's colour for the line's mark, "" without one."""
        found = self.problems_at(line)
        return "" if not found else "error" if any(p.severity == "error" for p in found) else "warning"

    @safe
    def _mark_lines(self) -> None:
        p = self._theme.palette
        marks = [self._line(self.textCursor().blockNumber(), mix(p.canvas, p.text, 0.05))]
        marks += [self._line(line - 1, mix(p.canvas, getattr(p, self.level_of(line)), 0.2)) for line in self._problems]
        self.setExtraSelections(marks)

    def _line(self, number: int, color: str) -> QTextEdit.ExtraSelection:
        selection = QTextEdit.ExtraSelection()
        selection.format.setBackground(QColor(color))
        selection.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
        selection.cursor = QTextCursor(self.document().findBlockByNumber(number))
        return selection

    # -- the margin -------------------------------------------------------------------------------------------------

    @property
    def margin_width(self) -> int:
        return self.fontMetrics().horizontalAdvance("9") * max(3, len(str(self.blockCount()))) + 2 * GAP

    def _place_margin(self) -> None:
        self.setViewportMargins(self.margin_width, 0, 0, 0)
        area = self.contentsRect()
        self._margin.setGeometry(QRect(area.left(), area.top(), self.margin_width, area.height()))

    def _scroll_margin(self, area: QRect, by: int) -> None:
        if by:
            self._margin.scroll(0, by)
        else:
            self._margin.update(0, area.y(), self._margin.width(), area.height())

    @safe
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_margin()

    @safe_or(False)
    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            line = self.cursorForPosition(event.pos()).blockNumber() + 1
            text = "\n".join(problem.message for problem in self.problems_at(line))
            QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().viewportEvent(event)

    def paint_numbers(self, painter: QPainter, area: QRect) -> None:
        """Draw the line numbers of the visible lines."""
        p = self._theme.palette
        painter.fillRect(area, QColor(p.canvas))
        painter.setFont(self.font())
        block = self.firstVisibleBlock()
        current = self.textCursor().blockNumber()
        while block.isValid():
            place = self.blockBoundingGeometry(block).translated(self.contentOffset())
            if place.top() > area.bottom():
                return
            number = block.blockNumber()
            level = self.level_of(number + 1)
            if level:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QColor(getattr(p, level)))
                painter.drawEllipse(QPointF(6, place.center().y()), 3, 3)
            painter.setPen(QColor(p.text if number == current else p.text_dim))
            box = QRectF(0, place.top(), self._margin.width() - GAP, self.fontMetrics().height())
            painter.drawText(box, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), str(number + 1))
            block = block.next()


class LineNumbers(QWidget):
    """The strip at the left of the editor."""

    def __init__(self, editor: JsonEditor) -> None:
        super().__init__(editor)
        self._editor = editor

    def sizeHint(self) -> QSize:
        return QSize(self._editor.margin_width, 0)

    @safe
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self._editor.paint_numbers(painter, event.rect())
        painter.end()
