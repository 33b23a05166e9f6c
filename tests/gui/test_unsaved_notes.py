"""What the user wrote and chose is kept when the file is read again, and asked for before it is lost."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from hlprof_core.errors import ExportError
from hlprof_core.io.writers import write_trace
from hlprof_core.trace.ranges import TimeRange
from hlprof_gui.app import Program
from hlprof_gui.settings import Settings
from hlprof_gui.state.session import session_path
from hlprof_gui.state.view_state import Item, Mark
from tests.gui.conftest import wait_idle
from tests.small_trace import small_trace

BUTTONS = QMessageBox.StandardButton


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    return Asked(monkeypatch)


class Asked(list[str]):
    """The texts that were asked; ``answer`` is given."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__()
        self.answer = BUTTONS.Cancel

        def choose(box: QMessageBox) -> int:
            self.append(box.text())
            return int(self.answer.value)

        monkeypatch.setattr(QMessageBox, "exec", choose)


@pytest.fixture
def noted(open_window: Any) -> Any:
    """A window with a note that is in no file."""
    open_window.state.add_mark(open_window.state.trace.span.start_ns + 10, "slow here", 40)
    return open_window


@pytest.fixture
def other_file(tmp_path: Path) -> Path:
    path = tmp_path / "other.json"
    write_trace(small_trace(), path)
    return path


def run(window: Any, command: str) -> None:
    window.actions_by_id[command].trigger()


def written(trace: Path) -> list[str]:
    """The notes in the session of a trace."""
    return [note["text"] for note in json.loads(session_path(trace).read_text())["notes"]]


# -- reading the file again ---------------------------------------------------------------------------------------------


def test_reading_again_keeps_what_was_chosen(noted: Any, qtbot: QtBot, asked: Asked) -> None:
    state, before = noted.state, noted.state.trace
    start = before.span.start_ns
    noted.search.set_words("fc1")
    state.add_mark(start + 3)
    state.set_window(TimeRange(start + 5, start + 500))
    state.set_range(TimeRange(start + 7, start + 70))
    state.select(Item("slice", 2))
    state.set_collapsed([0])
    run(noted, "row.group_by_engine")
    wait_idle(qtbot, noted)
    chosen = (state.window, state.range, state.filter, state.marks, state.arrangement, state.collapsed, state.selection)
    matches = state.matches.tolist()
    run(noted, "file.reload")
    wait_idle(qtbot, noted)
    assert state.trace is not before
    assert (state.window, state.range, state.filter, state.marks, state.arrangement, state.collapsed, state.selection) == chosen
    assert state.matches.tolist() == matches
    assert noted.search_box.field.text() == "fc1"
    assert not noted.messages.isVisible()
    assert asked == []


def test_reading_again_keeps_colours_by_an_argument_and_what_is_selected(open_window: Any, qtbot: QtBot) -> None:
    state = open_window.state
    state.want_colour_argument("dtype")
    state.select(Item("counter", 1))
    wait_idle(qtbot, open_window)
    assert "bf16" in state.colour_groups.labels
    before = state.trace
    run(open_window, "file.reload")
    wait_idle(qtbot, open_window)
    assert state.trace is not before
    assert state.selection == Item("counter", 1)
    assert (state.colour_by, state.colour_groups.argument) == ("argument", "dtype")
    assert "bf16" in state.colour_groups.labels
    assert len(state.colour_groups.keys) == len(state.trace.slices)


def test_reading_again_keeps_the_rows_in_sight(open_window: Any, qtbot: QtBot) -> None:
    scene = open_window.timeline.scene
    open_window.timeline.setFixedHeight(160)
    qtbot.waitUntil(lambda: scene.max_top > 40)
    scene.scroll_to(40)
    run(open_window, "file.reload")
    wait_idle(qtbot, open_window)
    assert scene.top == pytest.approx(40, abs=1)


