"""Qt actions made from the commands: one each, shared by menus, toolbar and shortcuts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from hlprof_gui.commands.command import AnyCommand, Commands
from hlprof_gui.notify import safe
from hlprof_gui.theme.theme import Theme


class ActionSet:
    """The actions of one window. ``refresh`` asks every command whether it is available and on."""

    def __init__(self, commands: Commands, shell: Any, window: QWidget, theme: Theme) -> None:
        self._commands = commands
        self._shell = shell
        self._theme = theme
        self._actions = {command.id: self._make(command, window) for command in commands}
        theme.follow(window, self.update_icons)
        self.update_icons()
        self.refresh()

    def _make(self, command: AnyCommand, window: QWidget) -> QAction:
        action = QAction(command.title, window)
        action.setObjectName(command.id)
        self._bind(action, command)
        action.setStatusTip("")
        action.setCheckable(command.is_on is not None)
        action.triggered.connect(safe(lambda *_: self.run(command)))
        window.addAction(action)
        return action

    def _bind(self, action: QAction, command: AnyCommand) -> None:
        action.setShortcuts([QKeySequence(key) for key in command.keys])
        keys = ", ".join(key_texts(command))
        action.setToolTip(f"{command.title.rstrip('…')} ({keys})\n{command.help}" if keys else f"{command.title}\n{command.help}")

    def rebind(self, commands: Commands) -> None:
        """The same commands with other keys."""
        for command in commands:
            self._bind(self._actions[command.id], command)

    def run(self, command: AnyCommand) -> None:
        """Do it when it is available."""
        if command.when(self._shell):
            command.run(self._shell)
        self.refresh()

    def __getitem__(self, command_id: str) -> QAction:
        return self._actions[command_id]

    @safe
    def refresh(self) -> None:
        """Bring enabled and checked states up to date; cheap."""
        for command in self._commands:
            action = self._actions[command.id]
            action.setEnabled(command.when(self._shell))
            if command.is_on is not None:
                action.setChecked(command.is_on(self._shell))

    @safe
    def update_icons(self) -> None:
        for command in self._commands:
            if command.icon:
                self._actions[command.id].setIcon(self._theme.icon(command.icon))

    def fill(self, menu: QMenu, ids: Sequence[str | tuple[str, tuple[str, ...]]]) -> None:
        """Add these commands to a menu; an empty id is a line, a title with ids a menu of its own."""
        for command_id in ids:
            if isinstance(command_id, tuple):
                title, inner = command_id
                self.fill(menu.addMenu(title), inner)
            elif command_id:
                menu.addAction(self[command_id])
            else:
                menu.addSeparator()


def key_texts(command: AnyCommand) -> list[str]:
    """The keys of a command as the platform writes them."""
    return [QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText) for key in command.keys]
