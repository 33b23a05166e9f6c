"""Facts as lines: the same lines show item after item, with what belongs to the item and nothing of the one before."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from hlprof_gui.state.view_state import Item
from hlprof_gui.viewmodels.details import Fact
from hlprof_gui.widgets.breaking_label import BreakingLabel
from hlprof_gui.widgets.fact_form import FactForm


def test_lines_are_used_again(theme: Any, qtbot: QtBot) -> None:
    place, followed = QWidget(), []
    qtbot.addWidget(place)
    form = FactForm(theme, followed.append)
    place.setLayout(form)
    place.show()

    def shown() -> list[tuple[str, str]]:
        return [
            (form.itemAt(row, form.ItemRole.LabelRole).widget().text(), value.text())
            for row, (_, value) in enumerate(form._lines)
            if form.isRowVisible(row)
        ]

    target = Item("slice", 7)
    form.show_facts((Fact("Start", "1 ms", "1,000,000 ns"), Fact("Parent", "a<b", link=target), Fact("Name", "x<y")))
    first = list(form._lines)
    assert [label for label, _ in shown()] == ["Start", "Parent", "Name"]
    assert "a&lt;b" in shown()[1][1]
    assert shown()[2] == ("Name", "x<y")
    first[1][1].linkActivated.emit("#")
    assert followed == [target]

    form.show_facts((Fact("Name", "x<y", "x<y"), Fact("Kind", "plain")))
    assert shown() == [("Name", "x<y"), ("Kind", "plain")]
    assert form._lines == first, "made once"
    for _, value in form._lines[:2]:
        assert isinstance(value, BreakingLabel)
        assert value.textFormat() == Qt.TextFormat.PlainText
        assert not value.textInteractionFlags() & Qt.TextInteractionFlag.LinksAccessibleByMouse
    first[1][1].linkActivated.emit("#")
    assert followed == [target], "no link of the item before"

    form.show_facts(tuple(Fact(f"Fact {n}", str(n)) for n in range(5)))
    assert len(shown()) == 5
