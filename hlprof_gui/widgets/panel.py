"""What a panel gets, and the list of panels: docks are found here, so a new one needs no change in the window."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Literal

from msgspec import Struct
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QScrollArea, QTabBar, QWidget

from hlprof_gui.jobs import JobRunner
from hlprof_gui.notify import Notifier, safe
from hlprof_gui.settings import Settings
from hlprof_gui.state.view_state import ViewState
from hlprof_gui.theme.theme import Theme
from hlprof_gui.viewmodels.search import SearchViewModel
from hlprof_gui.widgets.context_menu import MenuRequest


class PanelContext(Struct, frozen=True):
    """Everything a panel may use."""

    state: ViewState
    theme: Theme
    search: SearchViewModel
    jobs: JobRunner
    notifier: Notifier
    settings: Settings
    show: Callable[[str], None]
    """Bring the panel of that id to the front."""
    menu: Callable[[MenuRequest], None]
    """Open a menu at the pointer."""


class PanelEntry(Struct, frozen=True):
    """``target`` is ``module:class``, called with the context; ``area`` where the dock is at first."""

    id: str
    title: str
    icon: str
    target: str
    area: Literal["right", "bottom"] = "right"
    is_open: bool = True

    def load(self) -> Callable[[PanelContext], QWidget]:
        """The panel's class. In the GUI thread, as PySide makes the types of a module when it is loaded."""
        module, _, name = self.target.partition(":")
        maker: Callable[[PanelContext], QWidget] = getattr(importlib.import_module(module), name)
        return maker

    def make(self, context: PanelContext) -> QWidget:
        """Make the widget."""
        return self.load()(context)


class PanelDock(QDockWidget):
    """The place of a panel, which is made when it is shown for the first time."""

    def __init__(self, entry: PanelEntry, context: PanelContext, parent: QWidget) -> None:
        super().__init__(entry.title, parent)
        self._entry, self._context = entry, context
        self._panel: QWidget | None = None
        self.setObjectName(f"dock.{entry.id}")
        self.setFeatures(QDockWidget.DockWidgetFeature.DockWidgetMovable | QDockWidget.DockWidgetFeature.DockWidgetClosable)
        # Not its show event: a dock behind another tab has that too.
        self.visibilityChanged.connect(self._seen)

    @property
    def panel(self) -> QWidget:
        """The panel, made now if it was not there yet."""
        if self._panel is None:
            self._context.theme.dress(self)
            panel = self._panel = self._entry.make(self._context)
            panel.setAccessibleName(self._entry.title)
            # A dock may be lower or narrower than its panel needs: then it scrolls instead of making the window larger.
            area = QScrollArea(widgetResizable=True, focusPolicy=Qt.FocusPolicy.NoFocus)
            area.setFrameShape(QScrollArea.Shape.NoFrame)
            area.setWidget(panel)
            self.setWidget(area)
        return self._panel

    def dress_tabs(self) -> None:
        """Qt makes a new row of tabs when docks are put over each other, also when it restores where they were or shows the window."""
        for bar in self.parent().findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly):
            self._context.theme.dress(bar)

    @safe
    def _seen(self, is_visible: bool) -> None:
        if is_visible:
            self.panel.show()
            self.dress_tabs()


PANELS = (
    PanelEntry("details", "Details", "details", "hlprof_gui.panels.details:DetailsPanel"),
    PanelEntry("report", "Report", "report", "hlprof_gui.panels.report:ReportPanel"),
    PanelEntry("matches", "Search Results", "search", "hlprof_gui.panels.matches:MatchesPanel", "bottom", is_open=False),
    PanelEntry("sql", "SQL", "sql", "hlprof_gui.panels.sql:SqlPanel", "bottom", is_open=False),
    PanelEntry("notes", "Notes", "note", "hlprof_gui.panels.notes:NotesPanel", "bottom", is_open=False),
    PanelEntry("statistics", "Statistics", "statistics", "hlprof_gui.panels.statistics:StatisticsPanel", "bottom", is_open=False),
    PanelEntry("counters", "Counters", "counters", "hlprof_gui.panels.counters:CountersPanel", "bottom", is_open=False),
    PanelEntry("diagnostics", "File Diagnostics", "diagnostics", "hlprof_gui.panels.diagnostics:DiagnosticsPanel", "bottom", is_open=False),
)
