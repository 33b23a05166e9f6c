"""``?``: every key and mouse gesture on one page, made from the commands."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QDialog, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from hlprof_gui.commands.catalog import GESTURES
from hlprof_gui.commands.command import Commands
from hlprof_gui.notify import safe
from hlprof_gui.theme.theme import Theme
from hlprof_gui.widgets.actions import key_texts
from hlprof_gui.widgets.key_line import KeyLine, keys_width

Columns = tuple[tuple[tuple[str, tuple[str, ...]], ...], ...]
COLUMNS: Columns = (
    (("Move and zoom", ("view", "flow")), ("Tools", ("tool",)), ("Edit and mark", ("edit",))),
    (("Select", ("select",)), ("Search", ("search",)), ("File", ("file", "tools"))),
    (("Rows", ("row", "track")), ("Window", ("window", "panel", "help"))),
)  # fmt: skip

SCROLLING = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown, Qt.Key.Key_Home, Qt.Key.Key_End)
MOST_OF_SCREEN = 0.92
LEAST_ROOM = 140
"""For the keys, so that texts of all sections begin below each other, pixels."""


class KeyHelp(QDialog):
    """Closes on any key but those that scroll, where there is more than fits."""

    def __init__(self, commands: Commands, theme: Theme, parent: QWidget, columns: Columns = COLUMNS) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Keyboard and Mouse")
        self._theme = theme
        theme.dress(self)
        # The page has its place before its lines: each that moves with it would get its style anew.
        self.area = QScrollArea(self, widgetResizable=True, focusPolicy=Qt.FocusPolicy.NoFocus)
        self.area.setFrameShape(QScrollArea.Shape.NoFrame)
        page = self._page = QWidget()
        page.setObjectName("helpPage")
        self.area.setWidget(page)
        row = QHBoxLayout(page)
        row.setContentsMargins(28, 24, 28, 24)
        row.setSpacing(28)
        for number, column in enumerate(columns):
            box = QVBoxLayout()
            box.setSpacing(4)
            row.addLayout(box)
            for title, topics in column:
                self._section(box, title, [(key_texts(c), c.title.rstrip("…")) for c in commands if c.topic in topics and c.keys])
            if number == 0 and columns is COLUMNS:
                self._section(box, "Mouse and held keys", [([keys], text) for keys, text in GESTURES])
            box.addStretch()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.area)

    @safe
    def showEvent(self, event: QShowEvent) -> None:
        """As large as the page, where the screen is large enough."""
        super().showEvent(event)
        layout = self._page.layout()
        layout.invalidate()
        layout.activate()
        wanted, room = layout.sizeHint(), self.screen().availableSize() * MOST_OF_SCREEN
        self._page.setMinimumSize(wanted)
        bar = self.area.verticalScrollBar().sizeHint().width() if wanted.height() > room.height() else 0
        self.resize(min(wanted.width() + bar, room.width()), min(wanted.height(), room.height()))

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
        if event.key() in SCROLLING and self.area.verticalScrollBar().maximum() > 0:
            QApplication.sendEvent(self.area.verticalScrollBar(), event)
            return
        event.accept()
        self.close()
