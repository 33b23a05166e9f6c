"""Notes and sessions in the window."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from hlprof_gui.qtmodels.notes_model import TEXT
from hlprof_gui.state.session import session_path
from hlprof_gui.state.view_state import Item, Mark
from tests.gui.conftest import wait_idle


def test_a_note_is_written_in_place_kept_and_found_again(open_window: Any, make_window: Any, qtbot: QtBot, trace_file: Path) -> None:
    state = open_window.state
    state.select(Item("slice", 2))
    where = state.item_range(state.selection)
    open_window.timeline.canvas.setFocus()
    qtbot.keyClick(open_window, Qt.Key.Key_M, Qt.KeyboardModifier.ControlModifier)
    panel = open_window.docks["notes"].panel
    QAbstractItemModelTester(panel.model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    editor = panel.table.findChild(QLineEdit)
    assert editor is not None
    qtbot.keyClicks(editor, "too slow")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: state.marks[0].label != "")  # Qt commits an editor when it is back in its loop
    assert [(m.time_ns, m.length_ns, m.label) for m in state.marks] == [(where.start_ns, where.length_ns, "too slow")]
    open_window.actions_by_id["file.save_session"].trigger()
    assert session_path(trace_file).is_file()
    other = make_window()
    other.open_path(trace_file)
    wait_idle(qtbot, other)
    assert other.state.marks == state.marks
    assert not other.history.undo_title
    assert "restored" in other.messages.text


def test_asking_again_for_the_note_being_written_goes_on_writing(open_window: Any, qtbot: QtBot, qtlog: Any) -> None:
    open_window.state.select(Item("slice", 2))
    add = open_window.actions_by_id["edit.add_note"]
    add.trigger()
    table = open_window.docks["notes"].panel.table
    qtbot.keyClicks(table.findChild(QLineEdit), "abc")
    add.trigger()
    assert table.findChild(QLineEdit).text() == "abc"
    assert not [record for record in qtlog.records if "editing failed" in record.message]


def test_notes_jump_and_go(open_window: Any, qtbot: QtBot) -> None:
    state = open_window.state
    state.add_mark(state.trace.span.start_ns + 10, "a", 40)
    open_window.show_panel("notes")
    panel = open_window.docks["notes"].panel
    table = panel.table
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=table.visualRect(panel.model.index(0, TEXT)).center())
    assert state.window.length_ns == 60
    table.setFocus()
    qtbot.keyClick(table, Qt.Key.Key_Delete)
    assert state.marks == ()
    assert not table.isVisible()


def test_a_broken_session_is_told_and_the_trace_is_shown(make_window: Any, qtbot: QtBot, trace_file: Path) -> None:
    session_path(trace_file).write_text("{")
    window = make_window()
    window.open_path(trace_file)
    wait_idle(qtbot, window)
    assert window.state.trace is not None
    assert "no session" in window.messages.text


def test_a_note_being_written_is_kept_when_others_come(open_window: Any, qtbot: QtBot, qtlog: Any) -> None:
    state = open_window.state
    start = state.trace.span.start_ns
    state.set_marks([Mark(start + 5), Mark(start + 9, "b")])
    open_window.edit_note(Mark(start + 5))
    table = open_window.docks["notes"].panel.table
    qtbot.keyClicks(table.findChild(QLineEdit), "abc")
    state.add_mark(start + 1, "other")
    wait_idle(qtbot, open_window)
    assert [(mark.time_ns - start, mark.label) for mark in state.marks] == [(1, "other"), (5, "abc"), (9, "b")]
    open_window.edit_note(state.marks[1])
    qtbot.waitUntil(lambda: table.viewport().findChild(QLineEdit) is not None)
    field = table.viewport().findChildren(QLineEdit)[-1]
    qtbot.keyClicks(field, "gone")
    state.set_marks([mark for mark in state.marks if mark.label != "abc"])
    wait_idle(qtbot, open_window)
    assert [mark.label for mark in state.marks] == ["other", "b"]


@pytest.mark.parametrize("what", ["file.reload", "file.save_session"])
def test_a_note_being_written_goes_along(what: str, open_window: Any, qtbot: QtBot, trace_file: Path, qtlog: Any) -> None:
    state = open_window.state
    start = state.trace.span.start_ns
    state.set_marks([Mark(start + 5), Mark(start + 9, "b")])
    open_window.edit_note(Mark(start + 5))
    qtbot.keyClicks(open_window.docks["notes"].panel.table.findChild(QLineEdit), "abc")
    before = state.trace
    open_window.actions_by_id[what].trigger()
    if what == "file.reload":
        qtbot.waitUntil(lambda: state.trace is not before)
    wait_idle(qtbot, open_window)
    assert [mark.label for mark in state.marks] == ["abc", "b"]
    assert session_path(trace_file).is_file() is (what == "file.save_session")
    if what == "file.save_session":
        assert "abc" in session_path(trace_file).read_text(encoding="utf-8")
    assert not [record for record in qtlog.records if "editing failed" in record.message]
