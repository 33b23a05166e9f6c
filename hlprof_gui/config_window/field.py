"""A setting in a form: title, explanation and option at the left, the editor at the right, a way back to the default."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from hlprof_core.config.schema import setting
from hlprof_core.config.setting import Setting
from hlprof_gui.config_window.editor import EDITOR_WIDTH, SwitchEditor, make_editor
from hlprof_gui.config_window.live_page import plain_label
from hlprof_gui.config_window.page import PageContext
from hlprof_gui.notify import safe
from hlprof_gui.qtmodels.settings_model import option_text

MARK = 3
OWN_NOTE = "Kept under a key of our own, as the vendor's is not public."


class Field(QWidget):
    """Made from the declaration of the setting. ``refresh`` shows the document as it is now."""

    def __init__(self, context: PageContext, setting_id: str, *, is_wide: bool = False) -> None:
        """``is_wide``: the editor stands under the texts and takes the whole width."""
        super().__init__()
        self.entry: Setting = setting(setting_id)
        self._model, self._theme = context.model, context.theme
        self._is_marked = False
        self.setProperty("setting_id", setting_id)
        self.editor = make_editor(self.entry, context.theme)
        self.editor.edited.connect(safe(self._change))
        self.editor.finished.connect(safe(self._model.end_typing))
        self.editor.failed.connect(safe(self._fail))
        self.title = plain_label(self.entry.title)
        self.title.setBuddy(self.editor.control)
        self.title.setToolTip(self.entry.key)
        self.error = plain_label()
        self.error.setProperty("role", "error")
        self.error.setWordWrap(True)
        self.error.setFont(context.theme.small_font)
        self.reset_button = QToolButton()
        self.reset_button.setAccessibleName(f"Reset {self.entry.title}")
        self.reset_button.setToolTip(f"Back to the default: {self.entry.kind.tell(self.entry.default)}")
        self.reset_button.clicked.connect(safe(lambda *_: self._model.reset(setting_id)))
        policy = self.reset_button.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.reset_button.setSizePolicy(policy)
        self._lay_out(is_wide)
        self.setFocusProxy(self.editor.control)
        context.theme.follow(self, self._tint)
        self._tint()
        self.refresh()

    def _lay_out(self, is_wide: bool) -> None:
        texts = QVBoxLayout()
        texts.setSpacing(2)
        texts.addWidget(self.title)
        texts.addWidget(self._quiet(self.entry.doc))
        small = self._quiet(option_text(self.entry))
        mono = QFont(self._theme.mono_font)
        mono.setPixelSize(self._theme.small_font.pixelSize())
        small.setFont(mono)
        if small.text():
            texts.addWidget(small)
        if self.entry.is_own:
            texts.addWidget(self._quiet(OWN_NOTE))
        texts.addWidget(self.error)
        grid = QGridLayout(self)
        grid.setContentsMargins(16, 10, 8, 10)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(0, 1)
        grid.addLayout(texts, 0, 0)
        if is_wide:
            grid.addWidget(self.editor, 1, 0, 1, 2)
        else:
            if not isinstance(self.editor, SwitchEditor):  # a switch leaves its room to the texts
                self.editor.setFixedWidth(EDITOR_WIDTH)
            grid.addWidget(self.editor, 0, 1, Qt.AlignmentFlag.AlignVCenter)
        grid.addWidget(self.reset_button, 0, 2, Qt.AlignmentFlag.AlignVCenter)

    def _quiet(self, text: str) -> QLabel:
        label = plain_label(text)
        label.setFont(self._theme.small_font)
        label.setProperty("dim", True)
        label.setWordWrap(True)
        return label

    @safe
    def refresh(self) -> None:
        """Show value, mark and what is wrong."""
        self.editor.show_value(self._model.value(self.entry.id))
        self._is_marked = not self._model.is_default(self.entry.id)
        stored = self._model.problem_of(self.entry.id)
        if stored or self.error.property("is_stored"):
            self.error.setProperty("is_stored", bool(stored))
            self._say(stored)
        self.reset_button.setVisible(self._is_marked or bool(stored))
        self.error.setVisible(bool(self.error.text()))
        self.update()

    def _change(self, value: Any, is_typing: bool) -> None:
        self._model.set(self.entry.id, value, typing=is_typing)

    def _fail(self, text: str) -> None:
        self.error.setProperty("is_stored", False)
        self._say(text)

    def _say(self, text: str) -> None:
        self.error.setText(text)
        self.error.setVisible(bool(text))
        self.editor.control.setAccessibleDescription(f"{self.entry.doc} {text}".strip())

    @safe
    def _tint(self) -> None:
        self.reset_button.setIcon(self._theme.icon("reset"))

    @safe
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.EnabledChange:
            self.update()

    @safe
    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._is_marked:
            painter = QPainter(self)
            painter.fillRect(0, 8, MARK, self.height() - 16, self._theme.color("accent"))
            painter.end()
