"""Markdown in a narrow panel: quiet headings, full-width tables with thin lines, long names broken between their parts."""

from __future__ import annotations

import re

from PySide6.QtCore import QMimeData, QObject
from PySide6.QtGui import (
    QColor,
    QFont,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrame,
    QTextFrameFormat,
    QTextLength,
    QTextOption,
    QTextTable,
)
from PySide6.QtWidgets import QTextBrowser

from hlprof_gui.notify import safe
from hlprof_gui.theme.theme import Theme
from hlprof_gui.viewmodels.short_texts import IN_LINE, MAY_BREAK

HEADINGS = {1: (17, 0, 2), 2: (14, 18, 6), 3: (13, 12, 4)}
"""Letter height, space above and space below of each heading level, pixels."""
TABLE_PIXELS = 11
LONG_RUN = re.compile(r"\]\([^)\s]*\)|(?:\\[^_\s]|[^\s_/\\\[\]]){40,}")
"""Goals of links, and stretches of a name that offer no place to break."""
LETTER = re.compile(r"\\.|.")
WRAPPING = QTextOption.WrapMode.WordWrap
TABLE_WIDTH = 98
"""Percent of the panel: Qt rounds each column up, and a table as wide as the panel would bring a scroll bar for a pixel."""
QUOTE_INDENT, QUOTE_GAP = 12, 6


class RichText(QTextBrowser):
    """Shows a styled document; numbers stay whole, and what is copied is what was written."""

    def __init__(self) -> None:
        super().__init__()
        self.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.setProperty("frameless", True)
        self.setOpenLinks(False)
        self.setWordWrapMode(WRAPPING)

    @safe
    def createMimeDataFromSelection(self) -> QMimeData:
        selection, data = self.textCursor().selection(), QMimeData()
        data.setText(selection.toPlainText().replace(MAY_BREAK, ""))
        data.setHtml(selection.toHtml().replace(MAY_BREAK, ""))
        return data


def styled_document(markdown: str, theme: Theme, parent: QObject) -> QTextDocument:
    """A finished document to be shown as a whole: styling one that is on the screen lays it out again at every step."""
    document = QTextDocument(parent)
    document.setDefaultFont(theme.ui_font)
    option = document.defaultTextOption()
    option.setWrapMode(WRAPPING)  # as the widget that shows it: another one is laid out a third time when it gets there
    document.setDefaultTextOption(option)
    document.setDocumentMargin(14)
    document.setIndentWidth(18)
    document.setMarkdown(LONG_RUN.sub(_broken, markdown).replace("\\_", f"\\_{MAY_BREAK}").replace("/", f"/{MAY_BREAK}"))
    block = document.begin()
    while block.isValid():
        _style_block(block, theme.color("text"))
        block = block.next()
    _style_tables(document.rootFrame(), theme.color("border"))
    document.setUndoRedoEnabled(False)
    return document


def _broken(run: re.Match[str]) -> str:
    """May be broken at every letter, and ends early when it is very long; the goal of a link stays."""
    if run[0].startswith("]("):
        return run[0]
    letters = LETTER.findall(run[0])
    return MAY_BREAK.join(letters if len(letters) <= IN_LINE else [*letters[: IN_LINE - 1], "…"])


def _style_block(block: QTextBlock, ink: QColor) -> None:
    cursor = QTextCursor(block)
    level = block.blockFormat().headingLevel()
    _soften_bold(block)
    letters = QTextCharFormat()
    if level in HEADINGS:
        pixels, above, below = HEADINGS[level]
        room = QTextBlockFormat(block.blockFormat())
        room.setTopMargin(above)
        room.setBottomMargin(below)
        cursor.setBlockFormat(room)
        letters.setProperty(QTextCharFormat.Property.FontSizeAdjustment, 0)
        letters.setFontWeight(QFont.Weight.DemiBold)
    elif (table := cursor.currentTable()) is not None:
        pixels = TABLE_PIXELS
        if table.cellAt(cursor).column() > 0:
            # One coloured word a row says that it leads somewhere; its numbers do so too, and stay quiet.
            letters.setForeground(ink)
            letters.setFontUnderline(False)
    else:
        if block.blockFormat().property(QTextFormat.Property.BlockQuoteLevel):
            room = QTextBlockFormat(block.blockFormat())
            room.setLeftMargin(QUOTE_INDENT)
            room.setRightMargin(0)
            room.setTopMargin(QUOTE_GAP)
            cursor.setBlockFormat(room)
        return
    letters.setProperty(QTextCharFormat.Property.FontPixelSize, pixels)
    cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
    cursor.mergeCharFormat(letters)


def _soften_bold(block: QTextBlock) -> None:
    """The shipped font has no bold: its semi-bold letters stand for it, instead of smeared ones."""
    fragments = [part.fragment() for part in block]
    semi = QTextCharFormat()
    semi.setFontWeight(QFont.Weight.DemiBold)
    for fragment in fragments:
        if fragment.charFormat().fontWeight() > QFont.Weight.DemiBold:
            cursor = QTextCursor(block)
            cursor.setPosition(fragment.position())
            cursor.setPosition(fragment.position() + fragment.length(), QTextCursor.MoveMode.KeepAnchor)
            cursor.mergeCharFormat(semi)


def _style_tables(frame: QTextFrame, border: QColor) -> None:
    for child in frame.childFrames():
        if isinstance(child, QTextTable):
            look = child.format()
            look.setCellPadding(3)
            look.setCellSpacing(0)
            look.setBorder(1)
            look.setBorderBrush(border)
            look.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
            look.setBorderCollapse(True)
            look.setWidth(QTextLength(QTextLength.Type.PercentageLength, TABLE_WIDTH))
            look.setTopMargin(4)
            look.setBottomMargin(10)
            child.setFormat(look)
        _style_tables(child, border)
