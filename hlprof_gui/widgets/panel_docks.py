"""The panels of one window: where their docks lie, which are open, and how they go and come back with a trace."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtWidgets import QMainWindow

from hlprof_gui.widgets.panel import PanelContext, PanelDock, PanelEntry

AREAS = {"right": Qt.DockWidgetArea.RightDockWidgetArea, "bottom": Qt.DockWidgetArea.BottomDockWidgetArea}
LAYOUT_VERSION = 1


class PanelDocks:
    """Made with its window, placed by ``arrange`` when that has its tool bars and its size. Without a trace the panels have nothing to say:
    none is shown until they ``come_back``."""

    def __init__(self, window: QMainWindow, entries: Sequence[PanelEntry], context: PanelContext) -> None:
        self._window, self._entries = window, entries
        self._docks = {entry.id: PanelDock(entry, context, window) for entry in entries}
        self._open: list[str] = []
        self._first = self._kept = QByteArray()
        self._is_away = False

    def __getitem__(self, panel: str) -> PanelDock:
        return self._docks[panel]

    def __iter__(self) -> Iterator[PanelDock]:
        return iter(self._docks.values())

    def arrange(self, saved: QByteArray | None) -> None:
        """Place all docks as they were ``saved`` or at first: those of one side over each other as tabs, the first in front."""
        window = self._window
        window.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, window.tabPosition(Qt.DockWidgetArea.TopDockWidgetArea))
        front: dict[str, PanelDock] = {}
        for entry in self._entries:
            dock = self._docks[entry.id]
            window.addDockWidget(AREAS[entry.area], dock)
            if entry.area in front:
                window.tabifyDockWidget(front[entry.area], dock)
            front.setdefault(entry.area, dock)
            dock.setVisible(entry.is_open)
        for dock in front.values():
            dock.raise_()
        window.resizeDocks([front["right"]], [450], Qt.Orientation.Horizontal)
        window.resizeDocks([front["bottom"]], [220], Qt.Orientation.Vertical)
        self._first = window.saveState(LAYOUT_VERSION)
        if saved is not None:
            window.restoreState(saved, LAYOUT_VERSION)
        self.hide_all()

    @property
    def layout(self) -> QByteArray:
        """Where the docks lie, or did before they were hidden."""
        return self._kept if self._is_away else self._window.saveState(LAYOUT_VERSION)

    def hide_all(self) -> None:
        """Until they come back as they are now."""
        if self._is_away:
            return
        self._kept, self._is_away = self.layout, True
        self._open = [panel for panel, dock in self._docks.items() if not dock.isHidden()]
        for dock in self:
            dock.hide()

    def steps_to_make(self) -> list[Callable[[], object]]:
        """What it takes to make what ``come_back`` shows, in pieces."""
        panels = [partial(getattr, self._docks[panel], "panel") for panel in self._open]
        return [*panels, next(iter(self)).dress_tabs] if self._is_away else panels

    def come_back(self) -> None:
        """Show what ``hide_all`` hid."""
        if self._is_away:
            self._is_away = False
            self._window.restoreState(self._kept, LAYOUT_VERSION)

    def reset(self) -> None:
        """As they lay at first."""
        self._window.restoreState(self._first, LAYOUT_VERSION)

    def show(self, panel: str) -> None:
        """Open the panel and bring it to the front."""
        self._docks[panel].show()
        self._docks[panel].raise_()

    def toggle(self, panel: str) -> None:
        """Close it when it is seen, else show it."""
        if self.is_visible(panel):
            self._docks[panel].hide()
        else:
            self.show(panel)

    def is_visible(self, panel: str) -> bool:
        """Whether it is open and not covered by another tab."""
        dock = self._docks[panel]
        return dock.isVisibleTo(self._window) and not dock.visibleRegion().isEmpty()
