"""Facts as lines: the same lines show item after item, with what belongs to the item and nothing of the one before."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from hlprof_gui.state.view_state import Item
from hlprof_gui.viewmodels.details import Fact
from hlprof_gui.widgets.breaking_label import BreakingLabel
from hlprof_gui.widgets.fact_form import FactForm
from tests.small_trace import slice_named


def test_lines_are_used_again(theme: Any, qtbot: QtBot) -> None:
    place, followed = QWidget(), []
    qtbot.addWidget(place)
    form = FactForm(theme, followed.append, place)
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


def test_the_keyboard_follows_links_and_is_never_lost(open_window: Any, qtbot: QtBot) -> None:
    w, state = open_window, open_window.state
    main = slice_named(state.trace, "main")
    state.select(Item("slice", main))
    panel = w.docks["details"].panel
    panel._copy.setFocus()
    QTest.keyClick(panel._copy, Qt.Key.Key_Tab)
    link = w.focusWidget()
    assert isinstance(link, BreakingLabel), "the links come behind the button above them"
    assert link.accessibleName().startswith("Inside: ")
    QTest.keyClick(link, Qt.Key.Key_Tab)
    assert w.focusWidget().accessibleName().startswith("Inside: "), "a further one says of what it is"
    link.setFocus()
    QTest.keyClick(link, Qt.Key.Key_Tab, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClick(w.focusWidget(), Qt.Key.Key_Tab)
    w.focusWidget().linkActivated.emit("#")
    assert state.selection != Item("slice", main)
    focused = w.focusWidget()
    assert focused.isVisible()
    assert focused.accessibleName().startswith("Inside of: ")
    state.select(Item("instant", 0))
    assert w.focusWidget() is panel._copy, "nothing to follow: the keyboard stays near"


def test_a_click_on_a_link_leaves_the_keyboard_to_the_timeline(open_window: Any) -> None:
    w, state = open_window, open_window.state
    state.select(Item("slice", slice_named(state.trace, "main")))
    canvas = w.timeline.canvas
    canvas.setFocus()
    panel = w.docks["details"].panel
    link = next(value for value in panel.findChildren(BreakingLabel) if value.accessibleName().startswith("Inside: "))
    QTest.mouseClick(link, Qt.MouseButton.LeftButton, pos=QPoint(6, link.height() // 2))
    assert state.selection != Item("slice", slice_named(state.trace, "main"))
    assert w.focusWidget() is canvas


def test_a_change_of_theme_leaves_the_arguments_as_they_are(open_window: Any, qtbot: QtBot) -> None:
    w, state = open_window, open_window.state
    state.select(Item("slice", slice_named(state.trace, "relu")))
    panel = w.docks["details"].panel
    panel.args.setCurrentIndex(panel.args_model.index(1, 0))
    w.actions_by_id["window.toggle_theme"].trigger()
    qtbot.waitUntil(lambda: w.theme.is_settled)
    assert panel.args.currentIndex().row() == 1
    w.actions_by_id["window.toggle_theme"].trigger()
    qtbot.waitUntil(lambda: w.theme.is_settled)
