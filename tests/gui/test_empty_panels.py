"""A panel with nothing to show says so in its first line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.gui.conftest import wait_idle


@pytest.mark.parametrize("name", ["notes", "counters", "diagnostics"])
def test_the_words_stand_at_the_top(window: Any, qtbot: QtBot, tmp_path: Path, name: str) -> None:
    path = tmp_path / "bare.json"
    path.write_text('{"traceEvents": [{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 5}]}')
    window.open_path(path)
    wait_idle(qtbot, window)
    window.show_panel(name)
    QTest.qWait(50)
    panel = window.docks[name].panel
    summary = panel.summary
    assert summary.text()
    assert panel.height() > 2 * summary.sizeHint().height()
    assert summary.mapTo(panel, QPoint(0, 0)).y() + summary.height() / 2 < 30
