"""The trace is closed, or ends loading another one, while a name for a file is being asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from tests.gui.conftest import wait_idle


@pytest.mark.parametrize("what", ["picture", "sql", "statistics", "matches", "counters", "notes", "report"])
def test_nothing_is_written_and_nothing_fails(
    open_window: Any, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, what: str
) -> None:
    window, target = open_window, tmp_path / "out.html"
    if what != "picture":
        window.show_panel(what)
        panel = window.docks[what].panel
    window.state.add_mark(window.state.trace.span.start_ns, "note")
    window.keeper.may_ask = False
    window.search.set_words("fc1")
    if what == "sql":
        panel.editor.setPlainText("SELECT 1")
        panel.ask()
    wait_idle(qtbot, window)

    def close(*_args: Any) -> tuple[str, str]:
        window.close_trace()
        return str(target), ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", close)
    if what == "picture":
        window.actions_by_id["file.export_picture"].trigger()
    elif what == "report":
        panel.export_button.click()
    else:
        panel.export.button.click()
    wait_idle(qtbot, window)
    assert window.state.trace is None
    assert not target.exists()
