"""What the window shows before a trace is open: how to open one, and the files opened lately."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QVBoxLayout, QWidget

from hlprof_gui.notify import safe
from hlprof_gui.settings import Settings
from hlprof_gui.theme.icons import draw_icon
from hlprof_gui.theme.theme import Theme
from hlprof_gui.widgets.tipped import plain_tip

SHOWN = 8
FORMATS = "Chrome trace JSON (.json, .json.gz), Gaudi profiler .hltv and .csv"

LEAST_HEIGHT = 120
"""The window may be lower than this page would like: most of the time it shows a trace instead."""


class Landing(QWidget):
    """Friendly, quiet, with one obvious button."""

    open_clicked = Signal()
    recent_clicked = Signal(Path)

    def __init__(self, settings: Settings, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("landing")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setMinimumHeight(LEAST_HEIGHT)
        self._settings = settings
        self._theme = theme
        self._logo = QLabel(alignment=Qt.AlignmentFlag.AlignCenter)
        self._logo.setPixmap(draw_icon("hlprof", theme.palette.text, 56))
        self._logo.setAccessibleName("hlprof")
        title = QLabel("Open a trace", alignment=Qt.AlignmentFlag.AlignCenter)
        title.setFont(theme.title_font)
        hint = QLabel("Drop a file here, or choose one.", alignment=Qt.AlignmentFlag.AlignCenter)
        formats = QLabel(FORMATS, alignment=Qt.AlignmentFlag.AlignCenter)
        formats.setProperty("dim", True)
        self.open_button = QPushButton("Open…")
        self.open_button.setProperty("primary", True)
        self.open_button.setFont(theme.bold_font)
        self.open_button.clicked.connect(self.open_clicked)
        frame = QFrame()
        frame.setObjectName("dropFrame")
        inside = QVBoxLayout(frame)
        inside.setContentsMargins(48, 40, 48, 40)
        inside.setSpacing(12)
        for widget in (self._logo, title, hint):
            inside.addWidget(widget)
        inside.addSpacing(8)
        inside.addWidget(self.open_button, 0, Qt.AlignmentFlag.AlignCenter)
        inside.addSpacing(4)
        inside.addWidget(formats)
        self._heading = QLabel("Recent files")
        self._heading.setFont(theme.bold_font)
        self._list = QVBoxLayout()
        self._list.setSpacing(0)
        column = QVBoxLayout()
        column.setSpacing(6)
        column.addWidget(frame)
        column.addSpacing(20)
        column.addWidget(self._heading)
        column.addLayout(self._list)
        outer = QVBoxLayout(self)
        outer.addStretch(2)
        body = QWidget()
        body.setFixedWidth(560)
        body.setLayout(column)
        outer.addWidget(body, 0, Qt.AlignmentFlag.AlignHCenter)
        outer.addStretch(3)
        theme.follow(self, self.refresh)
        self.refresh()

    @safe
    def refresh(self) -> None:
        """Show the list of recent files as it is now."""
        while (entry := self._list.takeAt(0)) is not None:
            if (old := entry.widget()) is not None:
                old.deleteLater()
        recent = self._settings.recent_files[:SHOWN]
        self._heading.setVisible(bool(recent))
        for path in recent:
            button = QPushButton(self._theme.icon("recent"), f"{path.name}   —   {shorten(path.parent)}")
            button.setProperty("flat", True)
            button.setIconSize(QSize(16, 16))
            button.setToolTip(plain_tip(str(path)))
            button.setAccessibleName(f"Open {path}")
            button.setCursor(Qt.CursorShape.PointingHandCursor)
            button.clicked.connect(lambda _=False, path=path: self.recent_clicked.emit(path))
            self._list.addWidget(button)


def shorten(folder: Path, limit: int = 48) -> str:
    """A folder in few letters: the home as ``~``, the middle left out."""
    text = str(folder)
    home = str(Path.home())
    if text == home or text.startswith(home + "/"):
        text = "~" + text[len(home) :]
    return text if len(text) <= limit else f"{text[: limit // 3]}…{text[-(limit - limit // 3 - 1) :]}"
