"""The bar above the timeline: one message with its hint, until it is closed or replaced."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from hlprof_gui.notify import Message, safe
from hlprof_gui.theme.theme import Theme
from hlprof_gui.viewmodels.short_texts import IN_BLOCK, one_line

INFO_MS = 6000
ICONS = {"info": "about", "warning": "diagnostics", "error": "diagnostics"}


class MessageBar(QWidget):
    """Errors stay until closed, news goes by itself."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("messageBar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName("Message")
        self._theme = theme
        self._level = "info"
        self._icon = QLabel()
        self._text = QLabel()
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._text.setWordWrap(True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._close = QToolButton()
        self._close.setAccessibleName("Dismiss message")
        self._close.setToolTip("Dismiss")
        self._close.clicked.connect(self.hide)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 6, 8, 6)
        layout.setSpacing(10)
        layout.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignVCenter)
        layout.addWidget(self._text, 1)
        layout.addWidget(self._close, 0, Qt.AlignmentFlag.AlignVCenter)
        self._timer = QTimer(self, singleShot=True, interval=INFO_MS)
        self._timer.timeout.connect(self.hide)
        theme.follow(self, self._tint)
        self._tint()
        self.hide()

    @property
    def text(self) -> str:
        """What the bar says, "" while it is hidden."""
        return "" if self.isHidden() else self._text.text()

    @safe
    def show_message(self, message: Message) -> None:
        """Replace what is shown."""
        self._level = message.level
        self._text.setText(f"{one_line(message.text, IN_BLOCK)} {message.hint}".strip())
        self.setProperty("level", message.level)
        self.style().unpolish(self)
        self.style().polish(self)
        self._tint()
        self.show()
        self._timer.stop()
        if message.level == "info":
            self._timer.start()

    @safe
    def _tint(self) -> None:
        self._icon.setPixmap(self._theme.icon(ICONS[self._level]).pixmap(18, 18))
        self._close.setIcon(self._theme.icon("close"))
