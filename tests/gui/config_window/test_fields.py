"""Every setting has a control, and every control does what it says: value, file, way back, names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from hlprof_core.config.schema import SETTINGS, all_settings
from hlprof_core.config.setting import Setting
from hlprof_core.config.value_kind import BMON, FOLDER, NUMBER, RANGE, SESSION_NAME, SPMU, TEXT
from hlprof_gui.config_window.editor import ChoiceEditor, SizeEditor, SwitchEditor, TextEditor
from tests.gui.config_window.conftest import close, make

TYPED: dict[Any, tuple[str, Any]] = {
    SESSION_NAME: ("dlrm#", "dlrm#"),
    FOLDER: ("out/here", "out/here"),
    TEXT: ("host", "host"),
    NUMBER: ("3", 3),
    RANGE: ("11-15,1-5", "1-5,11-15"),
    BMON: ("[[0,1][bw][512][]]", "[[0,1][bw][512][]]"),
    SPMU: ("[[57,65][2048,on]]", "[[57,65][2048,on]]"),
}
WRONG = {SESSION_NAME: "/b", RANGE: "x-1", NUMBER: "many", BMON: "[[0]]", SPMU: "[[1][2]]", FOLDER: ""}
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture(scope="module")
def shared(qapp: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """One window for all: each test undoes what it did."""
    from hlprof_gui.theme.theme import Theme

    theme = Theme("dark")
    theme.apply(qapp)
    window = make(tmp_path_factory.mktemp("shared") / "prof_config.json", theme)
    window.show()
    QTest.qWaitForWindowExposed(window)
    window.activateWindow()
    QTest.qWaitForWindowActive(window)
    yield window
    close(window)
    qapp.setStyleSheet("")


def type_into(field: Any, text: str) -> None:
    field.setFocus()
    field.selectAll()
    QTest.keyClick(field, Qt.Key.Key_Backspace)
    QTest.keyClicks(field, text)


def drive(editor: Any, entry: Setting) -> Any:
    """Use the control as a person does; returns the value that must be in force."""
    if isinstance(editor, SwitchEditor):
        QTest.mouseClick(editor.switch, LEFT, pos=editor.switch.rect().center())
        return not entry.default
    if isinstance(editor, ChoiceEditor):
        editor.box.setFocus()
        QTest.keyClick(editor.box, Qt.Key.Key_End)
        QTest.keyClick(editor.box, Qt.Key.Key_Home)
        QTest.keyClick(editor.box, Qt.Key.Key_End)
        return entry.kind.names[-1]  # type: ignore[attr-defined]
    if isinstance(editor, SizeEditor):
        type_into(editor.box.lineEdit(), "300")
        return 300 << 20
    assert isinstance(editor, TextEditor)
    text, value = TYPED[entry.kind]
    type_into(editor.field, text)
    QTest.keyClick(editor.field, Qt.Key.Key_Return)
    assert editor.field.text() == entry.kind.show(value)
    return value


def check_field(window: Any, field: Any) -> None:
    """Drive it, look at the document, go back both ways."""
    entry, model = field.entry, window.model
    control = field.editor.control
    assert control.accessibleName() == entry.title
    assert entry.doc in control.accessibleDescription()
    assert field.reset_button.accessibleName() == f"Reset {entry.title}"
    before = model.json_text
    assert not field.reset_button.isVisible()
    value = drive(field.editor, entry)
    assert model.value(entry.id) == value
    assert field.reset_button.isVisible()
    assert field.error.text() == ""
    assert [e.id for e, _ in model.differences] == [entry.id]
    model.undo()
    while isinstance(field.editor, ChoiceEditor) and model.undo_title:
        assert model.problems == []
        model.undo()
    assert model.json_text == before, "one use of a control is one step"
    assert not field.reset_button.isVisible()
    while model.redo_title:
        model.redo()
    assert model.value(entry.id) == value
    QTest.mouseClick(field.reset_button, LEFT)
    assert model.is_default(entry.id)
    model.new()


@pytest.mark.parametrize("entry", SETTINGS, ids=lambda e: e.id)
def test_every_setting_is_edited_on_the_page_of_all(shared: Any, entry: Setting) -> None:
    page = shared.frame("advanced").page
    shared.show_page("advanced")
    assert page.reveal(entry.id)
    assert page.field.entry.id == entry.id
    check_field(shared, page.field)


@pytest.mark.parametrize("kind", [BMON, SPMU])
def test_lists_of_units_are_edited_there_too(shared: Any, kind: Any) -> None:
    entry = next(e for e in all_settings().values() if e.kind is kind)
    page = shared.frame("advanced").page
    shared.show_page("advanced")
    page.reveal(entry.id)
    check_field(shared, page.field)


@pytest.mark.parametrize("page", ["session", "outputs", "host"])
def test_every_field_of_the_forms(shared: Any, qtbot: QtBot, page: str) -> None:
    shared.show_page(page)
    fields = shared.frame(page).page.fields
    # Those made just now have to be laid out before they can be clicked.
    qtbot.waitUntil(lambda: all(f.isVisible() and f.height() >= f.minimumSizeHint().height() for f in fields.values()), timeout=10_000)
    for field in fields.values():
        shared.frame(page).show_widget(field)
        check_field(shared, field)


def test_forms_leave_nothing_to_the_list_but_what_is_said_elsewhere(shared: Any) -> None:
    in_forms = {i for page in ("session", "outputs", "host") for i in shared.frame(page).page.fields}
    elsewhere = {"hw.arch", "hw.phase", "hw.range", "hw.buffer_bytes", "hw.buffer_location", "hw.enable"}
    only_advanced = {"hw.memory_reuse", "hw.stm", "hw.cs_advanced"}
    assert {s.id for s in SETTINGS} == in_forms | elsewhere | only_advanced


@pytest.mark.parametrize("kind", list(WRONG), ids=lambda k: k.metavar)
def test_what_cannot_be_read_is_said_below_and_changes_nothing(shared: Any, kind: Any) -> None:
    entry = next(e for e in all_settings().values() if e.kind is kind)
    shared.show_page("advanced")
    page = shared.frame("advanced").page
    page.reveal(entry.id)
    field, before = page.field, shared.model.json_text
    type_into(field.editor.field, WRONG[kind])
    assert shared.model.value(entry.id) == entry.default
    assert field.error.isVisible()
    assert field.error.text() in field.editor.control.accessibleDescription()
    typed = field.editor.field.text()
    field.refresh()
    assert field.editor.field.text() == typed, "what is being typed stays"
    QTest.keyClick(field.editor.field, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert not field.error.isVisible()
    while shared.model.undo_title:
        shared.model.undo()
    assert shared.model.json_text == before
    shared.model.new()


def test_a_size_between_two_mebibytes_is_shown_and_kept(shared: Any) -> None:
    shared.show_page("advanced")
    page = shared.frame("advanced").page
    page.reveal("hw.buffer_bytes")
    shared.model.set("hw.buffer_bytes", (64 << 20) + 5)
    box = page.field.editor.box
    assert box.value() == 64
    assert "67108869" in box.toolTip()
    assert shared.model.value("hw.buffer_bytes") == (64 << 20) + 5
    box.stepUp()
    assert shared.model.value("hw.buffer_bytes") == 128 << 20
    box.stepDown()
    box.stepDown()
    assert shared.model.value("hw.buffer_bytes") == 32 << 20
    shared.model.new()


def test_the_wheel_over_a_control_scrolls_the_page(shared: Any) -> None:
    from PySide6.QtCore import QPoint, QPointF
    from PySide6.QtGui import QWheelEvent

    shared.show_page("outputs")
    page = shared.frame("outputs").page
    box = page.fields["output.json_compressed"].editor.box
    shared.page_list.setFocus()
    none, here = Qt.KeyboardModifier.NoModifier, QPointF(box.rect().center())
    there, button, phase = QPointF(box.mapToGlobal(box.rect().center())), Qt.MouseButton.NoButton, Qt.ScrollPhase.NoScrollPhase
    event = QWheelEvent(here, there, QPoint(), QPoint(0, -120), button, none, phase, False)
    QApplication.sendEvent(box, event)
    assert shared.model.is_default("output.json_compressed")


def test_a_stored_value_that_cannot_be_read_is_told_at_its_field(shared: Any, tmp_path: Path) -> None:
    shared.show_page("session")
    field = shared.frame("session").page.fields["session.name"]
    shared.model.set_json('{"GeneralSettings": {"values": {"session": {"value": "a/b"}}}}')
    assert "a/b" in field.error.text()
    assert field.reset_button.isVisible()
    QTest.mouseClick(field.reset_button, LEFT)
    assert field.error.text() == ""
    shared.model.new()
