"""What the editors of bus monitors and of counters share: a switch, the form between, and the text form that can be edited too."""

from __future__ import annotations

from PySide6.QtWidgets import QFormLayout, QHBoxLayout, QLineEdit, QSizePolicy, QVBoxLayout, QWidget

from hlprof_gui.config_window.live_page import dim_label, plain_label
from hlprof_gui.config_window.page import PageContext
from hlprof_gui.notify import safe
from hlprof_gui.viewmodels.unit_lists import UnitListViewModel
from hlprof_gui.widgets.switch import Switch


class ListEditor(QWidget):
    """``form_area`` takes the controls of a kind of list; ``refresh`` shows the document."""

    def __init__(self, context: PageContext, entry: UnitListViewModel, *, is_tall: bool) -> None:
        """``is_tall``: the form takes all the room there is."""
        super().__init__()
        self.context, self.entry = context, entry
        self.setProperty("setting_id", entry.setting_id)
        self.switch = Switch(context.theme)
        self.switch.setAccessibleName(entry.title)
        self.switch.setToolTip(f"Set or remove --{entry.entry.flag}")
        self.switch.clicked.connect(safe(lambda *_: entry.switch(self.switch.isChecked())))
        self.title = plain_label(entry.title)
        self.title.setFont(context.theme.bold_font)
        self.summary = dim_label()
        self.text = QLineEdit()
        self.text.setFont(context.theme.mono_font)
        self.text.setAccessibleName(f"Text form of {entry.title}")
        self.text.setPlaceholderText("not set")
        self.text.textEdited.connect(safe(self._type))
        self.text.editingFinished.connect(safe(self._leave))
        self.error = plain_label()
        self.error.setProperty("role", "error")
        self.error.setWordWrap(True)
        self.error.hide()
        self.form_area = QWidget()
        head = QHBoxLayout()
        head.addWidget(self.title, 1)
        head.addWidget(self.switch)
        flag = dim_label(f"--{entry.entry.flag}", wrap=False)
        flag.setFont(context.theme.mono_font)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addLayout(head)
        layout.addWidget(self.summary)
        layout.addWidget(self.form_area, int(is_tall))
        layout.addWidget(flag)
        layout.addWidget(self.text)
        layout.addWidget(self.error)
        if not is_tall:
            layout.addStretch(1)

    def form_rows(self) -> QFormLayout:
        """A layout for labelled rows in the form area."""
        rows = QFormLayout()
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setHorizontalSpacing(12)
        rows.setVerticalSpacing(8)
        rows.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        return rows

    def say(self, error: str) -> None:
        """What is wrong with what was typed, "" for nothing."""
        self.error.setText(error)
        self.error.setVisible(bool(error))

    def _type(self, text: str) -> None:
        self.say(self.entry.type_text(text))

    def _leave(self) -> None:
        self.context.model.end_typing()
        if not self.error.text():
            self.text.setText(self.entry.text)

    @safe
    def refresh(self) -> None:
        """Show the list as it is now."""
        self.switch.setChecked(self.entry.is_set)
        self.summary.setText(self.entry.summary)
        self.form_area.setEnabled(self.entry.is_set)
        if not self.text.hasFocus():
            self.text.setText(self.entry.text)
            self.say("")
        self.show_form()

    def show_form(self) -> None:
        """Bring the controls of the form up to date."""
        raise NotImplementedError


def word_field(context: PageContext, name: str, hint: str) -> QLineEdit:
    """A field for words between commas."""
    field = QLineEdit()
    field.setFont(context.theme.mono_font)
    field.setAccessibleName(name)
    field.setPlaceholderText(hint)
    field.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
    field.editingFinished.connect(safe(context.model.end_typing))
    return field


def show_words(field: QLineEdit, words: tuple[str, ...]) -> None:
    """Show words in a field, unless somebody is typing there."""
    if not field.hasFocus():
        field.setText(", ".join(words))
