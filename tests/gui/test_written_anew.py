"""The file is written anew, in place, while the window shows it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from hlprof_gui.state.session import restore_session, save_session
from hlprof_gui.state.view_state import Item
from tests.gui.conftest import wait_idle


def write(file: Path, run: int) -> None:
    slices = [
        {"ph": "X", "name": f"op{i % 3}", "pid": 1, "tid": 1, "ts": i * 100, "dur": 50, "args": {"run": run, "i": i}} for i in range(500)
    ]
    file.write_text(json.dumps(slices))


@pytest.fixture
def shown(window: Any, qtbot: QtBot, tmp_path: Path) -> Any:
    file = tmp_path / "run.json"
    write(file, 1)
    window.open_path(file)
    wait_idle(qtbot, window)
    window.state.select(Item("slice", 3))
    assert window.docks["details"].panel.details.args["run"] == 1
    return window


def test_details_tell_it_and_the_window_once(shown: Any, qtbot: QtBot) -> None:
    panel, said = shown.docks["details"].panel, []
    shown.notifier.message_posted.connect(said.append)
    write(shown.trace_path, 22222)
    for slice_id in (4, 5):
        shown.state.select(Item("slice", slice_id))
        assert panel.title.text() == shown.state.selected_name()
        assert panel.details.args == {}
        assert not panel.args.isVisible()
        told = [fact.value for fact in panel.details.facts if fact.label == "Arguments"]
        assert told == [f"{shown.trace_path}: changed since it was read. Reload it (F5)."]
    assert [(message.level, message.hint) for message in said] == [("error", "Reload it (F5).")]
    shown.actions_by_id["file.reload"].trigger()
    wait_idle(qtbot, shown)
    assert shown.state.selection == Item("slice", 5)
    assert panel.details.args == {"run": 22222, "i": 5}
    write(shown.trace_path, 3)
    shown.state.select(Item("slice", 6))
    assert len(said) == 2


def test_a_search_in_arguments_fails(shown: Any, qtbot: QtBot) -> None:
    write(shown.trace_path, 2)
    shown.search.set_words("args.run=2")
    wait_idle(qtbot, shown)
    assert len(shown.state.matches) == 0
    assert "changed since it was read" in shown.messages.text


def test_a_session_is_of_the_trace_that_was_read(shown: Any, make_window: Any, qtbot: QtBot) -> None:
    shown.state.add_mark(300, "of the former run")
    write(shown.trace_path, 2)
    save_session(shown.state)
    other = make_window()
    other.open_path(shown.trace_path)
    wait_idle(qtbot, other)
    restored = restore_session(other.state)
    assert restored is not None
    assert not restored.is_same_trace
