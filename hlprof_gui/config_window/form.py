"""Fields in groups: each group a titled card."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QFrame, QSizePolicy, QVBoxLayout, QWidget

from hlprof_gui.config_window.field import Field
from hlprof_gui.config_window.live_page import LivePage, heading
from hlprof_gui.config_window.page import PageContext
from hlprof_gui.notify import safe

WIDEST = 780


class Group(Struct, frozen=True):
    """Settings by id under one title."""

    title: str
    ids: tuple[str, ...]


class FormPage(LivePage):
    """A page made of groups of fields."""

    def __init__(self, context: PageContext, parent: QWidget, groups: Sequence[Group]) -> None:
        super().__init__(context, parent)
        self._fields: dict[str, Field] = {}
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(6)
        self._pending = list(groups)
        self.column.addStretch(1)
        self._next_group()
        # A long form would hold the window up: what is below comes group by group.
        self._building = QTimer(self, interval=0)
        self._building.timeout.connect(self._next_group)
        self._building.start()
        self.setMaximumWidth(WIDEST)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)

    @property
    def fields(self) -> dict[str, Field]:
        """The fields of all groups."""
        while self._pending:
            self._next_group()
        return self._fields

    @safe
    def _next_group(self) -> None:
        if self._pending:
            group = self._pending.pop(0)
            made = {setting_id: Field(self.context, setting_id) for setting_id in group.ids}
            self._fields |= made
            self.add_card(group.title, list(made.values()), at=self.column.count() - 1)
        elif self._building.isActive():
            self._building.stop()
            self.refresh()

    def reveal(self, setting_id: str) -> bool:
        """Show the field of a setting; False when it is not in this form."""
        if setting_id not in self.fields:
            return False
        self.fields[setting_id].setFocus(Qt.FocusReason.OtherFocusReason)
        return True

    def add_card(self, title: str, widgets: Sequence[QWidget], at: int = -1) -> None:
        """A titled card with a line between its rows; ``at``: its place among the widgets of the page."""
        block = QWidget()
        column = QVBoxLayout(block)
        column.setContentsMargins(0, 0, 0, 10)
        column.setSpacing(6)
        column.addWidget(heading(self.context, title))
        column.addWidget(card(widgets))
        self.column.insertWidget(self.column.count() if at < 0 else at, block)

    @safe
    def refresh(self) -> None:
        for field in self._fields.values():
            field.refresh()


def card(widgets: Sequence[QWidget]) -> QFrame:
    """Rows in a frame, with a line between them."""
    frame = QFrame()
    frame.setObjectName("card")
    inside = QVBoxLayout(frame)
    inside.setContentsMargins(1, 1, 1, 1)
    inside.setSpacing(0)
    for number, widget in enumerate(widgets):
        if number:
            inside.addWidget(line())
        inside.addWidget(widget)
    return frame


def line() -> QFrame:
    """A thin line between two rows."""
    rule = QFrame()
    rule.setObjectName("rule")
    rule.setFixedHeight(1)
    rule.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
    return rule
