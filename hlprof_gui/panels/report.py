"""Dock: the report on the open trace, made in the background as soon as it is open."""

from __future__ import annotations

import re
from urllib.parse import unquote

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QVBoxLayout, QWidget

from hlprof_core.errors import HlprofError
from hlprof_core.progress import Progress
from hlprof_core.trace.model import Trace
from hlprof_core.trace.ranges import TimeRange
from hlprof_gui.notify import safe
from hlprof_gui.widgets.panel import PanelContext
from hlprof_gui.widgets.rich_text import RichText, styled_document
from hlprof_gui.widgets.soon import Soon


class ReportPanel(QWidget):
    """Text with tables; a failure is told here and leaves the rest of the window alone."""

    def __init__(self, context: PanelContext) -> None:
        super().__init__()
        self.setObjectName("panelBody")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._context = context
        self._markdown = ""
        self._document: QTextDocument | None = None
        self._next: QTextDocument | None = None
        self._later = Soon(self)
        self.text = RichText()
        self.text.setAccessibleName("Report")
        # One that came with the text would make Qt lay all of it out again.
        self.text.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.text.anchorClicked.connect(self._follow)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.text)
        context.state.trace_changed.connect(self.refresh)
        context.theme.follow(self, self._render)
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

    @safe
    def _follow(self, url: QUrl) -> None:
        """Show what a number is about: its slices as search results, or its time."""
        kind, _, what = unquote(url.toString(QUrl.ComponentFormattingOption.FullyEncoded)).partition(":")
        if kind == "filter":
            self._context.search.set_words(what)
            self._context.show("matches")
        elif kind == "time":
            start, _, end = what.partition("-")
            span = TimeRange(int(start), int(end))
            self._context.state.set_range(span)
            self._context.state.set_window(span)

    def _fail(self, error: HlprofError) -> None:
        self._show(f"**No report.** {error.message} {error.hint}")

    @safe
    def _render(self) -> None:
        """Make the document, lay it out, show it: three pieces of work, between which the window answers."""
        if self._next is not None:
            self._next.deleteLater()
        self._next = styled_document(self._markdown, self._context.theme, self.text)
        self._later.start(self._lay_out)

    @safe
    def _lay_out(self) -> None:
        assert self._next is not None
        self._next.setTextWidth(self.text.viewport().width())
        self._next.documentLayout().documentSize()
        self._later.start(self._exchange)

    @safe
    def _exchange(self) -> None:
        former, self._document, self._next = self._document, self._next, None
        assert self._document is not None
        self.text.setDocument(self._document)
        if former is not None:
            former.deleteLater()


def build_markdown(trace: Trace, progress: Progress) -> str:
    """The report as Markdown; runs in a working thread."""
    from hlprof_core.services import build_report, report_markdown

    return keep_units(report_markdown([build_report(trace, progress)], linked=True))


def keep_units(markdown: str) -> str:
    """Numbers stay on one line with their unit, however narrow the panel."""
    return re.sub(r"(?<=\d) (?=(?:ns|µs|ms|s|%|[KMGT]?i?B)\b|%)", "\N{NO-BREAK SPACE}", markdown)
