"""The search field: proposals by key, mistakes with a wave, what happens to the rest, the list as a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.gui.conftest import wait_idle
from tests.small_trace import slice_named

K = Qt.Key


def type_in(window: Any, text: str) -> None:
    window.focus_search()
    QTest.keyClicks(window.search_box.field, text)


def test_tab_takes_the_first_proposal(open_window: Any, qtbot: QtBot) -> None:
    field = open_window.search_box.field
    type_in(open_window, "eng")
    assert [c.text for c in field.proposals] == ["engine:"]
    QTest.keyClick(field, K.Key_Tab)
    assert field.text() == "engine:"
    assert "MME" in [c.text for c in field.proposals], "the values come at once"
    QTest.keyClicks(field, "mm")
    QTest.keyClick(field, K.Key_Tab)
    assert field.text() == "engine:MME"
    assert field.hasFocus()
    qtbot.waitUntil(lambda: open_window.search_box.count.text() == "3", timeout=10_000)


def test_arrows_choose_a_proposal_and_enter_takes_it(open_window: Any, qtbot: QtBot) -> None:
    field = open_window.search_box.field
    type_in(open_window, "name:fc")
    popup = field._completer.popup()
    assert popup.isVisible()
    QTest.keyClick(popup, K.Key_Down)
    QTest.keyClick(popup, K.Key_Down)
    QTest.keyClick(popup, K.Key_Return)
    assert field.text() == "name:fc1/inner"
    assert not popup.isVisible()


def test_enter_without_a_choice_goes_to_the_next_match(open_window: Any, qtbot: QtBot) -> None:
    type_in(open_window, "relu")
    QTest.keyClick(open_window.search_box.field._completer.popup(), K.Key_Return)
    assert open_window.search_box.count.text() == "1 / 2"
    assert open_window.search_box.field.text() == "relu"


def test_escape_first_closes_the_proposals(open_window: Any) -> None:
    field = open_window.search_box.field
    type_in(open_window, "re")
    QTest.keyClick(field._completer.popup(), K.Key_Escape)
    assert not field.proposals
    assert field.text() == "re"


def test_mistakes_are_told_and_underlined(open_window: Any, qtbot: QtBot) -> None:
    box = open_window.search_box
    type_in(open_window, "relu durr>1ms")
    qtbot.waitUntil(box.trouble.isVisible, timeout=10_000)
    assert box.trouble.text().startswith("No field 'durr'. Did you mean dur?")
    assert box.count.text() == "?"
    box.field.hide_proposals()
    plain = box.field.grab().toImage()
    box.field.show_trouble(None)
    assert box.field.grab().toImage() != plain, "the wave was drawn"
    open_window.timeline.setFocus()
    qtbot.waitUntil(lambda: not box.trouble.isVisible(), timeout=10_000)


@pytest.mark.parametrize("width", [1500, 1200, 1100])
def test_the_field_keeps_its_room_whatever_is_told(open_window: Any, qtbot: QtBot, width: int) -> None:
    box = open_window.search_box
    open_window.resize(width, 700)
    for text in ("", "relu", "relu durrrrrrrrrrrrrrrrrrrrrrrr>1ms", "engine:MME"):
        open_window.search.set_words(text)
        qtbot.wait(30)
        assert box.isVisible()
        assert box.field.width() >= 150, text


def test_the_rest_is_hidden_by_menu_and_comes_back_by_undo(open_window: Any) -> None:
    w = open_window
    w.search.set_words("relu")
    w.search_box._mode_actions["hide"].trigger()
    assert w.state.filter.mode == "hide"
    assert w.search_box.mode.property("icon_name") == "hide"
    w.actions_by_id["edit.undo"].trigger()
    assert w.search_box.field.text() == ""


def test_the_list_is_written_as_it_is_shown(open_window: Any, qtbot: QtBot, tmp_path: Path) -> None:
    w = open_window
    w.show_panel("matches")
    w.search.set_words("engine:MME")
    panel = w.docks["matches"].panel
    qtbot.waitUntil(lambda: panel.model.rowCount() == 3, timeout=10_000)
    panel.table.sortByColumn(3, Qt.SortOrder.DescendingOrder)
    target = tmp_path / "list.csv"
    panel.export.save_to(target)
    wait_idle(qtbot, w)
    lines = target.read_text().splitlines()
    assert lines[0] == "id,process,thread,name,cat,start_ns,dur_ns,self_ns,depth"
    assert [line.split(",")[3] for line in lines[1:]] == ["fc1/forward", "fc2/forward", "fc1/inner"]
    assert lines[1].split(",")[6:8] == ["400", "300"]
    assert lines[1].startswith(f"{slice_named(w.state.trace, 'fc1/forward')},MME,MME 0,")
