"""Dock: the report on the open trace, made in the background as soon as it is open."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from PySide6.QtCore import QPoint, Qt, QUrl
from PySide6.QtGui import QGuiApplication, QTextDocument
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from hlprof_core.errors import HlprofError
from hlprof_core.progress import Progress
from hlprof_core.trace.model import Trace
from hlprof_core.trace.ranges import TimeRange
from hlprof_gui.commands.command import Deeds
from hlprof_gui.notify import safe
from hlprof_gui.viewmodels.sheets import file_stem
from hlprof_gui.widgets.context_menu import MenuRequest
from hlprof_gui.widgets.own_keys import keep_moving_keys
from hlprof_gui.widgets.panel import PanelContext
from hlprof_gui.widgets.rich_text import RichText, styled_document
from hlprof_gui.widgets.soon import Soon
from hlprof_gui.widgets.work_bar import WorkBar

if TYPE_CHECKING:
    from hlprof_core.report.model import Report

PATIENCE_S = 0.4
"""So long nothing is shown of a report that is not complete."""
JOB, EXPORT = "report", "report.export"

class ReportPanel(QWidget):
    """Text with tables; a failure is told here and leaves the rest of the window alone."""

    def __init__(self, context: PanelContext) -> None:
        super().__init__()
        self.setObjectName("panelBody")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._context = context
        self._markdown = ""
        self._report: Report | None = None
        self._part = ""
        """What is known of a report that is being made."""
        self._document: QTextDocument | None = None
        self._next: QTextDocument | None = None
        self._later = Soon(self)
        self.text = RichText()
        self.text.setAccessibleName("Report")
        # One that came with the text would make Qt lay all of it out again.
        self.text.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        keep_moving_keys(self.text)
        self.text.anchorClicked.connect(self._follow)
        self.text.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.text.customContextMenuRequested.connect(self._show_menu)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        self.export_button = QPushButton("Export…")
        self.export_button.setToolTip("Write the report as a page or as Markdown")
        self.export_button.setAccessibleName("Export Report")
        self.export_button.clicked.connect(self._export)
        self.again_button = QPushButton("Make Report")
        self.again_button.clicked.connect(self.refresh)
        self.work = WorkBar(context.jobs, (JOB, EXPORT), self._stopped)
        head = QHBoxLayout()
        head.setContentsMargins(12, 4, 8, 4)
        head.addWidget(self.work)
        head.addStretch()
        head.addWidget(self.again_button)
        head.addWidget(self.export_button)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(self.text)
        context.state.trace_changed.connect(self.refresh)
        context.theme.follow(self, self._render)
        self.refresh()

    @safe
    def refresh(self) -> None:
        """Report on the trace that is open now."""
        trace = self._context.state.trace
        self._context.jobs.cancel(JOB)
        self._take(None)
        if trace is None:
            self._show("Open a trace to see where its time goes.")
            return
        self._show("Working out where the time goes …")
        self._context.jobs.start_streaming(
            JOB, "Report", lambda progress, part: make_report(trace, progress, part), self._show_part, self._made, self._fail
        )

    def _show_part(self, markdown: str) -> None:
        self._part = markdown
        self._show(f"{markdown}\n\n*More is being worked out …*\n")

    def _made(self, made: tuple[Report, str]) -> None:
        self._take(made[0])
        self._show(made[1])

    def _take(self, report: Report | None) -> None:
        self._report, self._part = report, ""
        self.export_button.setVisible(report is not None)
        self.again_button.hide()

    def _stopped(self, key: str) -> None:
        if key == JOB:
            self._show(f"{self._part}\n\n**The report was stopped before its end.**\n")
            self.again_button.show()

    @safe
    def _export(self, *_: object) -> None:
        trace = self._context.state.trace
        if trace is None:
            return
        proposal = self._context.settings.folder / f"{file_stem(trace)}-report.html"
        name, chosen = QFileDialog.getSaveFileName(self, "Export Report", str(proposal), "Page (*.html);;Markdown (*.md)")
        if name:
            target = Path(name)
            self.save_to(target if target.suffix in (".html", ".md") else Path(f"{name}{'.md' if chosen.startswith('Mark') else '.html'}"))

    def save_to(self, target: Path) -> None:
        """Write the report, as Markdown where the name ends so, else as a page."""
        report = self._report
        if report is None:
            return

        def work(_progress: Progress) -> None:
            from hlprof_core.services import report_html, report_markdown, write_whole

            write_whole(target, report_markdown([report]) if target.suffix == ".md" else report_html([report]))

        self._context.jobs.start(EXPORT, f"Writing {target.name}", work, lambda _: self._context.notifier.post(f"Saved {target}."))

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

    @safe
    def _show_menu(self, at: QPoint) -> None:
        """About the number there, the marked text, or all of the report."""
        link, has_marked = self.text.anchorAt(at), self.text.textCursor().hasSelection()
        deeds: Deeds = {
            **({"go_to": lambda: self._follow(QUrl(link))} if link else {}),
            **({"copy_selected": self.text.copy} if has_marked else {}),
            **({"copy_table": self._copy_all, "export_table": self._export} if self._report is not None else {}),
        }
        self._context.menu(MenuRequest("report", self.text.viewport().mapToGlobal(at), deeds=deeds))

    def _copy_all(self) -> None:
        from hlprof_core.services import report_markdown

        if self._report is not None:
            QGuiApplication.clipboard().setText(report_markdown([self._report]))
            self._context.notifier.post("Copied the report as Markdown.")

    def _fail(self, error: HlprofError) -> None:
        from hlprof_core.report.markdown import escape

        self._show(f"**No report.** {escape(f'{error.message} {error.hint}')}")

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


def make_report(trace: Trace, progress: Progress, part: Callable[[str], object]) -> tuple[Report, str]:
    """The report, and as Markdown; runs in a working thread. ``part`` gets what can be shown already."""
    from hlprof_core.services import build_report, report_markdown

    def shown(report: Report) -> str:
        return keep_units(report_markdown([report], linked=True))

    started = time.monotonic()
    told = 0.0

    def tell(report: Report) -> None:
        # A small trace is reported on at once: nothing flickers.
        nonlocal told
        now = time.monotonic()
        if now - max(started, told) > PATIENCE_S:
            told = now
            part(shown(report))

    report = build_report(trace, progress, tell)
    return report, shown(report)


def keep_units(markdown: str) -> str:
    """Numbers stay on one line with their unit, however narrow the panel."""
    return re.sub(r"(?<=\d) (?=(?:ns|µs|ms|s|%|[KMGT]?i?B)\b|%)", "\N{NO-BREAK SPACE}", markdown)
