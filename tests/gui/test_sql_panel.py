"""The SQL panel, driven by keys and mouse."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QLocale, Qt
from PySide6.QtGui import QGuiApplication, QHelpEvent
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QToolTip
from pytestqt.qtbot import QtBot

from hlprof_gui.widgets import table_export
from tests.gui.conftest import wait_idle


@pytest.fixture
def panel(open_window: Any, qtbot: QtBot) -> Any:
    open_window.show_panel("sql")
    wait_idle(qtbot, open_window)
    found = open_window.docks["sql"].panel
    QAbstractItemModelTester(found.model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    return found


def ask(panel: Any, qtbot: QtBot, window: Any, text: str) -> None:
    panel.editor.setPlainText(text)
    qtbot.keyClick(panel.editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    wait_idle(qtbot, window)


def test_ask_sort_jump_mark(panel: Any, open_window: Any, qtbot: QtBot) -> None:
    ask(panel, qtbot, open_window, "SELECT id, name, dur_ns FROM slices ORDER BY dur_ns")
    rows = panel.model.rowCount()
    assert rows == len(open_window.state.trace.slices)
    panel.table.sortByColumn(2, Qt.SortOrder.DescendingOrder)
    longest = panel.model.index(0, 2)
    assert longest.data() == f"{int(open_window.state.trace.slices.dur_ns.max()):,}"
    qtbot.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=panel.table.visualRect(longest).center())
    assert open_window.state.selection.kind == "slice"
    open_window.search.set_words("relu")
    qtbot.mouseClick(panel.mark_button, Qt.MouseButton.LeftButton)
    wait_idle(qtbot, open_window)
    assert len(open_window.state.matches) == rows
    assert open_window.search.summary == f"{rows} slices"


def test_errors_are_told_at_their_place_and_the_former_answer_stays(panel: Any, open_window: Any, qtbot: QtBot) -> None:
    ask(panel, qtbot, open_window, "SELECT 1 AS one")
    ask(panel, qtbot, open_window, "SELECT nmae FROM slices")
    assert "line 1, column 8" in panel.summary.text()
    assert panel.editor.extraSelections()[0].cursor.selectedText() == "nmae"
    assert panel.model.rowCount() == 1
    ask(panel, qtbot, open_window, "DROP TABLE slices")
    assert "reading" in panel.summary.text()


def test_former_questions_come_back(panel: Any, open_window: Any, qtbot: QtBot) -> None:
    ask(panel, qtbot, open_window, "SELECT 1")
    ask(panel, qtbot, open_window, "SELECT 2")
    qtbot.keyClick(panel.editor, Qt.Key.Key_Up, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(panel.editor, Qt.Key.Key_Up, Qt.KeyboardModifier.ControlModifier)
    assert panel.editor.toPlainText() == "SELECT 1"
    assert open_window.settings.sql_questions[-1] == "SELECT 2"


def test_a_long_question_can_be_stopped(panel: Any, open_window: Any, qtbot: QtBot) -> None:
    panel.editor.setPlainText("SELECT count(*) FROM range(1000000000) a, range(1000000000) b")
    panel.ask()
    assert panel.work.running()
    qtbot.mouseClick(panel.work.button, Qt.MouseButton.LeftButton)
    assert panel.summary.text() == "stopped"
    wait_idle(qtbot, open_window)
    panel._stop_late()
    assert "60 s" in panel.summary.text()


def test_names_are_completed(panel: Any, open_window: Any, qtbot: QtBot) -> None:
    panel.editor.setPlainText("")
    panel.editor.setFocus()
    qtbot.keyClicks(panel.editor, "SELECT star")
    popup = panel.editor._completer.popup()
    qtbot.waitUntil(popup.isVisible)
    qtbot.keyClick(popup, Qt.Key.Key_Return)
    assert panel.editor.toPlainText() == "SELECT start_ns"


def test_the_whole_answer_is_exported(
    panel: Any, open_window: Any, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(panel, qtbot, open_window, "SELECT * FROM range(5)")
    for name in ("a.csv", "a.json", "a.parquet"):
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a, name=name: (str(tmp_path / name), ""))
        qtbot.mouseClick(panel.export.button, Qt.MouseButton.LeftButton)
        wait_idle(qtbot, open_window)
    assert (tmp_path / "a.csv").read_text().split() == ["range", "0", "1", "2", "3", "4"]
    assert (tmp_path / "a.parquet").read_bytes().startswith(b"PAR1")
    assert '"rows"' in (tmp_path / "a.json").read_text()


def test_what_the_table_shows_is_told_when_a_question_has_no_answer(panel: Any, open_window: Any, qtbot: QtBot) -> None:
    ask(panel, qtbot, open_window, "SELECT nothing")
    assert "before" not in panel.summary.text()
    ask(panel, qtbot, open_window, "SELECT 1")
    ask(panel, qtbot, open_window, "SELECT nothing")
    assert panel.summary.text().endswith("; the rows are of the question before.")
    panel.editor.setPlainText("SELECT count(*) FROM range(100000) a, range(100000) b, range(100000) c")
    panel.ask()
    panel.stop()
    assert panel.summary.text() == "stopped; the rows are of the question before"
    ask(panel, qtbot, open_window, "SELECT 2")
    assert panel.summary.text() == "1 row"


def test_very_long_values_are_cut_in_cells_and_whole_on_the_clipboard(panel: Any, open_window: Any, qtbot: QtBot) -> None:
    ask(panel, qtbot, open_window, "SELECT repeat('a', 1000000) AS long, range(100000) AS list, repeat('b', 5000)::BLOB AS bytes")
    for column in range(3):
        text = panel.table.itemDelegate().displayText(panel.model.index(0, column).data(), QLocale())
        assert len(text) == 300
        assert text.endswith("…")
    assert len(panel.model.index(0, 0).data(Qt.ItemDataRole.ToolTipRole)) == 2000
    panel.export.copy_button.click()
    wait_idle(qtbot, open_window)
    assert "a" * 1_000_000 in QGuiApplication.clipboard().text()


def test_what_is_no_number_is_sorted_to_the_end(panel: Any, open_window: Any, qtbot: QtBot) -> None:
    ask(panel, qtbot, open_window, "SELECT unnest([3.0, 'nan'::DOUBLE, 1.0, NULL, 2.0, 'nan'::DOUBLE, 'inf'::DOUBLE]) AS v")
    for order, wanted in ((Qt.SortOrder.AscendingOrder, ["1", "2", "3", "inf"]), (Qt.SortOrder.DescendingOrder, ["inf", "3", "2", "1"])):
        panel.table.sortByColumn(0, order)
        assert [panel.model.index(row, 0).data() for row in range(4)] == wanted


def test_copying_a_part_of_many_rows_says_so(panel: Any, open_window: Any, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_export, "MOST_COPIED", 3)
    ask(panel, qtbot, open_window, "SELECT * FROM range(5)")
    panel.export.copy_button.click()
    wait_idle(qtbot, open_window)
    assert open_window.messages.text == "Copied 3 rows of 5; a file takes all."


def test_a_plan_is_shown_as_the_text_it_is(panel: Any, open_window: Any, qtbot: QtBot) -> None:
    for question in ("EXPLAIN SELECT name FROM slices", "EXPLAIN ANALYZE SELECT name FROM slices"):
        ask(panel, qtbot, open_window, question)
        lines = panel.plan.toPlainText().split("\n")
        assert panel.plan.isVisible()
        assert not panel.table.isVisible()
        assert len(lines) > 4
        assert any("name" in line for line in lines)
        metrics = panel.plan.fontMetrics()
        assert metrics.horizontalAdvance("iiii") == metrics.horizontalAdvance("MMMM") == metrics.horizontalAdvance("────")
        panel.export.copy()
        wait_idle(qtbot, open_window)
        assert QGuiApplication.clipboard().text().rstrip("\n") == panel.plan.toPlainText()
        assert "row" not in panel.summary.text()
    ask(panel, qtbot, open_window, "SELECT 1 AS one")
    assert panel.table.isVisible()
    assert not panel.plan.isVisible()


def test_texts_that_look_like_tags_are_shown_as_they_are(panel: Any, open_window: Any, qtbot: QtBot) -> None:
    ask(panel, qtbot, open_window, "SELECT \"<b>bold</b>\" FROM slices")
    assert "<b>bold</b>" in panel.summary.text()
    assert panel.summary.textFormat() == Qt.TextFormat.PlainText
    ask(panel, qtbot, open_window, f"SELECT '<b>{'wide ' * 40}</b>' AS tagged")
    at = panel.table.visualRect(panel.model.index(0, 0)).center()
    QApplication.sendEvent(panel.table.viewport(), QHelpEvent(QEvent.Type.ToolTip, at, panel.table.viewport().mapToGlobal(at)))
    qtbot.waitUntil(QToolTip.isVisible)
    tip = next(w for w in QApplication.topLevelWidgets() if isinstance(w, QLabel) and w.isVisible() and "wide" in w.text())
    assert "&lt;b&gt;wide" in tip.text()
    assert tip.wordWrap()
    assert tip.width() < 1000
    QToolTip.hideText()


def test_very_many_columns_and_cells_keep_nobody_waiting(panel: Any, open_window: Any, qtbot: QtBot) -> None:
    columns = ", ".join(f"range + {i} AS column_{i}" for i in range(500))
    ask(panel, qtbot, open_window, f"SELECT repeat('wide ', 5000) AS text, {columns} FROM range(3000)")
    assert panel.model.columnCount() == 501
    assert panel.model.rowCount() == 3000
    first, second = (panel.table.columnWidth(column) for column in (0, 1))
    assert first == 420
    assert panel.table.fontMetrics().horizontalAdvance("column_0") < second < 200
