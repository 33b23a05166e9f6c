"""One editor for each kind of value: shows a value, and tells what the user makes of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QComboBox, QFileDialog, QHBoxLayout, QLineEdit, QSpinBox, QToolButton, QWidget

from hlprof_core.config.setting import Setting
from hlprof_core.config.value_kind import BMON, FOLDER, SPMU, Choice, Mebibytes, Number, OnOff, ValueKind
from hlprof_gui.notify import safe
from hlprof_gui.theme.theme import Theme
from hlprof_gui.widgets.switch import Switch

EDITOR_WIDTH = 236
MIB = 1 << 20
TEXT_MARGIN = 4
"""The style sheet's padding does not reach the text of a number box."""
EXAMPLES: dict[ValueKind, str] = {BMON: "[[0,1][bw,lat,out][512,256][]]", SPMU: "[[57,65][2048,on]]"}


class Editor(QWidget):
    """``control`` is the widget that takes the keyboard."""

    edited = Signal(object, bool)
    """Arguments: the value, and whether the user is still typing."""
    failed = Signal(str)
    """What is wrong with what was typed; it changed nothing."""
    finished = Signal()
    """The user is done typing."""

    def __init__(self, entry: Setting, theme: Theme) -> None:
        super().__init__()
        self.entry, self.theme = entry, theme
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(4)
        self.control: QWidget = self

    def take(self, control: QWidget, *, fixed: bool = False) -> None:
        """Lay out the control and give it its names."""
        self.control = control
        control.setAccessibleName(self.entry.title)
        control.setAccessibleDescription(self.entry.doc)
        if fixed:
            self._row.addStretch(1)
        self._row.addWidget(control, 0 if fixed else 1)
        self.setFocusProxy(control)

    def show_value(self, value: Any) -> None:
        """Show what is in force."""
        raise NotImplementedError


class SwitchEditor(Editor):
    def __init__(self, entry: Setting, theme: Theme) -> None:
        super().__init__(entry, theme)
        self.switch = Switch(theme)
        self.switch.clicked.connect(lambda on: self.edited.emit(bool(on), False))
        self.take(self.switch, fixed=True)

    def show_value(self, value: Any) -> None:
        self.switch.setChecked(bool(value))


class QuietComboBox(QComboBox):
    """The wheel scrolls the page, unless the list has the keyboard."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    @safe
    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


def draw_chevron(widget: QWidget, theme: Theme, at: QPointF, side: int) -> None:
    """A small arrow down (1) or up (-1), as sharp as the theme's icons."""
    painter = QPainter(widget)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(theme.color("text_dim"), 1.5, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin))
    painter.drawPolyline([at + QPointF(-3.5, -1.8 * side), at + QPointF(0, 1.7 * side), at + QPointF(3.5, -1.8 * side)])
    painter.end()


class ChoiceEditor(Editor):
    def __init__(self, entry: Setting, theme: Theme, kind: Choice) -> None:
        super().__init__(entry, theme)
        self.box = QuietComboBox(theme)
        if entry.default not in kind.names:
            self.box.addItem("auto-detect" if entry.id == "hw.arch" else "none", entry.default)
        for name in kind.names:
            self.box.addItem(name, name)
        self.box.activated.connect(lambda row: self.edited.emit(self.box.itemData(row), False))
        self.take(self.box)

    def show_value(self, value: Any) -> None:
        self.box.setCurrentIndex(self.box.findData(value))


