"""Page: which part of a run is recorded: phase, range and buffer, with a picture that follows and can be drawn on."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QButtonGroup,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from hlprof_gui.config_window.choice_card import ChoiceCard
from hlprof_gui.config_window.editor import QuietComboBox, SizeBox
from hlprof_gui.config_window.live_page import LivePage, dim_label, heading, plain_label, tell
from hlprof_gui.config_window.page import PageContext
from hlprof_gui.config_window.run_picture import RunPicture
from hlprof_gui.notify import safe
from hlprof_gui.viewmodels.recorded_part import PHASES
from hlprof_gui.viewmodels.when import BUFFER_PRESETS, WhenViewModel

CARD_WIDTH = 216
"""Least room in which a card's text takes two lines."""
SHOWN = (0, 12, 25, 50, 100, 500, 2500, 10_000)
RANGE_HELP = "Counted from 1, ends included: 7, 1-20 or 1-5,11-15. Drag in the picture to draw it; Ctrl adds a further range."
NO_RANGE = "This phase has no range."


class WhenPage(LivePage):
    """Cards, picture, then range and buffer side by side."""

    def __init__(self, context: PageContext, parent: QWidget) -> None:
        super().__init__(context, parent)
        self.view_model = WhenViewModel(context.model)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(10)
        layout.addLayout(self._make_cards())
        layout.addLayout(self._make_picture())
        pair = QHBoxLayout()
        pair.setSpacing(24)
        pair.addLayout(self._make_range(), 1)
        pair.addLayout(self._make_buffer(), 1)
        layout.addLayout(pair)
        layout.addStretch(1)
        self._shown_range = ""

    def _make_cards(self) -> QGridLayout:
        self.cards: dict[str, ChoiceCard] = {}
        self._choice = QButtonGroup(self)
        self._grid = QGridLayout()
        self._grid.setSpacing(8)
        for phase in PHASES:
            card = ChoiceCard(self.context.theme, phase.title, [phase.text], wraps=True)
            card.setToolTip(f"Phase {phase.value}")
            card.clicked.connect(safe(lambda _=False, value=phase.value: self.view_model.choose_phase(value)))
            self._choice.addButton(card)
            self.cards[phase.value] = card
        self._columns = 0
        self.reflow(self.width())
        return self._grid

    def reflow(self, width: int) -> None:
        columns = 3 if width >= 3 * CARD_WIDTH else 2
        if columns != self._columns:
            self._columns = columns
            for number, card in enumerate(self.cards.values()):
                self._grid.removeWidget(card)
                self._grid.addWidget(card, *divmod(number, columns))

    def _make_picture(self) -> QVBoxLayout:
        self.picture = RunPicture(self.view_model, self.context.theme)
        self.summary = plain_label()
        self.summary.setWordWrap(True)
        self.scale = QuietComboBox(self.context.theme)
        self.scale.setAccessibleName("Launches in the picture")
        for count in SHOWN:
            self.scale.addItem(f"{count:,} launches" if count else "Fit the range", count)
        self.scale.currentIndexChanged.connect(safe(self._rescale))
        row = QHBoxLayout()
        row.addWidget(self.summary, 1)
        row.addWidget(dim_label("Show", wrap=False))
        row.addWidget(self.scale)
        column = QVBoxLayout()
        column.setSpacing(6)
        column.addWidget(self.picture)
        column.addLayout(row)
        return column

    def _make_range(self) -> QVBoxLayout:
        self.range_title = heading(self.context, "")
        self.range_field = QLineEdit()
        self.range_field.setFont(self.context.theme.mono_font)
        self.range_field.setAccessibleName("Invocation range")
        self.range_field.setPlaceholderText("1-20")
        self.range_field.textEdited.connect(safe(self._type_range))
        self.range_field.editingFinished.connect(safe(self._leave_range))
        self.range_reset = QPushButton("Default")
        self.range_reset.setToolTip("Back to the first two launches")
        self.range_reset.clicked.connect(safe(lambda *_: self.view_model.reset_range()))
        self.range_note = dim_label()
        row = QHBoxLayout()
        row.addWidget(self.range_field, 1)
        row.addWidget(self.range_reset)
        return _column(self.range_title, row, self.range_note)

    def _make_buffer(self) -> QVBoxLayout:
        self.buffer = SizeBox(self.context.theme)
        self.buffer.setGroupSeparatorShown(True)
        self.buffer.setAccessibleName("Trace buffer in MiB")
        self.buffer.valueChanged.connect(safe(self.view_model.set_buffer))
        self.presets: dict[int, QPushButton] = {}
        row = QHBoxLayout()
        row.setSpacing(4)
        for size in BUFFER_PRESETS:
            button = QPushButton(str(size) if size < 1024 else f"{size // 1024} GiB")
            button.setCheckable(True)
            button.setProperty("compact", True)
            button.setToolTip(f"{size} MiB")
            button.clicked.connect(safe(lambda _=False, size=size: self._preset(size)))
            self.presets[size] = button
            row.addWidget(button, 1)
        self.buffer_note = dim_label()
        both = QVBoxLayout()
        both.setSpacing(6)
        both.addWidget(self.buffer)
        both.addLayout(row)
        return _column(heading(self.context, "Trace buffer"), both, self.buffer_note)

    def reveal(self, setting_id: str) -> bool:
        """Show the control of a setting."""
        controls = {"hw.phase": self.cards[self.view_model.phase], "hw.range": self.range_field, "hw.buffer_bytes": self.buffer}
        if setting_id in controls:
            controls[setting_id].setFocus(Qt.FocusReason.OtherFocusReason)
        return setting_id in controls

    # -- changes ----------------------------------------------------------------------------------------------------

    def _preset(self, size: int) -> None:
        self.view_model.set_buffer(size)
        self.context.model.end_typing()
        self.refresh()

    def _rescale(self, _index: int) -> None:
        self.view_model.shown_launches = int(self.scale.currentData())
        self.refresh()

    def _type_range(self, text: str) -> None:
        self._say_range(self.view_model.type_range(text))

    def _leave_range(self) -> None:
        self.context.model.end_typing()
        if not self.view_model.type_range(self.range_field.text()):
            self.range_field.setText(str(self.view_model.range))

    def _say_range(self, error: str) -> None:
        has_range = self.view_model.choice.has_range
        tell(self.range_note, error or (RANGE_HELP if has_range else NO_RANGE), is_error=bool(error))

    # -- showing ----------------------------------------------------------------------------------------------------

    @safe
    def refresh(self) -> None:
        vm = self.view_model
        self.cards[vm.phase].setChecked(True)
        self.summary.setText(vm.summary)
        self.picture.setAccessibleDescription(vm.summary)
        self.picture.update()
        has_range = vm.choice.has_range
        self.range_title.setText(vm.range_label)
        self.range_field.setEnabled(has_range)
        self.range_reset.setEnabled(has_range and not vm.has_default_range)
        self._show_range(str(vm.range))
        self.buffer.blockSignals(True)
        self.buffer.setValue(vm.buffer_mebibytes)
        self.buffer.blockSignals(False)
        for size, button in self.presets.items():
            button.setChecked(size == vm.buffer_mebibytes)
        self.buffer_note.setText(vm.buffer_text)
        self.fit_height()

    def _show_range(self, text: str) -> None:
        """The range of the document; while somebody types, their spelling of it stays."""
        is_typed = self.range_field.hasFocus() and self._shown_range != "" and self._spells(text)
        if not is_typed and (text != self._shown_range or not self.range_field.hasFocus()):
            self.range_field.setText(text)
            self._say_range("")
        elif is_typed:
            self._say_range("")
        self._shown_range = text

    def _spells(self, text: str) -> bool:
        from hlprof_core.config.invocation_range import InvocationRange

        try:
            return str(InvocationRange.parse(self.range_field.text())) == text
        except ValueError:
            return False


def _column(title: QLabel, row: QLayout, note: QLabel) -> QVBoxLayout:
    column = QVBoxLayout()
    column.setSpacing(6)
    column.addWidget(title)
    column.addLayout(row)
    column.addWidget(note)
    column.addStretch(1)
    return column
