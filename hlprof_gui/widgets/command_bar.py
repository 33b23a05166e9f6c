"""The tool bar of a window: buttons of commands, a spring, and widgets between them."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QMainWindow, QSizePolicy, QToolBar, QWidget

from hlprof_gui.commands.command import Commands
from hlprof_gui.notify import safe
from hlprof_gui.widgets.actions import ActionSet

ICON = QSize(20, 20)


class CommandBar(QToolBar):
    """Fixed at the top of ``window``; its buttons do not take the keyboard from what is worked on."""

    def __init__(self, window: QMainWindow, commands: Commands, actions: ActionSet) -> None:
        super().__init__("Toolbar", window)
        self._commands, self._actions_by_id = commands, actions
        self._placed: list[QAction] = []
        self._optional: tuple[tuple[str, ...], ...] = ()
        self._given_up = 0
        self._elastic: QWidget | None = None
        self.setObjectName("toolbar")
        self.setMovable(False)
        self.setIconSize(ICON)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        window.addToolBar(self)

    def fill(self, ids: tuple[str, ...]) -> None:
        """Add buttons; an empty id is a line."""
        for command_id in ids:
            if not command_id:
                self._placed.append(self.addSeparator())
                continue
            action = self._actions_by_id[command_id]
            self._insert(None, action)
            self._placed.append(action)

    def keep_room_for(self, elastic: QWidget, groups: tuple[tuple[str, ...], ...]) -> None:
        """A narrow window first makes ``elastic`` smaller, then goes without groups of buttons; their commands stay in menus and on keys.

        Qt would hide behind an arrow what does not fit, ``elastic`` first.
        """
        self._elastic, self._optional = elastic, groups

    def _least_width(self) -> int:
        """Width without all the buttons that can be given up, ``elastic`` at its smallest."""
        assert self._elastic is not None
        shown = sum(self._width_of(group) for group in self._optional[self._given_up :])
        return self.sizeHint().width() - shown - self._elastic.sizeHint().width() + self._elastic.minimumSizeHint().width()

    def _width_of(self, group: tuple[str, ...]) -> int:
        return len(group) * (self.widgetForAction(self._placed[0]).sizeHint().width() + self.layout().spacing())

    def _fit(self) -> None:
        """Show as many buttons as there is room for."""
        if self._elastic is None:
            return
        needed, count = self._least_width(), 0
        self.window().setMinimumWidth(needed)
        widths = [self._width_of(group) for group in self._optional]
        while count < len(widths) and needed + sum(widths[count:]) > self.width():
            count += 1
        if count == self._given_up:
            return
        self._given_up = count
        gone = {command_id for group in self._optional[:count] for command_id in group}
        present = self.actions()
        for place, action in enumerate(self._placed):
            if action.objectName() in gone and action in present:
                self.removeAction(action)
            elif action.objectName() not in gone and action not in present:
                following = next((a for a in self._placed[place + 1 :] if a in present), None)
                self._insert(following, action)
                present = self.actions()
        self._tidy_lines()

    def _tidy_lines(self) -> None:
        """One line between two groups of buttons, whatever is left of them."""
        is_after_line = True
        for action in self.actions():
            if action.isSeparator():
                action.setVisible(not is_after_line)
            is_after_line = action.isSeparator()

    def _insert(self, following: QAction | None, action: QAction) -> None:
        if following is None:
            self.addAction(action)
        else:
            self.insertAction(following, action)
        button = self.widgetForAction(action)
        button.setAccessibleName(self._commands.get(action.objectName()).title.rstrip("…"))
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def add_spring(self) -> None:
        """What follows is at the right border."""
        spring = QWidget()
        spring.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.addWidget(spring)

    @safe
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()
