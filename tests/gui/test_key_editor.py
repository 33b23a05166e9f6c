"""Keys changed in the dialog apply at once and are kept."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from hlprof_gui.dialogs.key_editor import KeyEditor


def opened(window: Any) -> KeyEditor:
    window.actions_by_id["window.edit_keys"].trigger()
    return next(d for d in QApplication.topLevelWidgets() if isinstance(d, KeyEditor) and d.isVisible())


def test_assign_take_over_remove_reset(open_window: Any, make_window: Any, qtbot: QtBot) -> None:
    w = open_window
    editor = opened(w)
    editor.choose("view.zoom_in")
    qtbot.keyClick(editor.edit, Qt.Key.Key_F)
    qtbot.waitUntil(editor.assign_button.isEnabled)
    assert "Zoom to Selection" in editor.note.text()
    qtbot.mouseClick(editor.assign_button, Qt.MouseButton.LeftButton)
    assert w.actions_by_id["view.zoom_in"].shortcut() == QKeySequence("F")
    assert w.actions_by_id["view.focus_selection"].shortcuts() == []
    before = w.state.window.length_ns
    w.timeline.canvas.setFocus()
    w.activateWindow()
    qtbot.keyClick(w, Qt.Key.Key_F)
    assert w.state.window.length_ns < before
    again = make_window()
    assert again.actions_by_id["view.zoom_in"].shortcut() == QKeySequence("F")
    editor.choose("view.zoom_in")
    qtbot.mouseClick(editor.remove_button, Qt.MouseButton.LeftButton)
    assert w.actions_by_id["view.zoom_in"].shortcuts() == []
    editor._reset_all()
    assert w.actions_by_id["view.zoom_in"].shortcut() == QKeySequence("+")
    assert w.settings.keys == {}
    editor.close()


def test_reserved_keys_are_refused_and_the_list_is_filtered(open_window: Any, qtbot: QtBot) -> None:
    editor = opened(open_window)
    editor.choose("view.zoom_in")
    qtbot.keyClick(editor.edit, Qt.Key.Key_W)
    qtbot.waitUntil(lambda: "cannot be taken" in editor.note.text())
    assert not editor.assign_button.isEnabled()
    qtbot.keyClicks(editor.filter, "undo")
    shown = [i for i in range(editor.tree.topLevelItemCount()) if not editor.tree.topLevelItem(i).isHidden()]
    assert [editor.tree.topLevelItem(i).text(0) for i in shown] == ["Undo"]
    editor.close()
