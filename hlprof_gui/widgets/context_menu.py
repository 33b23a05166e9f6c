"""Menus at the pointer, made of commands; what they are about stays chosen while they are open."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct, field
from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtWidgets import QAbstractItemView, QMenu, QWidget
from shiboken6 import isValid

from hlprof_gui.commands.command import Deeds
from hlprof_gui.commands.context import CONTEXT_MENUS
from hlprof_gui.notify import safe
from hlprof_gui.state.view_state import Bundle
from hlprof_gui.widgets.actions import ActionSet


class MenuRequest(Struct, frozen=True, eq=False):
    """``place``: key of ``CONTEXT_MENUS``; ``at``: on the screen; ``row``: group and track (-1: none) that it is about."""

    place: str
    at: QPoint
    row: tuple[int, int] | None = None
    bundle: Bundle | None = None
    time_ns: int | None = None
    deeds: Deeds = field(default_factory=dict)


class ContextMenus:
    """The menus of one window."""

    def __init__(self, actions: ActionSet, shell: Any, window: QWidget) -> None:
        self._actions, self._shell, self._window = actions, shell, window

    def show(self, request: MenuRequest) -> None:
        """Open the menu and wait until it is closed."""
        shell, state = self._shell, self._shell.state
        state.row_target, state.bundle_target, state.time_target = request.row, request.bundle, request.time_ns
        shell.deeds = request.deeds
        self._actions.refresh()
        menu = QMenu(self._window)
        self._fill(menu, CONTEXT_MENUS[request.place])
        try:
            if menu.actions():
                menu.exec(request.at)
        finally:
            state.row_target = state.bundle_target = state.time_target = None
            shell.deeds = {}
            if isValid(menu):  # else the window was closed meanwhile, with all that is in it
                menu.deleteLater()
                self._actions.refresh()

    def _fill(self, menu: QMenu, ids: tuple[str, ...]) -> None:
        """What is available, with lines only between entries."""
        is_due = False
        for command_id in ids:
            if not command_id:
                is_due = bool(menu.actions())
            elif self._actions[command_id].isEnabled():
                if is_due:
                    menu.addSeparator()
                    is_due = False
                menu.addAction(self._actions[command_id])


def attach_menu(
    view: QAbstractItemView, place: str, show: Callable[[MenuRequest], None], deeds_of: Callable[[QModelIndex], Deeds]
) -> None:
    """A right click on a list, or the Menu key in it, opens the menu of a place about the entry there, which becomes the current one."""

    @safe
    def open_menu(at: QPoint) -> None:
        index = view.indexAt(at)
        if not index.isValid():
            index = view.currentIndex()
            at = view.visualRect(index).center()
        if index.isValid():
            if not view.selectionModel().isSelected(index):
                view.selectionModel().setCurrentIndex(index, view.selectionCommand(index))
            show(MenuRequest(place, view.viewport().mapToGlobal(at), deeds=deeds_of(index)))

    view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
    view.customContextMenuRequested.connect(open_menu)
