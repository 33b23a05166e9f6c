"""Long work of every panel can be seen, and stopped by its button and by Escape; what is there already stays."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from hlprof_core.progress import Progress
from hlprof_gui.panels import counters as counters_panel
from hlprof_gui.panels import report as report_panel
from hlprof_gui.viewmodels import search as search_model
from hlprof_gui.viewmodels import statistics as statistics_model
from tests.gui.conftest import wait_idle

ended = threading.Event()


def for_ever(*arguments: Any, **named: Any) -> Any:
    """Works until it is stopped; ``ended`` tells."""
    progress = named.get("progress") or next(a for a in arguments if isinstance(a, Progress))
    ended.clear()
    try:
        for done in range(10_000):
            progress.report("at work", done % 100, 100)
            ended.wait(0.005)
    finally:
        ended.set()


def search_part_by_part(engine: Any, wanted: Any, matched: Any, progress: Progress, part: Callable[[Any], None]) -> None:
    part(np.array([3, 5]))
    for_ever(progress)


def start(window: Any, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, name: str) -> Any:
    """The panel while its work runs."""
    if name == "matches":
        monkeypatch.setattr(search_model, "_search_args", search_part_by_part)
    elif name == "statistics":
        monkeypatch.setattr(statistics_model, "statistics", for_ever)
        monkeypatch.setattr(statistics_model, "QUICK", -1)
    elif name == "report":
        monkeypatch.setattr(report_panel, "make_report", for_ever)
    elif name == "counters":
        monkeypatch.setattr(counters_panel, "_prepared", for_ever)
    window.show_panel(name)
    panel = window.docks[name].panel
    if name == "matches":
        window.search.set_words("args.dtype=bf16")
    elif name == "report":
        panel.refresh()
    elif name == "sql":
        panel.editor.setPlainText("SELECT count(*) FROM range(1000000000) a, range(1000000000) b")
        panel.ask()
    qtbot.waitUntil(panel.work.isVisible, timeout=10_000)
    return panel


@pytest.mark.parametrize("name", ["matches", "statistics", "report", "counters", "sql"])
@pytest.mark.parametrize("way", ["button", "escape"])
def test_work_is_shown_and_stopped(open_window: Any, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, name: str, way: str) -> None:
    panel = start(open_window, qtbot, monkeypatch, name)
    assert "…" in panel.work.stage.text()
    if name != "sql":
        qtbot.waitUntil(lambda: panel.work.stage.text().endswith("%") and panel.work.bar.maximum() == 1000, timeout=10_000)
    if way == "button":
        qtbot.mouseClick(panel.work.button, Qt.MouseButton.LeftButton)
    else:
        QTest.keyClick(open_window, Qt.Key.Key_Escape)
    assert panel.work.isHidden()
    wait_idle(qtbot, open_window)
    if name != "sql":
        qtbot.waitUntil(ended.is_set, timeout=10_000)
    said = {
        "matches": lambda: panel.summary.text(), "statistics": lambda: panel.scope.text(), "counters": lambda: panel.summary.text(),
        "sql": lambda: panel.summary.text(), "report": lambda: panel._markdown,
    }[name]()  # fmt: skip
    assert "stopped" in said.lower()
    if name == "matches":
        assert panel.model.rowCount() == 2, "what was found stays"
        assert open_window.search_box.count.text() == "2 +"
        assert open_window.search_box.stop.isHidden()
        QTest.keyClick(open_window, Qt.Key.Key_Escape)
        assert open_window.search.words == "", "with nothing to stop the key clears"


def test_parts_of_a_report_are_shown_and_stay(open_window: Any, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    def make(trace: Any, progress: Progress, part: Callable[[str], None]) -> Any:
        part("# The first part")
        for_ever(progress)

    monkeypatch.setattr(report_panel, "make_report", make)
    open_window.show_panel("report")
    panel = open_window.docks["report"].panel
    panel.refresh()
    qtbot.waitUntil(lambda: "The first part" in panel.text.toPlainText(), timeout=10_000)
    assert "More is being worked out" in panel.text.toPlainText()
    panel.work.stop()
    wait_idle(qtbot, open_window)
    assert "The first part" in panel.text.toPlainText()
    assert "stopped before its end" in panel.text.toPlainText()


def test_a_stopped_report_is_made_when_asked_again(open_window: Any, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        panel = start(open_window, qtbot, patch, "report")
        panel.work.stop()
    qtbot.mouseClick(panel.again_button, Qt.MouseButton.LeftButton)
    wait_idle(qtbot, open_window)
    assert panel.export_button.isVisible()
    assert panel.again_button.isHidden()


def test_statistics_that_were_stopped_answer_the_next_question(open_window: Any, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        panel = start(open_window, qtbot, patch, "statistics")
        panel.work.stop()
        assert panel.model.rowCount() == 0, "no figures of another question"
    panel.view_model.set_by("cat")
    wait_idle(qtbot, open_window)
    assert panel.model.rowCount() > 0
    assert panel.view_model.problem == ""


def test_typing_further_stops_the_search(open_window: Any, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        start(open_window, qtbot, patch, "matches")
        assert open_window.search_box.stop.isVisible()
    open_window.search.set_words("args.dtype=bf16 relu")
    qtbot.waitUntil(ended.is_set, timeout=10_000)
    wait_idle(qtbot, open_window)
    assert not open_window.search.is_busy
    assert not open_window.search.is_stopped


def test_the_first_rows_of_an_answer_come_before_the_rest(open_window: Any, qtbot: QtBot) -> None:
    open_window.show_panel("sql")
    panel = open_window.docks["sql"].panel
    counts: list[int] = []
    panel.model.modelReset.connect(lambda: counts.append(panel.model.rowCount()))
    panel.editor.setPlainText("SELECT * FROM range(30000)")
    panel.ask()
    wait_idle(qtbot, open_window)
    assert counts == [1000, 30000]
    panel.table.sortByColumn(0, Qt.SortOrder.DescendingOrder)
    wait_idle(qtbot, open_window)
    assert panel.model.index(0, 0).data() == "29,999"
