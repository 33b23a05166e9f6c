"""The menu bar of a window that shows a trace, made of the lists of commands; two places are filled by the window."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QMenu, QMenuBar

from hlprof_gui.commands.catalog import MENUS, PANELS, RECENT
from hlprof_gui.widgets.actions import ActionSet


def fill_menu_bar(bar: QMenuBar, actions: ActionSet, panels: Sequence[str], make_recent: Callable[[QMenu], QMenu]) -> None:
    """``panels``: ids of the panels, each of which has a switch; ``make_recent``: the menu of recent files for its parent."""
    for title, entries in MENUS:
        menu = bar.addMenu(title)
        for entry in entries:
            if entry == RECENT:
                menu.addMenu(make_recent(menu))
            elif entry == PANELS:
                actions.fill(menu, tuple(f"panel.{panel}" for panel in panels))
            else:
                actions.fill(menu, (entry,))
        menu.aboutToShow.connect(actions.refresh)
