"""Every key does what it is bound to, on the keyboards of several countries; all that the mouse does to rows and slices keys do too."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from hlprof_core.trace.ranges import TimeRange
from hlprof_gui.commands.catalog import make_commands
from hlprof_gui.state.view_state import TOOLS, Item
from hlprof_gui.widgets.panel import PANELS
from tests.gui.conftest import wait_idle
from tests.small_trace import START_NS, slice_named

K = Qt.Key
NONE, SHIFT, CTRL, ALT = (getattr(Qt.KeyboardModifier, f"{name}Modifier") for name in ("No", "Shift", "Control", "Alt"))
ALTGR = Qt.KeyboardModifier.GroupSwitchModifier
ALL_KEYS = [(c.id, key) for c in make_commands((e.id, e.title, e.icon) for e in PANELS) for key in c.keys]
SIGNS = {
    "US": {"/": (K.Key_Slash, NONE), "?": (K.Key_Question, SHIFT), "[": (K.Key_BracketLeft, NONE), "]": (K.Key_BracketRight, NONE),
           "+": (K.Key_Plus, SHIFT), "=": (K.Key_Equal, NONE), "-": (K.Key_Minus, NONE), ".": (K.Key_Period, NONE),
           ",": (K.Key_Comma, NONE)},
    "German": {"/": (K.Key_Slash, SHIFT), "?": (K.Key_Question, SHIFT), "[": (K.Key_BracketLeft, ALTGR), "]": (K.Key_BracketRight, ALTGR),
               "+": (K.Key_Plus, NONE), "=": (K.Key_Equal, SHIFT), "-": (K.Key_Minus, NONE), ".": (K.Key_Period, NONE),
               ",": (K.Key_Comma, NONE)},
    "French": {"/": (K.Key_Slash, SHIFT), "?": (K.Key_Question, SHIFT), "[": (K.Key_BracketLeft, ALTGR), "]": (K.Key_BracketRight, ALTGR),
               "+": (K.Key_Plus, SHIFT), "=": (K.Key_Equal, NONE), "-": (K.Key_Minus, NONE), ".": (K.Key_Period, SHIFT),
               ",": (K.Key_Comma, NONE)},
}  # fmt: skip
"""How the signs that are keys of commands are typed."""


@pytest.fixture
def asked(open_window: Any, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Ids of the commands that were asked for; they are all available and do nothing."""
    w, ids = open_window, list[str]()
    monkeypatch.setattr(w.actions_by_id, "run", lambda command: ids.append(command.id))
    monkeypatch.setattr(w.actions_by_id, "refresh", lambda: None)
    for command in w.commands:
        w.actions_by_id[command.id].setEnabled(True)
    w.timeline.canvas.setFocus()
    return ids


def test_every_key_runs_its_command(open_window: Any, asked: list[str]) -> None:
    canvas = open_window.timeline.canvas
    wrong = []
    for command_id, key in ALL_KEYS:
        asked.clear()
        combination = QKeySequence(key)[0]
        text = key if len(key) == 1 and not key.isalnum() else ""
        if text:
            QTest.keyClick(canvas, text)
        else:
            QTest.keyClick(canvas, combination.key(), combination.keyboardModifiers())
        if asked != [command_id]:
            wrong.append((command_id, key, list(asked)))
    assert wrong == []


@pytest.mark.parametrize("country", SIGNS)
def test_signs_are_found_on_any_keyboard(open_window: Any, asked: list[str], country: str) -> None:
    signs = {key: command_id for command_id, key in ALL_KEYS if len(key) == 1 and not key.isalnum()}
    assert set(signs) == set(SIGNS[country]), "a key that the table does not tell how to type"
    for sign, (key, modifier) in SIGNS[country].items():
        asked.clear()
        QTest.sendKeyEvent(QTest.KeyAction.Click, open_window.timeline.canvas, key, sign, modifier)
        assert asked == [signs[sign]], sign


def test_tools_are_chosen_by_number(open_window: Any, qtbot: QtBot) -> None:
    canvas, state = open_window.timeline.canvas, open_window.state
    canvas.setFocus()
    for number, tool in reversed(list(enumerate(TOOLS, 1))):
        QTest.keyClick(canvas, str(number))
        assert state.tool == tool
        assert open_window.actions_by_id[f"tool.{tool}"].isChecked()
    for key, moved in (("w", "shorter"), ("s", "longer"), ("d", "later"), ("a", "earlier")):
        state.set_window(TimeRange(START_NS + 400, START_NS + 600))
        QTest.keyPress(canvas, key)
        qtbot.waitUntil(lambda: state.window != TimeRange(START_NS + 400, START_NS + 600), timeout=10_000)
        QTest.keyRelease(canvas, key)
        now = state.window
        said = {"shorter": now.length_ns < 200, "longer": now.length_ns > 200, "later": now.start_ns > START_NS + 400,
                "earlier": now.start_ns < START_NS + 400}  # fmt: skip
        assert said[moved], key


def name_of_selected(window: Any) -> str:
    selection = window.state.selection
    return window.state.trace.name(selection.id) if selection is not None and selection.kind == "slice" else ""


def test_one_gets_about_without_a_mouse(open_window: Any) -> None:
    w, canvas = open_window, open_window.timeline.canvas
    canvas.setFocus()
    assert w.state.selection is None
    QTest.keyClick(canvas, ".")
    assert name_of_selected(w) in ("fc1/forward", "fc2/forward"), "something in sight on the first row"
    names = [name_of_selected(w)]
    while True:
        QTest.keyClick(canvas, K.Key_Down, SHIFT)
        if names[-1] == name_of_selected(w):
            break
        names.append(name_of_selected(w))
    assert names[-1] in ("launch", "sync")
    assert "main" in names
    QTest.keyClick(canvas, K.Key_Up, SHIFT)
    assert name_of_selected(w) == "main"
    QTest.keyClick(canvas, K.Key_Down, ALT)
    assert name_of_selected(w) == "launch"
    QTest.keyClick(canvas, K.Key_L)
    assert name_of_selected(w) == "sync", "the next longer one"
    QTest.keyClick(canvas, K.Key_L, SHIFT)
    assert name_of_selected(w) == "sync", "none before is longer"
    QTest.keyClick(canvas, ",")
    assert name_of_selected(w) == "launch"
    QTest.keyClick(canvas, K.Key_Left, ALT | SHIFT)
    assert w.state.selection.id == slice_named(w.state.trace, "launch", 0)
    QTest.keyClick(canvas, K.Key_J)
    assert (w.state.range.start_ns, w.state.range.end_ns) == (START_NS + 60, START_NS + 500), "the gap behind it"
    QTest.keyClick(canvas, K.Key_J)
    assert w.state.range.start_ns == START_NS + 540
    QTest.keyClick(canvas, K.Key_J, SHIFT)
    assert w.state.range.start_ns == START_NS + 60


def test_arrows_scroll_the_timeline_but_move_in_a_list_that_has_the_keyboard(open_window: Any, qtbot: QtBot) -> None:
    w, canvas = open_window, open_window.timeline.canvas
    w.show_panel("statistics")
    w.show_panel("matches")
    w.search.set_words("launch")
    wait_idle(qtbot, w)
    w.resize(1000, 560)
    qtbot.wait(30)
    canvas.setFocus()
    scene, state = w.timeline.scene, w.state
    assert scene.max_top > 0
    QTest.keyClick(canvas, K.Key_PageDown)
    assert scene.top > 0
    QTest.keyClick(canvas, K.Key_PageUp)
    assert scene.top == 0
    QTest.keyClick(canvas, K.Key_Down)
    assert 0 < scene.top <= scene.max_top
    state.set_window(TimeRange(START_NS + 400, START_NS + 600))
    QTest.keyClick(canvas, K.Key_Right)
    assert state.window.start_ns == START_NS + 425
    table = w.docks["matches"].panel.table
    table.setFocus()
    table.setCurrentIndex(table.model().index(0, 0))
    top, window = scene.top, state.window
    QTest.keyClick(table, K.Key_Down)
    assert table.currentIndex().row() == 1
    QTest.keyClick(table, K.Key_Home, NONE)
    QTest.keyClick(table, K.Key_Up)
    assert table.currentIndex().row() == 0
    assert (scene.top, state.window) == (top, window)


def test_enter_and_f_show_the_selection(open_window: Any) -> None:
    w, canvas = open_window, open_window.timeline.canvas
    canvas.setFocus()
    wanted = None
    for key in (K.Key_Return, K.Key_Enter, K.Key_F):
        w.state.set_window(w.state.bounds)
        w.state.select(Item("slice", slice_named(w.state.trace, "sync")))
        QTest.keyClick(canvas, key)
        assert w.state.window != w.state.bounds
        wanted = wanted or w.state.window
        assert w.state.window == wanted


def test_f6_goes_round_the_parts_of_the_window(open_window: Any, qtbot: QtBot) -> None:
    w = open_window
    w.show_panel("statistics")
    wait_idle(qtbot, w)
    w.timeline.canvas.setFocus()
    seen = []
    for _ in range(3):
        QTest.keyClick(w.focusWidget(), K.Key_F6)
        now = w.focusWidget()
        inside = [entry.id for entry in PANELS if w.docks[entry.id].isAncestorOf(now)]
        seen.append(inside[0] if inside else "timeline" if now is w.timeline.canvas else type(now).__name__)
    assert seen == ["report", "statistics", "timeline"]
    QTest.keyClick(w.focusWidget(), K.Key_F6, SHIFT)
    assert w.docks["statistics"].isAncestorOf(w.focusWidget())


def test_arrows_in_fields_are_about_what_is_typed_there(open_window: Any, qtbot: QtBot) -> None:
    w = open_window
    w.state.select(Item("slice", slice_named(w.state.trace, "main")))
    w.focus_search()
    QTest.keyClicks(w.search_box.field, "launch")
    qtbot.waitUntil(lambda: w.search_box.count.text() == "2", timeout=10_000)
    w.search_box.field.hide_proposals()
    w.resize(1000, 540)
    QTest.keyClick(w.search_box.field, K.Key_Down)
    assert w.search_box.count.text() == "1 / 2"
    assert w.timeline.scene.top == 0
    w.show_panel("sql")
    wait_idle(qtbot, w)
    editor = w.docks["sql"].panel.editor
    editor.setFocus()
    before, asked = w.state.arrangement, []
    editor.history_wanted.connect(asked.append)
    QTest.keyClick(editor, K.Key_Up, CTRL)
    assert asked == [-1]
    assert w.state.arrangement == before, "no row moves"
