"""``?``: every key and mouse gesture on one page, made from the commands."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from hlprof_gui.commands.catalog import GESTURES
from hlprof_gui.commands.command import Commands
from hlprof_gui.notify import safe
from hlprof_gui.theme.theme import Theme
from hlprof_gui.widgets.actions import key_texts
from hlprof_gui.widgets.key_line import KeyLine, keys_width

Columns = tuple[tuple[tuple[str, tuple[str, ...]], ...], ...]
COLUMNS: Columns = (
    (("Move and zoom", ("view",)), ("Tools", ("tool",))),
    (("Select", ("select",)), ("Search", ("search",)), ("File", ("file", "tools"))),
    (("Edit and mark", ("edit",)), ("Rows", ("row", "track")), ("Window", ("window", "panel", "help"))),
)  # fmt: skip
LEAST_ROOM = 140
"""For the keys, so that texts of all sections begin below each other, pixels."""


class KeyHelp(QDialog):
    """Closes on any key or click outside."""

    def __init__(self, commands: Commands, theme: Theme, parent: QWidget, columns: Columns = COLUMNS) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Keyboard and Mouse")
        self._theme = theme
        theme.dress(self)
        row = QHBoxLayout()
        row.setSpacing(36)
        for number, column in enumerate(columns):
            box = QVBoxLayout()
            box.setSpacing(4)
            for title, topics in column:
                self._section(box, title, [(key_texts(c), c.title.rstrip("…")) for c in commands if c.topic in topics and c.keys])
            if number == 0 and columns is COLUMNS:
                self._section(box, "Mouse and held keys", [([keys], text) for keys, text in GESTURES])
            box.addStretch()
            row.addLayout(box)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(28, 24, 28, 24)
        layout.addLayout(row)

    def _section(self, box: QVBoxLayout, title: str, lines: list[tuple[list[str], str]]) -> None:
        heading = QLabel(title)
        heading.setFont(self._theme.bold_font)
        box.addWidget(heading)
        room = max([LEAST_ROOM, *(keys_width(self._theme, keys) for keys, _ in lines)])
        for keys, text in lines:
            box.addWidget(KeyLine(keys, text, self._theme, room))
        box.addSpacing(14)

    @safe
    def keyPressEvent(self, event: QKeyEvent) -> None:
        event.accept()
        self.close()
