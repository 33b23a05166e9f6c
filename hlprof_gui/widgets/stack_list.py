"""Call stacks as a list: frames from the outermost to the innermost, to be looked at and copied."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QStringListModel, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QLabel, QListView, QSizePolicy, QVBoxLayout, QWidget

from hlprof_gui.commands.command import Deeds
from hlprof_gui.notify import safe
from hlprof_gui.widgets.context_menu import attach_menu
from hlprof_gui.widgets.own_keys import keep_moving_keys
from hlprof_gui.widgets.panel import PanelContext

MOST_SHOWN = 9
"""So many frames are seen at once; the others scroll."""
AT_END = "— where it ends —"


class StackList(QWidget):
    """Hidden while there is no stack."""

    def __init__(self, context: PanelContext) -> None:
        super().__init__()
        self._context = context
        self._title = QLabel()
        self._title.setProperty("dim", True)
        self.model = QStringListModel(self)
        self.view = QListView()
        self.view.setModel(self.model)
        self.view.setAccessibleName("Stack")
        self.view.setFont(context.theme.mono_font)
        self.view.setAlternatingRowColors(True)
        self.view.setUniformItemSizes(True)
        self.view.setSelectionMode(QListView.SelectionMode.ExtendedSelection)
        self.view.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.view.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        keep_moving_keys(self.view)
        attach_menu(self.view, "stack", context.menu, self._deeds)
        copy = QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), self.view, context=Qt.ShortcutContext.WidgetShortcut)
        copy.activated.connect(self.copy_chosen)
        self._title.setBuddy(self.view)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self._title)
        layout.addWidget(self.view)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.hide()

    def show_stacks(self, stack: Sequence[str], end_stack: Sequence[str]) -> None:
        """Frames of the stack, and below them those of another one at the end."""
        lines = [*stack, *((AT_END, *end_stack) if end_stack else ())]
        if lines != self.model.stringList():
            self.model.setStringList(lines)
            frames = len(stack) or len(end_stack)
            self._title.setText(f"Stack · {frames:,} frames, the outermost first" if frames > 1 else "Stack · 1 frame")
            row = max(self.view.sizeHintForRow(0), 18) if lines else 18
            self.view.setFixedHeight(row * min(len(lines), MOST_SHOWN) + 2 * self.view.frameWidth() + 2)
            self.view.scrollToBottom()
        self.setVisible(bool(lines))

    @property
    def text(self) -> str:
        """All of it, a frame a line."""
        return "\n".join(self.model.stringList())

    def _deeds(self, _index: QModelIndex) -> Deeds:
        return {"copy_row": self.copy_chosen, "copy_table": lambda: self._put(self.text)}

    @safe
    def copy_chosen(self) -> None:
        """Put the chosen frames on the clipboard."""
        self._put("\n".join(str(index.data()) for index in sorted(self.view.selectedIndexes(), key=QModelIndex.row)))

    def _put(self, text: str) -> None:
        if text:
            QGuiApplication.clipboard().setText(text)
            frames = text.count("\n") + 1
            self._context.notifier.post(f"Copied {frames:,} frame{'s' * (frames != 1)}.")
