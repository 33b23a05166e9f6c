"""The window around the pages: pages and their keys, the file's life, three views in step, what is always in sight."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QPlainTextEdit,
)
from pytestqt.qtbot import QtBot

from hlprof_core.config.document import default_path
from hlprof_core.config.validate import warnings
from hlprof_gui.config_window.page import PAGES
from hlprof_gui.dialogs.command_palette import CommandPalette
from hlprof_gui.dialogs.key_help import KeyHelp
from tests.gui.config_window.conftest import let_estimate, press

K, CTRL = Qt.Key, Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
LEFT = Qt.MouseButton.LeftButton


def wait_idle(qtbot: QtBot, window: Any) -> None:
    qtbot.waitUntil(lambda: not any(job.key == "command line" for job in window.jobs.running()), timeout=10_000)


# -- pages --------------------------------------------------------------------------------------------------------------


def test_every_page_opens_by_its_key_and_list(window: Any) -> None:
    for number, entry in enumerate(PAGES, 1):
        press(window, K(K.Key_0 + number))
        assert window.is_page_shown(entry.id)
        assert window.page_list.currentRow() == number - 1
        assert window.actions_by_id[f"page.{entry.id}"].isChecked()
        assert window.messages.text == ""
    window.page_list.setCurrentRow(0)
    assert window.is_page_shown("target")


def test_every_control_has_a_name_for_screen_readers(window: Any) -> None:
    kinds = (QAbstractButton, QLineEdit, QComboBox, QAbstractSpinBox, QPlainTextEdit, QAbstractItemView)
    nameless = []
    for entry in PAGES:
        window.show_page(entry.id)
        QTest.qWait(1)
        for kind in kinds:
            for control in window.findChildren(kind):
                name = control.accessibleName() or (control.text() if isinstance(control, QAbstractButton) else "")
                is_inner = isinstance(control, QHeaderView) or control.objectName().startswith("qt_")
                is_inner |= isinstance(control.parent(), (QComboBox, QAbstractSpinBox))
                if control.isVisibleTo(window) and not name and not is_inner and not control.parent().inherits("QComboBoxPrivateContainer"):
                    nameless.append((entry.id, type(control).__name__, control.objectName()))
    assert nameless == []


def test_nothing_is_wider_than_the_smallest_window(window: Any) -> None:
    window.resize(1100, 700)
    for entry in PAGES:
        window.show_page(entry.id)
        QTest.qWait(1)
        frame = window.frame(entry.id)
        assert frame.widget().minimumSizeHint().width() <= frame.viewport().width(), entry.id


def test_help_palette_and_theme(window: Any) -> None:
    dark = window.theme.palette.name
    window.actions_by_id["window.toggle_theme"].trigger()
    assert window.theme.palette.name != dark
    window.actions_by_id["window.toggle_theme"].trigger()
    window.show_help()
    window.show_palette()
    for kind in (KeyHelp, CommandPalette):
        (dialog,) = window.findChildren(kind)
        assert dialog.isVisible()
        dialog.close()


def test_find_setting_is_ready_to_type(window: Any) -> None:
    press(window, K.Key_F)
    page = window.frame("advanced").page
    assert window.is_page_shown("advanced")
    assert window.focusWidget() is page.search
    QTest.keyClicks(page.search, "buffer size")
    assert page.model.count == 1
    assert page.count.text() == "1 settings" or page.count.text() == "1 setting"
    page.search.clear()
    page.only_changed.setChecked(True)
    assert page.model.count == 1
    window.model.set("merged.json", True)
    assert page.model.count == 2


def test_a_setting_that_is_shown_is_in_sight_in_the_list(window: Any, qtbot: QtBot) -> None:
    window.resize(1100, 700)
    window.show_setting("hw.stm")
    tree = window.frame("advanced").page.tree
    qtbot.waitUntil(lambda: tree.viewport().rect().contains(tree.visualRect(tree.currentIndex()).center()), timeout=10_000)


def test_the_model_of_all_settings_is_a_good_model(window: Any) -> None:
    page = window.frame("advanced").page
    window.show_page("advanced")
    QAbstractItemModelTester(page.model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    page.search.setText("tpc")
    page.search.setText("no such setting")
    page.search.setText("")
    window.model.set("merged.json", True)
    index = page.model.index_of("host.enable")
    page.tree.setCurrentIndex(index)
    page.tree.activated.emit(index)
    assert window.model.value("host.enable") is False
    page.tree.activated.emit(page.model.index_of("session.name"))
    assert page.field.entry.id == "host.enable" or page.field.hasFocus()


# -- what is always in sight ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("setting_id", "value", "page"),
    [
        ("session.name", "x", "session"),
        ("merged.csv", True, "outputs"),
        ("host.api.HCCL", False, "host"),
        ("hw.memory_reuse", True, "advanced"),
        ("hw.fuser", True, "outputs"),
        ("analyzer.enable", False, "outputs"),
    ],
)
def test_a_difference_leads_to_its_control(window: Any, qtbot: QtBot, setting_id: str, value: Any, page: str) -> None:
    window.model.reset_all()
    window.model.set(setting_id, value)
    tree = window.side.changes.tree
    assert tree.topLevelItemCount() == 1
    QTest.mouseClick(tree.viewport(), LEFT, pos=tree.visualItemRect(tree.topLevelItem(0)).center())
    qtbot.waitUntil(lambda: window.is_page_shown(page) and window.stack.updatesEnabled(), timeout=10_000)
    focus = window.focusWidget()
    while focus is not None and focus.property("setting_id") is None:
        focus = focus.parentWidget()
    assert focus is not None
    assert focus.property("setting_id") == setting_id


def test_warnings_are_those_of_the_console_and_lead_out(window: Any) -> None:
    window.model.set("hw.phase", "enq")
    window.model.set("host.enable", False)
    assert window.side.warnings.lines == warnings(window.model.config) != []
    fix = window.side.warnings.fixes["overlap"]
    QTest.mouseClick(fix, LEFT)
    assert window.model.value("hw.phase") == "multi-enq"
    assert "overlap" not in window.side.warnings.fixes
    assert window.model.undo_title == "Apply -p multi-enq"


def test_what_is_not_known_is_told(window: Any) -> None:
    raw = json.loads(window.model.json_text)
    raw["GeneralSettings"]["values"]["novel"] = {"value": 1}
    window.model.set_json(json.dumps(raw))
    assert any("novel" in line for line in window.side.warnings.lines)
    wait_idle_lines(window)
    assert "novel" in window.command_strip.remark.text()


def wait_idle_lines(window: Any) -> None:
    deadline = time.monotonic() + 5
    while any(job.key == "command line" for job in window.jobs.running()) and time.monotonic() < deadline:
        QTest.qWait(5)


def test_the_estimate_follows_the_document(window: Any, qtbot: QtBot) -> None:
    card = let_estimate(window)
    qtbot.waitUntil(lambda: "Events" in card.text, timeout=20_000)
    assert "dlrm" in card.state.text()
    window.model.set("hw.enable", False)
    assert card.state.text() == "Estimating …"
    assert not any(label.isEnabled() for label in card.labels)
    qtbot.waitUntil(lambda: "not used" in card.text, timeout=20_000)
    window.model.set_json('{"GeneralSettings": {"values": {"session": {"value": "a/b"}}}}')
    qtbot.waitUntil(lambda: card.state.text().startswith("No estimate"), timeout=20_000)


def test_the_estimate_is_of_what_the_run_page_would_run(window: Any, qtbot: QtBot) -> None:
    card = let_estimate(window)
    form = window.frame("run").page.form
    form.iterations.setValue(37)
    qtbot.waitUntil(lambda: "37 iterations" in card.state.text(), timeout=20_000)
    assert card.like_button.text() in card.notes.text()
    assert "--like" not in card.notes.text()
    form.more.click()
    form.options["batch"].setText("64")
    form.options["batch"].textEdited.emit("64")
    qtbot.waitUntil(lambda: "batch 64" in card.state.text(), timeout=20_000)
    form.folder.textEdited.emit(str(window.model.path.parent))
    assert "batch 64" in card.state.text(), "the folder changes no figure"


def test_the_estimate_can_be_scaled_from_an_earlier_trace(window: Any, qtbot: QtBot, trace_file: Path, tmp_path: Path) -> None:
    card = let_estimate(window)
    card.scale_from(trace_file)
    assert card.model_button.isVisible()
    qtbot.waitUntil(lambda: "small.json" in card.state.text() or card.state.text().startswith("No estimate"), timeout=20_000)
    card.scale_from(tmp_path / "none.json")
    qtbot.waitUntil(lambda: card.state.text().startswith("No estimate") and "none.json" in card.state.text(), timeout=20_000)
    QTest.mouseClick(card.model_button, LEFT)
    qtbot.waitUntil(lambda: "dlrm" in card.state.text(), timeout=20_000)


# -- three views in step ---------------------------------------------------------------------------------------------------


def test_form_json_and_command_line_show_one_document(window: Any, qtbot: QtBot) -> None:
    raw, strip, model = window.frame("raw").page, window.command_strip, window.model
    window.show_page("raw")
    model.set("merged.json", True)
    wait_idle(qtbot, window)
    assert json.loads(raw.editor.toPlainText()) == model.config.raw
    assert "--merged hltv,json" in strip.field.toPlainText()

    text = raw.editor.toPlainText().replace('"first"', '"second"')
    raw.editor.setFocus()
    raw.editor.setPlainText(text)
    raw.read()
    assert model.value("session.name") == "second"
    wait_idle(qtbot, window)
    assert "-s second" in strip.field.toPlainText()

    strip.field.setFocus()
    strip.field.setPlainText(strip.field.toPlainText().replace("second", "third"))
    strip.read()
    assert model.value("session.name") == "third"
    assert '"third"' in raw.editor.toPlainText()
    window.show_page("session")
    assert window.frame("session").page.fields["session.name"].editor.field.text() == "third"
    model.undo()
    wait_idle(qtbot, window)
    assert "-s second" in strip.field.toPlainText()
    assert window.frame("session").page.fields["session.name"].editor.field.text() == "second"


def test_json_with_an_error_is_marked_at_its_line_and_changes_nothing(window: Any) -> None:
    window.show_page("raw")
    raw, before = window.frame("raw").page, window.model.json_text
    lines = raw.editor.toPlainText().splitlines()
    at = next(number for number, line in enumerate(lines, 1) if '"first"' in line)
    for wrong, said in ((lines[at - 1] + " x", "JSON"), (lines[at - 1].replace("first", "a/b"), "a/b")):
        raw.editor.setPlainText("\n".join([*lines[: at - 1], wrong, *lines[at:]]))
        raw.read()
        assert window.model.json_text == before
        assert raw.status.text().startswith(f"Line {at}")
        assert said in raw.status.text()
        assert "stays" in raw.status.text()
        assert raw.editor.level_of(at) == "error"
        QTest.mouseClick(raw.go_button, LEFT)
        assert raw.editor.textCursor().blockNumber() == at - 1
    window.show_page("host")
    window.show_page("raw")
    assert "a/b" in raw.editor.toPlainText(), "coming back does not throw away what was typed"
    QTest.mouseClick(raw.format_button, LEFT)
    assert raw.editor.toPlainText() == before
    assert raw.status.text() == "Form and command line show the same."


def test_typing_in_the_raw_text_keeps_cursor_and_form(window: Any, qtbot: QtBot) -> None:
    window.show_page("raw")
    raw = window.frame("raw").page
    at = raw.editor.toPlainText().index("first")
    cursor = raw.editor.textCursor()
    cursor.setPosition(at)
    raw.editor.setTextCursor(cursor)
    raw.editor.setFocus()
    QTest.keyClicks(raw.editor, "my-")
    qtbot.waitUntil(lambda: window.model.value("session.name") == "my-first", timeout=10_000)
    assert raw.editor.textCursor().position() == at + 3
    press(window, K.Key_Z)
    assert window.model.value("session.name") == "first"
    assert "my-" not in raw.editor.toPlainText()


def test_a_command_line_with_errors_tells_all_and_changes_nothing(window: Any, qtbot: QtBot) -> None:
    wait_idle(qtbot, window)
    strip, before = window.command_strip, window.model.json_text
    strip.field.setFocus()
    strip.field.setPlainText("hl-prof-config -e off --bufer-size 3 --phase never")
    strip.read()
    assert "buffer-size" in strip.remark.text()
    assert "never" in strip.remark.text()
    assert window.model.json_text == before
    strip.field.setPlainText("hl-prof-config -e off -s 'open")
    strip.read()
    assert "quot" in strip.remark.text()
    strip.field.setPlainText("hl-prof-config -e off --use-template profile_api -b 512")
    strip.read()
    assert window.model.value("hw.phase") == "profileApi"
    assert window.model.value("hw.buffer_bytes") == 512 << 20
    QTest.keyClick(strip.field, K.Key_Return)
    assert not strip.field.hasFocus()
    QTest.mouseClick(strip.copy_button, LEFT)
    assert QGuiApplication.clipboard().text() == strip.field.toPlainText()


# -- undo -----------------------------------------------------------------------------------------------------------


def test_undo_and_redo_by_key_also_while_a_field_has_the_cursor(window: Any) -> None:
    window.show_page("session")
    field = window.frame("session").page.fields["session.name"].editor.field
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, "abc")
    assert window.model.value("session.name") == "abc"
    press(window, K.Key_Z)
    assert (window.model.value("session.name"), field.text()) == ("first", "first")
    press(window, K.Key_Z, CTRL | SHIFT)
    assert (window.model.value("session.name"), field.text()) == ("abc", "abc")
    press(window, K.Key_Z)
    QTest.keyClick(field, K.Key_End)
    QTest.keyClicks(field, "/")
    assert window.frame("session").page.fields["session.name"].error.isVisible()
    press(window, K.Key_Z)
    assert field.text() == "first"


def test_file_names_are_shown_live(window: Any) -> None:
    window.show_page("session")
    page = window.frame("session").page
    assert "first_12345.hltv" in page.preview.text
    page.fields["session.name"].editor.field.setFocus()
    window.model.set("session.name", "run#")
    assert time.strftime("run_%Y%m%d_") in page.preview.text
    assert page._clock.isActive()
    window.show_page("host")
    assert not page._clock.isActive()


# -- the program -----------------------------------------------------------------------------------------------------------


def test_the_viewer_opens_it_once_in_the_same_process(qtbot: QtBot, tmp_path: Path) -> None:
    from hlprof_gui.app import Program
    from hlprof_gui.settings import Settings

    program = Program(Settings(tmp_path / "w.ini"), theme="dark", backend="image")
    viewer = program.open_window()
    viewer.actions_by_id["tools.configure"].trigger()
    viewer.actions_by_id["tools.configure"].trigger()
    (window,) = [w for w in program.windows if w is not viewer]
    assert window.model.path == default_path()
    qtbot.waitExposed(window)
    with qtbot.waitSignal(window.trace_wanted, timeout=10_000):
        window._context.open_trace(tmp_path / "missing.json")
    assert len(program.windows) == 3
    window.close()
    qtbot.wait(10)
    program.theme.use("light")
    program.theme.finish()
    program.theme.use("dark")
    program.theme.finish()
    for left in list(program.windows):
        left.close()
    assert program.windows == []


def test_it_loads_nothing_that_draws_timelines() -> None:
    unwanted = {"numpy", "duckdb", "rich", "moderngl", "pyqtgraph", "hlprof_gui.main_window"}
    modules = "hlprof_gui.app, hlprof_gui.config_window.window, hlprof_gui.config_window.target_page"
    probe = f"import sys, {modules}; print(*sorted({unwanted!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == []
