"""Names and values with very many letters: their beginning is shown, the whole is copied, and the window goes on answering."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QLocale
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from hlprof_gui.state.view_state import Item
from hlprof_gui.viewmodels.short_texts import IN_BLOCK, IN_LINE, beginning_of, one_line
from hlprof_gui.viewmodels.status import hover_text, tip_text
from tests.gui.conftest import wait_idle

LONG = 100_000
NAME = "kernel\n<float,\tint> " * (LONG // 20)


@pytest.fixture
def long_window(make_window: Callable[[], Any], qtbot: QtBot, tmp_path: Path) -> Any:
    args = {"source": "line\n" * (LONG // 5), "k" * LONG: 1}
    path = tmp_path / "long.json"
    slice_ = {"ph": "X", "pid": 1, "tid": 1, "ts": 1, "dur": 5, "name": NAME, "cat": "c" * LONG, "args": args}
    path.write_text(json.dumps({"traceEvents": [slice_, {**slice_, "ts": 10}]}))
    window = make_window()
    window.open_path(path)
    wait_idle(qtbot, window)
    return window


def test_what_is_shown_is_short_and_what_is_copied_is_whole(long_window: Any, qtbot: QtBot) -> None:
    state, panel = long_window.state, long_window.dock("details").panel
    state.select(Item("slice", 0))
    long_window.show_panel("matches")
    long_window.search.set_words("kernel")
    wait_idle(qtbot, long_window)
    assert len(panel.title.text()) <= IN_BLOCK
    assert "\n" not in panel.title.text()
    assert max(len(label.text()) for label in panel.findChildren(QLabel)) <= IN_BLOCK
    state.set_hover(Item("slice", 1), state.window.start_ns)
    assert len(hover_text(state)) < 2 * IN_LINE
    assert max(map(len, tip_text(state).split("\n"))) <= IN_LINE
    table = long_window.dock("matches").panel.findChild(type(long_window.dock("sql").panel.table))
    cell = table.model().index(0, 0)
    assert len(table.itemDelegate().displayText(cell.data(), QLocale())) == IN_LINE
    long_window.actions_by_id["edit.copy_details"].trigger()
    copied = json.loads(QGuiApplication.clipboard().text())
    assert copied["name"] == NAME
    assert len(copied["Category"]) == LONG
    assert len(long_window.messages.text) <= IN_BLOCK


def test_short_texts_stay_as_they_are() -> None:
    assert beginning_of("a" * IN_LINE) == "a" * IN_LINE
    assert beginning_of("abcdef", 3) == "ab…"
    assert one_line("a\n\tb  c") == "a b c"
