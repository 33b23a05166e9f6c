"""Ctrl+Shift+P: type a few letters, run any command."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from hlprof_gui.commands.catalog import find_commands
from hlprof_gui.commands.command import AnyCommand, Commands
from hlprof_gui.notify import safe, safe_or
from hlprof_gui.theme.theme import Theme
from hlprof_gui.widgets.actions import ActionSet, key_texts

COMMAND = Qt.ItemDataRole.UserRole
ROW_HEIGHT = 34


class CommandDelegate(QStyledItemDelegate):
    """Icon, title, and the key at the right border."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: object) -> QSize:
        return QSize(100, ROW_HEIGHT)

    @safe
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        command: AnyCommand = index.data(COMMAND)
        theme, area = self._theme, QRect(option.rect)
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("group"))
            painter.drawRoundedRect(area.adjusted(2, 1, -2, -1), 4, 4)
        if command.icon:
            theme.icon(command.icon).paint(painter, QRect(area.left() + 10, area.top() + 9, 16, 16))
        painter.setFont(theme.ui_font)
        painter.setPen(theme.color("text"))
        painter.drawText(area.adjusted(36, 0, -120, 0), Qt.AlignmentFlag.AlignVCenter, command.title.rstrip("…"))
        painter.setPen(theme.color("text_dim"))
        painter.setFont(theme.small_font)
        right = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        painter.drawText(area.adjusted(0, 0, -12, 0), right, "   ".join(key_texts(command)))
        painter.restore()


class CommandPalette(QDialog):
    """A field and a list; Enter runs, Escape leaves."""

    def __init__(self, commands: Commands, actions: ActionSet, shell: Any, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Find Command")
        theme.dress(self)
        self._commands = [c for c in commands if c.when(shell) and c.id != "help.show_palette"]
        self._actions = actions
        box = QFrame()
        box.setObjectName("paletteBox")
        self.field = QLineEdit()
        self.field.setPlaceholderText("Type a command")
        self.field.setAccessibleName("Command")
        self.list = QListWidget()
        self.list.setAccessibleName("Commands")
        self.list.setItemDelegate(CommandDelegate(theme, self.list))
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        inside = QVBoxLayout(box)
        inside.setContentsMargins(10, 10, 10, 10)
        inside.setSpacing(8)
        inside.addWidget(self.field)
        inside.addWidget(self.list)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(box)
        self.resize(560, 430)
        self.field.textChanged.connect(self._filter)
        self.field.installEventFilter(self)
        self.list.itemClicked.connect(self._run)
        self._filter("")
        self.move(parent.mapToGlobal(QPoint((parent.width() - self.width()) // 2, 70)))
        self.field.setFocus()

    @safe
    def _filter(self, words: str) -> None:
        self.list.clear()
        for command in find_commands(self._commands, words):
            item = QListWidgetItem(command.title)
            item.setData(COMMAND, command)
            item.setToolTip(command.help)
            self.list.addItem(item)
        self.list.setCurrentRow(0)

    @safe_or(False)
    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return False
        if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up) and self.list.count():
            by = 1 if event.key() == Qt.Key.Key_Down else -1
            self.list.setCurrentRow((self.list.currentRow() + by) % self.list.count())
            return True
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._run(self.list.currentItem())
            return True
        return False

    @safe
    def _run(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            command: AnyCommand = item.data(COMMAND)
            self.close()
            self._actions.run(command)