def test_notes_that_were_kept_are_still_unsaved(noted: Any, qtbot: QtBot, asked: Asked) -> None:
    run(noted, "file.reload")
    wait_idle(qtbot, noted)
    run(noted, "file.close")
    assert asked == ["Save the notes on small.json?"]
    assert noted.state.trace is not None


def test_notes_that_were_saved_need_no_question_after_reading_again(noted: Any, qtbot: QtBot, asked: Asked) -> None:
    run(noted, "file.save_session")
    run(noted, "file.reload")
    wait_idle(qtbot, noted)
    run(noted, "file.close")
    assert asked == []
    assert noted.state.trace is None


def test_what_the_file_has_no_more_is_told(noted: Any, qtbot: QtBot, trace_file: Path) -> None:
    state = noted.state
    marks, bounds = state.marks, state.bounds
    state.select(Item("slice", 2))
    name = state.selected_name()
    trace_file.write_text('[{"ph":"X","name":"new","pid":1,"tid":1,"ts":0,"dur":90000}]')
    run(noted, "file.reload")
    wait_idle(qtbot, noted)
    assert state.marks == marks
    assert state.selection is None
    assert noted.messages.text.startswith("Read again. Not found in it any more: ")
    assert name in noted.messages.text or "row" in noted.messages.text
    assert state.window == state.bounds != bounds


def test_all_that_comes_before_the_end_of_reading_again_is_kept(noted: Any, qtbot: QtBot) -> None:
    run(noted, "file.reload")
    noted.state.add_mark(noted.state.trace.span.start_ns + 99, "late")
    marks = noted.state.marks
    wait_idle(qtbot, noted)
    assert noted.state.marks == marks


# -- leaving --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("button", ["Save", "Discard", "Cancel"])
def test_closing_the_trace_asks(noted: Any, trace_file: Path, asked: Asked, button: str) -> None:
    asked.answer = BUTTONS[button]
    run(noted, "file.close")
    assert asked == ["Save the notes on small.json?"]
    assert (noted.state.trace is None) == (button != "Cancel")
    assert session_path(trace_file).exists() == (button == "Save")
    if button == "Save":
        assert written(trace_file) == ["slow here"]


@pytest.mark.parametrize("button", ["Save", "Discard", "Cancel"])
def test_closing_the_window_asks(noted: Any, trace_file: Path, asked: Asked, button: str) -> None:
    asked.answer = BUTTONS[button]
    run(noted, "file.quit")
    assert asked == ["Save the notes on small.json?"]
    assert noted.is_closed == (button != "Cancel")
    assert noted.isVisible() == (button == "Cancel")
    assert session_path(trace_file).exists() == (button == "Save")


@pytest.mark.parametrize("button", ["Save", "Discard", "Cancel"])
def test_opening_another_file_asks_once(
    noted: Any, trace_file: Path, other_file: Path, qtbot: QtBot, asked: Asked, button: str
) -> None:
    marks = noted.state.marks
    asked.answer = BUTTONS[button]
    noted.open_path(other_file)
    wait_idle(qtbot, noted)
    assert asked == ["Save the notes on small.json?"]
    assert noted.trace_path == (trace_file if button == "Cancel" else other_file)
    assert noted.state.marks == (marks if button == "Cancel" else ())
    assert session_path(trace_file).exists() == (button == "Save")
    asked.answer = BUTTONS.Discard
    run(noted, "file.close")
    assert len(asked) == 1 + (button == "Cancel")


def test_a_note_written_while_another_file_is_read_is_asked_for(
    open_window: Any, trace_file: Path, other_file: Path, qtbot: QtBot, asked: Asked
) -> None:
    open_window.open_path(other_file)
    open_window.state.add_mark(open_window.state.trace.span.start_ns, "late")
    wait_idle(qtbot, open_window)
    assert len(asked) == 1
    assert open_window.trace_path == trace_file
    assert open_window.state.marks[0].label == "late"


