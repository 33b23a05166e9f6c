"""Markdown as a document for a narrow panel: quiet headings, full-width tables with thin lines, air around the numbers."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import (
    QColor,
    QFont,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFrame,
    QTextFrameFormat,
    QTextLength,
    QTextTable,
)

from hlprof_gui.theme.theme import Theme

HEADINGS = {1: (17, 0, 2), 2: (14, 18, 6), 3: (13, 12, 4)}
"""Letter height, space above and space below of each heading level, pixels."""
TABLE_PIXELS = 12


def styled_document(markdown: str, theme: Theme, parent: QObject) -> QTextDocument:
    """A finished document to be shown as a whole: styling one that is on the screen lays it out again at every step."""
    document = QTextDocument(parent)
    document.setDefaultFont(theme.ui_font)
    document.setDocumentMargin(14)
    document.setIndentWidth(18)
    document.setMarkdown(markdown)
    block = document.begin()
    while block.isValid():
        _style_block(block)
        block = block.next()
    _style_tables(document.rootFrame(), theme.color("border"))
    document.setUndoRedoEnabled(False)
    return document


def _style_block(block: QTextBlock) -> None:
    cursor = QTextCursor(block)
    level = block.blockFormat().headingLevel()
    letters = QTextCharFormat()
    if level in HEADINGS:
        pixels, above, below = HEADINGS[level]
        room = QTextBlockFormat(block.blockFormat())
        room.setTopMargin(above)
        room.setBottomMargin(below)
        cursor.setBlockFormat(room)
        letters.setProperty(QTextCharFormat.Property.FontSizeAdjustment, 0)
        letters.setFontWeight(QFont.Weight.DemiBold)
    elif cursor.currentTable() is not None:
        pixels = TABLE_PIXELS
    else:
        return
    letters.setProperty(QTextCharFormat.Property.FontPixelSize, pixels)
    cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
    cursor.mergeCharFormat(letters)


def _style_tables(frame: QTextFrame, border: QColor) -> None:
    for child in frame.childFrames():
        if isinstance(child, QTextTable):
            look = child.format()
            look.setCellPadding(4)
            look.setCellSpacing(0)
            look.setBorder(1)
            look.setBorderBrush(border)
            look.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
            look.setBorderCollapse(True)
            look.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
            look.setTopMargin(4)
            look.setBottomMargin(10)
            child.setFormat(look)
        _style_tables(child, border)
