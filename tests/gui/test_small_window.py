"""Windows on small and magnified screens: everything important stays reachable, opening panels does not make the window larger."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolBar
from pytestqt.qtbot import QtBot

from hlprof_gui.commands.catalog import SPARE_BUTTONS
from hlprof_gui.dialogs.key_help import KeyHelp
from hlprof_gui.widgets.panel import PANELS
from tests.gui.conftest import wait_idle

SMALL = (960, 540)
"""A screen of 1920 x 1080 at 200 %."""


def shown(bar: QToolBar) -> list[str]:
    return [action.objectName() for action in bar.actions() if action.objectName()]


def test_a_window_fits_a_magnified_screen_with_any_panel_open(open_window: Any, qtbot: QtBot) -> None:
    w = open_window
    w.resize(*SMALL)
    qtbot.wait(20)
    assert (w.width(), w.height()) == SMALL
    for entry in PANELS:
        w.show_panel(entry.id)
        wait_idle(qtbot, w)
        qtbot.wait(10)
        assert (w.width(), w.height()) == SMALL, entry.id
    bar = w.findChild(QToolBar, "toolbar")
    assert w.search_box.isVisible()
    assert w.search_box.field.width() >= 150
    spare = {command for group in SPARE_BUTTONS for command in group}
    assert spare - set(shown(bar))
    assert w.timeline.canvas.height() > 40


def test_buttons_come_back_in_their_order_when_there_is_room(open_window: Any, qtbot: QtBot) -> None:
    w = open_window
    bar = w.findChild(QToolBar, "toolbar")
    w.resize(1500, 700)
    qtbot.wait(20)
    all_of_them = shown(bar)
    w.resize(w.minimumWidth(), 700)
    qtbot.wait(20)
    few = shown(bar)
    lines = [action for action in bar.actions() if action.isSeparator() and action.isVisible()]
    assert len(few) < len(all_of_them)
    assert [c for c in all_of_them if c in few] == few
    places = [bar.actions().index(line) for line in lines]
    assert all(b - a > 1 for a, b in itertools.pairwise(places)), "no two lines beside each other"
    w.resize(1500, 700)
    qtbot.wait(20)
    assert shown(bar) == all_of_them
    assert all(bar.widgetForAction(w.actions_by_id[c]).accessibleName() for c in all_of_them)
    assert all(w.actions_by_id[c].isVisible() for c in all_of_them), "menus have them whatever the tool bar shows"


@pytest.mark.parametrize("height", [300, 4000])
def test_the_page_of_keys_fits_the_screen_and_scrolls(open_window: Any, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, height: int) -> None:
    from PySide6.QtCore import QSize
    from PySide6.QtGui import QScreen

    monkeypatch.setattr(QScreen, "availableSize", lambda _self: QSize(3000, height))
    page = KeyHelp(open_window.commands, open_window.theme, open_window)
    page.show()
    page.activateWindow()
    qtbot.waitUntil(page.isActiveWindow)
    assert page.height() <= height
    bar = page.area.verticalScrollBar()
    assert (bar.maximum() > 0) == (height == 300)
    QTest.keyClick(page, Qt.Key.Key_PageDown)
    if height == 300:
        assert bar.value() > 0
        QTest.keyClick(page, Qt.Key.Key_Space)
    assert not page.isVisible()