def test_what_was_given_up_for_a_file_that_cannot_be_read_is_asked_for_again(
    noted: Any, tmp_path: Path, qtbot: QtBot, asked: Asked
) -> None:
    asked.answer = BUTTONS.Discard
    noted.open_path(tmp_path / "nowhere.json")
    wait_idle(qtbot, noted)
    asked.answer = BUTTONS.Cancel
    run(noted, "file.close")
    assert len(asked) == 2
    assert noted.state.marks


def test_only_notes_are_asked_for(open_window: Any, trace_file: Path, asked: Asked) -> None:
    state = open_window.state
    state.zoom(0.5)
    state.set_collapsed([0])
    state.select(Item("slice", 2))
    state.add_mark(state.trace.span.start_ns)
    state.set_marks(())
    run(open_window, "file.close")
    assert asked == []
    assert not session_path(trace_file).exists()


def test_a_session_that_was_found_is_saved_until_its_notes_change(
    noted: Any, make_window: Callable[..., Any], trace_file: Path, qtbot: QtBot, asked: Asked
) -> None:
    run(noted, "file.save_session")
    window = make_window()
    window.open_path(trace_file)
    wait_idle(qtbot, window)
    assert window.keeper.may_leave()
    mark = window.state.marks[0]
    window.state.set_marks([Mark(mark.time_ns, "other words", mark.length_ns)])
    assert not window.keeper.may_leave()
    assert len(asked) == 1


def test_notes_that_cannot_be_saved_keep_the_window(noted: Any, asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_state: Any) -> Path:
        raise ExportError("small.json.hlprof: cannot be written (Read-only file system).")

    monkeypatch.setattr("hlprof_gui.session_keeper.save_session", refuse)
    asked.answer = BUTTONS.Save
    for command in ("file.quit", "file.close"):
        noted.messages.hide()
        run(noted, command)
        assert not noted.is_closed
        assert noted.state.marks
        assert noted.messages.isVisible()
        assert "cannot be written" in noted.messages.text


def test_the_question_itself(noted: Any, qtbot: QtBot, trace_file: Path) -> None:
    """The real box, answered by its keys: Esc cancels, Enter saves."""
    seen: list[str] = []

    def press(key: Qt.Key) -> None:
        box = QApplication.activeModalWidget()
        assert isinstance(box, QMessageBox)
        seen.append(box.informativeText())
        QTest.keyClick(box, key)

    QTimer.singleShot(100, lambda: press(Qt.Key.Key_Escape))
    noted.close()
    assert not noted.is_closed
    QTimer.singleShot(100, lambda: press(Qt.Key.Key_Return))
    noted.close()
    assert noted.is_closed
    assert seen == [f"They go into {session_path(trace_file)}."] * 2
    assert written(trace_file) == ["slow here"]


# -- signals ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_asked", [False, True], ids=["alone", "while it is asked"])
def test_a_signal_saves_the_notes_without_asking(
    qtbot: QtBot, tmp_path: Path, trace_file: Path, capsys: pytest.CaptureFixture[str], is_asked: bool
) -> None:
    program = Program(Settings(tmp_path / "w.ini"), theme="dark", backend="image")
    window = program.open_window(trace_file)
    wait_idle(qtbot, window)
    window.state.add_mark(window.state.trace.span.start_ns, "kept")
    if is_asked:
        QTimer.singleShot(100, program.interrupt)
        window.close()
    else:
        program.interrupt()
    qtbot.waitUntil(lambda: not isValid(window))
    assert written(trace_file) == ["kept"]
    assert capsys.readouterr().err == f"hlprof: The notes are saved in {session_path(trace_file)}.\n"
    assert program.windows == []


def test_a_signal_tells_what_could_not_be_saved(
    qtbot: QtBot, tmp_path: Path, trace_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = Program(Settings(tmp_path / "w.ini"), theme="dark", backend="image")
    window = program.open_window(trace_file)
    wait_idle(qtbot, window)
    window.state.add_mark(window.state.trace.span.start_ns, "lost")
    trace_file.unlink()
    program.interrupt()
    qtbot.waitUntil(lambda: not isValid(window))
    assert capsys.readouterr().err.startswith("hlprof: The notes are not saved. ")
