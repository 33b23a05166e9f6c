"""The files that a run left, and the way to look at them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QListWidgetItem, QPushButton, QVBoxLayout, QWidget

from hlprof_gui.config_window.live_page import dim_label
from hlprof_gui.config_window.page import PageContext
from hlprof_gui.notify import safe
from hlprof_gui.viewmodels.run_state import WrittenFile

FILE = Qt.ItemDataRole.UserRole


class FileList(QWidget):
    """The files that the run left; traces can be opened."""

    open_wanted = Signal(Path)

    def __init__(self, context: PageContext) -> None:
        super().__init__()
        self.title = dim_label("Files of the run", wrap=False)
        self.list = QListWidget()
        self.list.setAccessibleName("Files of the run")
        self.list.setProperty("framed", True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.list.itemActivated.connect(safe(lambda *_: self.open_current()))
        self.list.currentItemChanged.connect(safe(lambda *_: self._update_button()))
        self.button = QPushButton("Open")
        self.button.setToolTip("Show the trace in a window of its own")
        self.button.clicked.connect(safe(lambda *_: self.open_current()))
        head = QHBoxLayout()
        head.addWidget(self.title, 1)
        head.addWidget(self.button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addLayout(head)
        layout.addWidget(self.list, 1)
        self.setMinimumWidth(220)
        self.show_files(())

    def show_files(self, files: Sequence[WrittenFile]) -> None:
        """Replace the list; the first trace is chosen."""
        self.list.clear()
        for file in files:
            item = QListWidgetItem(file.text)
            item.setData(FILE, file)
            item.setToolTip(str(file.path))
            self.list.addItem(item)
        first = next((row for row, file in enumerate(files) if file.is_trace), 0)
        self.list.setCurrentRow(first if files else -1)
        self._update_button()

    def _current(self) -> WrittenFile | None:
        item = self.list.currentItem()
        return item.data(FILE) if item is not None else None

    def _update_button(self) -> None:
        file = self._current()
        self.button.setEnabled(file is not None and file.is_trace)

    def open_current(self) -> None:
        """Ask for the chosen trace to be shown."""
        file = self._current()
        if file is not None and file.is_trace:
            self.open_wanted.emit(file.path.absolute())
