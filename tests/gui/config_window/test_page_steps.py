"""Keys on the pages: undo steps the document in its fields and letters in fields of the run; Tab goes everywhere, in order."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from hlprof_gui.config_window.page import PAGES
from hlprof_gui.config_window.tab_order import tab_order

CTRL = Qt.KeyboardModifier.ControlModifier


def type_over(field: Any, text: str) -> None:
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, text)


def test_fields_of_the_document_step_the_document(window: Any) -> None:
    window.show_page("units")
    page = window.frame("units").page
    window.model.set("hw.arch", "gaudi2")
    page.lists.show_list("units.gaudi2.edma_bmon")
    editor = page.lists.editor
    editor.switch.click()
    before = window.model.json_text
    type_over(editor.windows, "64, 32")
    assert "[64,32]" in editor.text.text()
    QTest.keyClick(editor.windows, Qt.Key.Key_Z, CTRL)
    assert "[64,32]" not in window.model.json_text
    while window.model.undo_title and window.model.json_text != before:
        QTest.keyClick(editor.windows, Qt.Key.Key_Z, CTRL)
    page.search.setFocus()
    page.refresh()
    assert editor.windows.text() == ", ".join(editor.entry.monitors.windows)


def test_a_range_is_stepped_back_with_its_field(window: Any) -> None:
    window.show_page("when")
    page = window.frame("when").page
    type_over(page.range_field, "3-7")
    assert window.model.value("hw.range") == "3-7"
    QTest.keyClick(page.range_field, Qt.Key.Key_Z, CTRL)
    assert window.model.value("hw.range") == "1-2"
    assert page.range_field.text() == "1-2"


def test_fields_of_a_run_have_their_own_steps(window: Any) -> None:
    window.show_page("run")
    page = window.frame("run").page
    window.model.set("session.name", "second")
    page.form.kinds["command"].click()
    type_over(page.form.command, "python a.py")
    QTest.keyClick(page.form.command, Qt.Key.Key_Z, CTRL)
    assert page.form.command.text() == ""
    assert page.plan.command == ""
    assert window.model.value("session.name") == "second"


def test_settings_of_the_pages_are_shown_by_name(window: Any, qtbot: QtBot) -> None:
    wanted = {
        "units.gaudi2.NIC.NIC3_DBG_0": "units",
        "units.gaudi2.tpc_spmu": "units",
        "hw.range": "when",
        "hw.phase": "when",
        "hw.buffer_bytes": "when",
        "hw.arch": "target",
    }
    window.resize(1000, 640)
    for setting_id, page_id in wanted.items():
        window.show_setting(setting_id)
        qtbot.waitUntil(lambda page_id=page_id: window.is_page_shown(page_id) and window.stack.updatesEnabled())
        qtbot.waitUntil(lambda: not window.focusWidget().visibleRegion().isEmpty())


def test_a_closed_window_ends_what_it_runs(window: Any, qtbot: QtBot, tmp_path: Path) -> None:
    window.show_page("run")
    page = window.frame("run").page
    program = tmp_path / "program.py"
    program.write_text("import os, time\nprint('pid', os.getpid(), 'whole')\ntime.sleep(600)", encoding="utf-8")
    page.plan.set_folder(str(tmp_path))
    page.plan.choose_kind("command")
    page.plan.set_command(shlex.join([sys.executable, str(program)]))
    page.run_button.click()
    qtbot.waitUntil(lambda: "whole" in page.log.toPlainText(), timeout=20_000)
    pid = int(page.log.toPlainText().split()[1])
    window.file.may_leave = lambda: True
    window.close()
    qtbot.waitUntil(lambda: not Path(f"/proc/{pid}").exists(), timeout=20_000)


def names_on_the_way(window: Any, key: Qt.Key) -> list[str]:
    """Where the key leads from the list of pages until it is there again."""
    window.page_list.setFocus()
    names: list[str] = []
    while not names or window.focusWidget() is not window.page_list:
        QTest.keyClick(window.focusWidget(), key)
        names.append(window.focusWidget().accessibleName())
        assert len(names) < 100, "the key does not come back"
    return names


@pytest.mark.parametrize("page_id", [entry.id for entry in PAGES])
def test_tab_goes_from_the_pages_through_the_page_to_what_is_always_in_sight(window: Any, qtbot: QtBot, page_id: str) -> None:
    window.model.set("hw.phase", "enq")
    for entry in PAGES:
        window.show_page(entry.id)
    window.show_page(page_id)
    qtbot.wait(30)
    forward = names_on_the_way(window, Qt.Key.Key_Tab)
    back = names_on_the_way(window, Qt.Key.Key_Backtab)
    assert forward[-1] == "Pages"
    assert forward[:-1] == back[-2::-1]
    assert forward.index("Command line") > forward.index("What differs from the default") > 0
    first = next(widget for widget in tab_order(window, (window.page_list, window.stack)) if window.stack.isAncestorOf(widget))
    assert forward[0] == first.accessibleName()


def test_every_control_has_a_name(window: Any, qtbot: QtBot) -> None:
    window.model.set("hw.phase", "enq")
    for entry in PAGES:
        window.show_page(entry.id)
        qtbot.wait(30)
        controls = [widget for widget in tab_order(window, ()) if window.centralWidget().isAncestorOf(widget)]
        nameless = [widget for widget in controls if not (widget.accessibleName() or getattr(widget, "text", str)())]
        assert nameless == [], entry.id
