"""A card with the names of the files that a run will write."""

from __future__ import annotations

import time
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from hlprof_gui.config_window.live_page import plain_label
from hlprof_gui.config_window.page import PageContext
from hlprof_gui.notify import safe
from hlprof_gui.viewmodels.file_names import FileNames, expected_files
from hlprof_gui.widgets.landing import shorten


class FilePreview(QWidget):
    """``refresh`` shows them for the document as it is now."""

    def __init__(self, context: PageContext) -> None:
        super().__init__()
        self._context = context
        self.setAccessibleName("Resulting files")
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(16, 10, 16, 10)
        self._grid.setHorizontalSpacing(16)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(1, 1)
        self._shown: FileNames | None = None
        self.labels: list[QLabel] = []

    @property
    def text(self) -> str:
        """Everything that is shown."""
        return "\n".join(label.text() for label in self.labels)

    @safe
    def refresh(self) -> None:
        model = self._context.model
        names = FileNames("", (), 0, ("A stored value cannot be read.",)) if model.problems else expected_files(model.config, time.time())
        if names != self._shown:
            self._shown = names
            self._rebuild(names)

    def _rebuild(self, names: FileNames) -> None:
        for label in self.labels:
            self._grid.removeWidget(label)
            label.hide()
            label.deleteLater()
        self.labels = []
        for row, file in enumerate(names.files):
            name = self._add(file.name, row, 0)
            name.setFont(self._context.theme.mono_font)
            name.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            self._add(file.content, row, 1, dim=True)
        remarks = list(names.remarks)
        if names.more:
            remarks.insert(0, f"… and {names.more:,} more.")
        if not names.files:
            remarks.append("No file: nothing is written.")
        elif names.folder:
            remarks.append(f"In {shorten(Path(names.folder))}." if names.folder != "." else "In the folder where the program runs.")
        if remarks:
            self._add(" ".join(remarks), len(names.files), 0, dim=True, span=2)

    def _add(self, text: str, row: int, column: int, *, dim: bool = False, span: int = 1) -> QLabel:
        label = plain_label(text)
        if dim:
            label.setProperty("dim", True)
            label.setFont(self._context.theme.small_font)
            label.setWordWrap(True)
        self._grid.addWidget(label, row, column, 1, span)
        self.labels.append(label)
        return label
