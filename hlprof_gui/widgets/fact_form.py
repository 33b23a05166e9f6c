"""Facts as lines of a form: a dim label, and a value that may lead to another item."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFormLayout, QLabel, QSizePolicy, QWidget

from hlprof_gui.notify import safe
from hlprof_gui.state.view_state import Item
from hlprof_gui.theme.theme import Theme
from hlprof_gui.viewmodels.details import Fact, labelled
from hlprof_gui.viewmodels.short_texts import beginning_of, breakable
from hlprof_gui.widgets.breaking_label import BreakingLabel

TEXT = Qt.TextInteractionFlag.TextSelectableByMouse
LINK = Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard


class FactForm(QFormLayout):
    """Lines stay and get other texts: to make them anew for each item takes longer than a click should.

    ``before``: from where Tab leads to the links, and where the keyboard goes when there are none any more.
    """

    def __init__(self, theme: Theme, follow: Callable[[Item], object], before: QWidget) -> None:
        super().__init__()
        self._theme, self._follow, self._before = theme, follow, before
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
        has_keys = any(value.hasFocus() for _, value in self._lines)
        for (owner, fact), (label, value) in zip(labelled(facts), self._lines, strict=False):
            label.setText(fact.label)
            self._fill(value, fact)
            value.setAccessibleName(f"{owner}: {beginning_of(fact.told)}")
        if has_keys:
            self._keep_keys()
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
        self.addRow(label, value)
        QWidget.setTabOrder(self._lines[-1][1] if self._lines else self._before, value)
        self._lines.append((label, value))

    def _keep_keys(self) -> None:
        """The keyboard stays on its line while that leads anywhere."""
        links = [value for link, (_, value) in zip(self._links, self._lines, strict=False) if link is not None]
        if not any(value.hasFocus() for value in links):
            (links[0] if links else self._before).setFocus()

    def _go(self, row: int) -> None:
        target = self._links[row]
        if target is not None:
            self._follow(target)

    def _fill(self, value: QLabel, fact: Fact) -> None:
        said, palette = breakable(beginning_of(fact.value + fact.note)), self._theme.palette
        value.setTextInteractionFlags(TEXT if fact.link is None else LINK)
        if fact.link is not None:
            value.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves the keyboard where it is, mostly on the timeline
            value.setTextFormat(Qt.TextFormat.RichText)
            value.setText(f'<a href="#" style="color:{palette.accent};text-decoration:none">{escape(said)}</a>')
        elif fact.exact and fact.exact != fact.value:
            value.setTextFormat(Qt.TextFormat.RichText)
            value.setText(f'{escape(said)}&nbsp; <span style="color:{palette.text_dim}">{escape(fact.exact)}</span>')
        else:
            value.setTextFormat(Qt.TextFormat.PlainText)
            value.setText(said)


def escape(text: str) -> str:
    """Text for rich text labels."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
