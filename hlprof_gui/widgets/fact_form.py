"""Facts as lines of a form: a dim label, and a value that may lead to another item."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFormLayout, QLabel, QSizePolicy

from hlprof_gui.notify import safe
from hlprof_gui.state.view_state import Item
from hlprof_gui.theme.theme import Theme
from hlprof_gui.viewmodels.details import Fact
from hlprof_gui.viewmodels.short_texts import beginning_of, breakable
from hlprof_gui.widgets.breaking_label import BreakingLabel

TEXT = Qt.TextInteractionFlag.TextSelectableByMouse
LINK = Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard


class FactForm(QFormLayout):
    """Lines stay and get other texts: to make them anew for each item takes longer than a click should."""

    def __init__(self, theme: Theme, follow: Callable[[Item], object]) -> None:
        super().__init__()
        self._theme, self._follow = theme, follow
        self._links: list[Item | None] = []
        self._lines: list[tuple[QLabel, BreakingLabel]] = []
        self.setContentsMargins(0, 0, 0, 0)
        self.setHorizontalSpacing(14)
        self.setVerticalSpacing(5)
        self.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)

    def show_facts(self, facts: Sequence[Fact]) -> None:
        """Show these instead of what is there."""
        self._links = [fact.link for fact in facts]
        while len(self._lines) < len(facts):
            self._add_line(len(self._lines))
        for fact, (label, value) in zip(facts, self._lines, strict=False):
            label.setText(fact.label)
            self._fill(value, fact)
        for row in range(len(self._lines)):
            if self.isRowVisible(row) != (row < len(facts)):  # to show what is about to be shown would lay it out too early
                self.setRowVisible(row, row < len(facts))

    def _add_line(self, row: int) -> None:
        label, value = QLabel(), BreakingLabel()
        label.setProperty("dim", True)
        label.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)  # beside the first line of several
        value.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        value.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        value.linkActivated.connect(safe(lambda _: self._go(row)))
        self._lines.append((label, value))
        self.addRow(label, value)

    def _go(self, row: int) -> None:
        target = self._links[row]
        if target is not None:
            self._follow(target)

    def _fill(self, value: QLabel, fact: Fact) -> None:
        said, palette = breakable(beginning_of(fact.value)), self._theme.palette
        value.setTextInteractionFlags(TEXT if fact.link is None else LINK)
        if fact.link is not None:
            value.setTextFormat(Qt.TextFormat.RichText)
            value.setText(f'<a href="#" style="color:{palette.accent};text-decoration:none">{escape(said)}</a>')
        elif fact.exact and fact.exact != fact.value:
            value.setTextFormat(Qt.TextFormat.RichText)
            value.setText(f'{escape(said)}&nbsp; <span style="color:{palette.text_dim}">{escape(fact.exact)}</span>')
        else:
            value.setTextFormat(Qt.TextFormat.PlainText)
            value.setText(said)
        value.setAccessibleName(f"{fact.label}: {fact.exact or beginning_of(fact.value)}")


def escape(text: str) -> str:
    """Text for rich text labels."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
