"""Layouts of rows: applied, undone, kept, deleted; wrong rules are told."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from hlprof_gui.dialogs.row_layouts import FIRST_LAYOUTS, RowLayouts


def opened(window: Any) -> RowLayouts:
    window.actions_by_id["row.edit_layouts"].trigger()
    return next(d for d in QApplication.topLevelWidgets() if isinstance(d, RowLayouts) and d.isVisible())


def test_apply_save_delete(open_window: Any, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    state = open_window.state
    dialog = opened(open_window)
    assert dialog.names.count() == len(FIRST_LAYOUTS)
    dialog.rules.setPlainText("pin engine:TPC\nfold engine:MME")
    assert "1 pinned" in dialog.note.text()
    qtbot.mouseClick(dialog.apply_button, Qt.MouseButton.LeftButton)
    assert {state.trace.tracks[t].engine for t in state.arrangement.pinned} == {"TPC"}
    assert state.collapsed
    open_window.history.undo()
    assert not state.arrangement.pinned
    assert not state.collapsed
    monkeypatch.setattr("hlprof_gui.dialogs.row_layouts.ask", lambda *_: "mine")
    qtbot.mouseClick(dialog.save_button, Qt.MouseButton.LeftButton)
    assert open_window.settings.row_layouts["mine"].startswith("pin engine:TPC")
    assert dialog.names.currentItem().text() == "mine"
    qtbot.mouseClick(dialog.delete_button, Qt.MouseButton.LeftButton)
    assert "mine" not in open_window.settings.row_layouts
    dialog.rules.setPlainText("pin nothing")
    assert not dialog.apply_button.isEnabled()
    assert "Line 1" in dialog.note.text()
    dialog.close()