class SizeBox(QSpinBox):
    """Whole MiB; the arrows double and halve, as buffers are chosen."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setRange(1, Mebibytes.LIMIT // MIB)
        self.setSuffix(" MiB")
        self.lineEdit().setTextMargins(TEXT_MARGIN, 0, 0, 0)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    @safe
    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        for side in (-1, 1):
            draw_chevron(self, self._theme, QPointF(self.width() - 14, self.height() / 2 + 5 * side), side)

    @safe
    def stepBy(self, steps: int) -> None:
        value = self.value()
        power = 1 << (value.bit_length() - 1)
        if steps > 0:
            self.setValue(min(self.maximum(), power << steps))
        else:
            self.setValue(max(1, (power >> -steps) if power == value else power >> (-steps - 1)))

    @safe
    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class SizeEditor(Editor):
    def __init__(self, entry: Setting, theme: Theme) -> None:
        super().__init__(entry, theme)
        self.box = SizeBox(theme)
        self._is_showing = False
        self.box.valueChanged.connect(self._tell)
        self.box.editingFinished.connect(self.finished)
        self.take(self.box)

    @safe
    def _tell(self, mebibytes: int) -> None:
        if not self._is_showing:
            self.edited.emit(mebibytes * MIB, True)

    def show_value(self, value: Any) -> None:
        # A size between two MiB, as a file may have it, is shown without being changed.
        self._is_showing = True
        self.box.setToolTip("" if value % MIB == 0 else f"{value} bytes")
        if self.box.value() != value // MIB:
            self.box.setValue(value // MIB)
        self._is_showing = False


class TextEditor(Editor):
    """Whatever is written as a word: the kind reads it, and says what is wrong."""

    def __init__(self, entry: Setting, theme: Theme) -> None:
        super().__init__(entry, theme)
        self.field = QLineEdit()
        if isinstance(entry.kind, Number) or entry.kind in EXAMPLES:
            self.field.setFont(theme.mono_font)
        if entry.default == "":
            self.field.setPlaceholderText(EXAMPLES.get(entry.kind, "none"))
        self.field.textEdited.connect(self._tell)
        self.field.editingFinished.connect(self._finish)
        self._shown: Any = None
        self._is_failing = False
        self.take(self.field)

    def _read(self, text: str) -> Any:
        """The value of a text; ValueError when it is none."""
        return "" if not text and self.entry.default == "" else self.entry.kind.parse(text)

    @safe
    def _tell(self, text: str) -> None:
        try:
            value = self._read(text.strip())
        except ValueError as error:
            self._is_failing = True
            self.failed.emit(str(error))
            return
        self._is_failing = False
        self.failed.emit("")
        self._shown = value
        self.edited.emit(value, True)

    @safe
    def _finish(self) -> None:
        if not self._is_failing:
            self.field.setText(self.entry.kind.show(self._shown))
        self.finished.emit()

    def show_value(self, value: Any) -> None:
        if value == self._shown and (self._is_failing or self.field.hasFocus()):
            return  # what is being typed stays as it is
        if self._is_failing:
            self._is_failing = False
            self.failed.emit("")
        self._shown = value
        self.field.setText(self.entry.kind.show(value))

    def drop(self) -> bool:
        """Show the value in force instead of what cannot be read; False when there was nothing wrong."""
        was_failing, self._is_failing = self._is_failing, False
        if was_failing:
            self.field.setText(self.entry.kind.show(self._shown))
            self.failed.emit("")
        return was_failing


class FolderEditor(TextEditor):
    """A path, with a button for the dialog."""

    def __init__(self, entry: Setting, theme: Theme) -> None:
        super().__init__(entry, theme)
        self.button = QToolButton()
        self.button.setToolTip("Choose a folder")
        self.button.setAccessibleName(f"Choose {entry.title.lower()}")
        self.button.clicked.connect(safe(lambda *_: self._choose()))
        self._row.addWidget(self.button)
        theme.follow(self, self._tint)
        self._tint()

    def _choose(self) -> None:
        start = Path(str(self._shown or ".")).expanduser()
        name = QFileDialog.getExistingDirectory(self, "Output Folder", str(start if start.is_dir() else Path.cwd()))
        if name:
            self.field.setText(name)
            self._tell(name)
            self.finished.emit()

    @safe
    def _tint(self) -> None:
        self.button.setIcon(self.theme.icon("folder"))


def make_editor(entry: Setting, theme: Theme) -> Editor:
    """The editor for the kind of a setting."""
    kind = entry.kind
    if isinstance(kind, OnOff):
        return SwitchEditor(entry, theme)
    if isinstance(kind, Choice):
        return ChoiceEditor(entry, theme, kind)
    if isinstance(kind, Mebibytes):
        return SizeEditor(entry, theme)
    if kind is FOLDER:
        return FolderEditor(entry, theme)
    return TextEditor(entry, theme)


