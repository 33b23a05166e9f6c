"""Fields in groups: each group a titled card."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QSizePolicy, QVBoxLayout, QWidget

from hlprof_gui.config_window.field import Field
from hlprof_gui.config_window.live_page import LivePage, heading
from hlprof_gui.config_window.page import PageContext
from hlprof_gui.notify import safe

WIDEST = 780


@dataclass(frozen=True, slots=True)
class Group:
    """Settings by id under one title."""

    title: str
    ids: tuple[str, ...]


class FormPage(LivePage):
    """A page made of groups of fields."""

    def __init__(self, context: PageContext, groups: Sequence[Group]) -> None:
        super().__init__(context)
        self.fields: dict[str, Field] = {}
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(6)
        for group in groups:
            self.add_card(group.title, [self._field(setting_id) for setting_id in group.ids])
        self.column.addStretch(1)
        self.setMaximumWidth(WIDEST)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)

    def _field(self, setting_id: str) -> Field:
        self.fields[setting_id] = Field(self.context, setting_id)
        return self.fields[setting_id]

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
        for field in self.fields.values():
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
