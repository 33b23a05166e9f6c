"""Menus and toolbar of the configuration window, from the declared commands."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMainWindow, QMenu, QToolButton, QWidget

from hlprof_core.config.templates import templates
from hlprof_gui.commands.command import Commands
from hlprof_gui.commands.configuration import MENUS, PAGE_COMMANDS, RECENT, TEMPLATES, TOOLBAR, TOOLBAR_END
from hlprof_gui.notify import safe
from hlprof_gui.theme.theme import Theme
from hlprof_gui.widgets.actions import ActionSet
from hlprof_gui.widgets.command_bar import CommandBar


def template_menu(parent: QWidget, start_from: Callable[[str], None]) -> QMenu:
    """One entry for each template."""
    menu = QMenu("New from Template", parent)
    menu.setToolTipsVisible(True)
    for entry in templates().values():
        action = menu.addAction(entry.name)
        action.setToolTip(entry.title)
        action.triggered.connect(safe(lambda *_, name=entry.name: start_from(name)))
    return menu


def fill_menu_bar(window: QMainWindow, actions: ActionSet, recent: QMenu, from_template: QMenu, pages: Sequence[str]) -> None:
    """``pages``: ids of the commands that show a page."""
    for title, ids in MENUS:
        menu = window.menuBar().addMenu(title)
        for command_id in ids:
            if command_id == RECENT:
                menu.addMenu(recent)
            elif command_id == TEMPLATES:
                menu.addMenu(from_template)
            elif command_id == PAGE_COMMANDS:
                actions.fill(menu, tuple(pages))
            else:
                actions.fill(menu, (command_id,))
        menu.aboutToShow.connect(actions.refresh)


def add_toolbar(window: QMainWindow, commands: Commands, actions: ActionSet, from_template: QMenu, theme: Theme) -> None:
    """The button of the templates opens their menu."""
    bar = CommandBar(window, commands, actions)
    theme.dress(bar)
    place = TOOLBAR.index(TEMPLATES)
    bar.fill(TOOLBAR[:place])
    bar.addWidget(_template_button(from_template, theme))
    bar.fill(TOOLBAR[place + 1 :])
    bar.add_spring()
    bar.fill(TOOLBAR_END)


def _template_button(menu: QMenu, theme: Theme) -> QToolButton:
    button = QToolButton()
    button.setMenu(menu)
    button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
    button.setToolTip("Start from a template")
    button.setAccessibleName("Templates")
    button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    tint = safe(lambda: button.setIcon(theme.icon("template")))
    theme.follow(button, tint)
    tint()
    return button
