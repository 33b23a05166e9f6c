"""The tool bar of a window: buttons of commands, a spring, and widgets between them."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QMainWindow, QSizePolicy, QToolBar, QWidget

from hlprof_gui.commands.command import Commands
from hlprof_gui.widgets.actions import ActionSet

ICON = QSize(20, 20)


class CommandBar(QToolBar):
    """Fixed at the top of ``window``; its buttons do not take the keyboard from what is worked on."""

    def __init__(self, window: QMainWindow, commands: Commands, actions: ActionSet) -> None:
        super().__init__("Toolbar", window)
        self._commands, self._actions_by_id = commands, actions
        self.setObjectName("toolbar")
        self.setMovable(False)
        self.setIconSize(ICON)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        window.addToolBar(self)

    def fill(self, ids: tuple[str, ...]) -> None:
        """Add buttons; an empty id is a line."""
        for command_id in ids:
            if not command_id:
                self.addSeparator()
                continue
            action = self._actions_by_id[command_id]
            self.addAction(action)
            button = self.widgetForAction(action)
            button.setAccessibleName(self._commands.get(command_id).title.rstrip("…"))
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def add_spring(self) -> None:
        """What follows is at the right border."""
        spring = QWidget()
        spring.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.addWidget(spring)
