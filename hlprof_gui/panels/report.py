"""Dock: the report on the open trace, made in the background as soon as it is open."""

from __future__ import annotations

import re
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QTextBlockFormat, QTextCharFormat, QTextCursor, QTextFrameFormat, QTextLength, QTextTable
from PySide6.QtWidgets import QTextBrowser, QVBoxLayout, QWidget

from hlprof_core.errors import HlprofError
from hlprof_core.progress import Progress
from hlprof_core.trace.model import Trace
from hlprof_gui.notify import safe
from hlprof_gui.widgets.panel import PanelContext

HEADINGS = {1: (17, 0, 2), 2: (14, 18, 6), 3: (13, 12, 4)}
"""Letter height, space above and space below of each heading level, pixels."""

TABLE_PIXELS = 12


class ReportPanel(QWidget):
    """Text with tables; a failure is told here and leaves the rest of the window alone."""

    def __init__(self, context: PanelContext) -> None:
        super().__init__()
        self.setObjectName("panelBody")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._context = context
        self._markdown = ""
        self.text = QTextBrowser()
        self.text.setAccessibleName("Report")
        self.text.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.text.setProperty("frameless", True)
        self.text.setOpenLinks(False)
        self.text.document().setDocumentMargin(14)
        self.text.document().setIndentWidth(18)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.text)
        context.state.trace_changed.connect(self.refresh)
        context.theme.changed.connect(self._render)
        self.refresh()

    @safe
    def refresh(self) -> None:
        """Report on the trace that is open now."""
        trace = self._context.state.trace
        self._context.jobs.cancel("report")
        if trace is None:
            self._show("Open a trace to see where its time goes.")
            return
        self._show("Working out where the time goes …")
        self._context.jobs.start("report", "Report", lambda progress: build_markdown(trace, progress), self._show, self._fail)

    def _show(self, markdown: str) -> None:
        self._markdown = markdown
        self._render()

    def _fail(self, error: HlprofError) -> None:
        self._show(f"**No report.** {error.message} {error.hint}")

    @safe
    def _render(self) -> None:
        self.text.setMarkdown(self._markdown)
        self._style()

    def _style(self) -> None:
        """Quiet headings and tables: full width, thin lines, air around the numbers."""
        border = self._context.theme.color("border")
        block = self.text.document().begin()
        while block.isValid():
            level = block.blockFormat().headingLevel()
            if level in HEADINGS:
                pixels, above, below = HEADINGS[level]
                cursor = QTextCursor(block)
                room = QTextBlockFormat(block.blockFormat())
                room.setTopMargin(above)
                room.setBottomMargin(below)
                cursor.setBlockFormat(room)
                cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
                letters = QTextCharFormat()
                letters.setProperty(QTextCharFormat.Property.FontSizeAdjustment, 0)
                letters.setProperty(QTextCharFormat.Property.FontPixelSize, pixels)
                letters.setFontWeight(QFont.Weight.DemiBold)
                cursor.mergeCharFormat(letters)
            elif QTextCursor(block).currentTable() is not None:
                cursor = QTextCursor(block)
                cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
                small = QTextCharFormat()
                small.setProperty(QTextCharFormat.Property.FontPixelSize, TABLE_PIXELS)
                cursor.mergeCharFormat(small)
            block = block.next()

        def visit(frame: Any) -> None:
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
                visit(child)

        visit(self.text.document().rootFrame())


def build_markdown(trace: Trace, progress: Progress) -> str:
    """The report as Markdown; runs in a working thread."""
    from hlprof_core.services import build_report, report_markdown

    return keep_units(report_markdown([build_report(trace, progress)]))


def keep_units(markdown: str) -> str:
    """Numbers stay on one line with their unit, however narrow the panel."""
    return re.sub(r"(?<=\d) (?=(?:ns|µs|ms|s|%|[KMGT]?i?B)\b|%)", "\N{NO-BREAK SPACE}", markdown)
