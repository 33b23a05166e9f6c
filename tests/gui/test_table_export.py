"""Every table of the window leaves it as a file, a page and text; the view as one page with its statistics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from hlprof_core.progress import Progress
from hlprof_core.trace.ranges import TimeRange
from hlprof_gui.timeline.picture import prepare_picture
from tests.gui.conftest import wait_idle
from tests.small_trace import START_NS


def fill(window: Any, qtbot: QtBot, name: str) -> Any:
    """The panel of that name with a table that has rows."""
    window.show_panel(name)
    panel = window.docks[name].panel
    if name == "matches":
        window.search.set_words("relu")
    elif name == "notes":
        window.state.add_mark(START_NS + 5, "a <b>note</b>", 7)
    elif name == "sql":
        panel.editor.setPlainText("SELECT id, name FROM slices ORDER BY id")
        panel.ask()
    wait_idle(qtbot, window)
    qtbot.waitUntil(lambda: panel.model.rowCount() > 0, timeout=10_000)
    return panel


@pytest.mark.parametrize("name", ["matches", "statistics", "sql", "counters", "notes"])
def test_a_table_leaves_the_window(
    open_window: Any, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    panel = fill(open_window, qtbot, name)
    for typed, chosen, written in (("t.csv", "", "t.csv"), ("u", "Page (*.html)", "u.html"), ("v", "Text with tabs (*.tsv)", "v.tsv")):
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a, typed=typed, chosen=chosen: (str(tmp_path / typed), chosen))
        qtbot.mouseClick(panel.export.button, Qt.MouseButton.LeftButton)
        wait_idle(qtbot, open_window)
        assert open_window.messages.text == f"Saved {tmp_path / written}."
    rows = panel.model.rowCount()
    assert len((tmp_path / "t.csv").read_text(encoding="utf-8").splitlines()) == rows + 1
    assert len((tmp_path / "v.tsv").read_text(encoding="utf-8").splitlines()) == rows + 1
    page = (tmp_path / "u.html").read_text(encoding="utf-8")
    assert page.count("<tr>") == rows + 1
    assert "small.json" in page, "what the table is about"
    assert "<b>" not in page
    qtbot.mouseClick(panel.export.copy_button, Qt.MouseButton.LeftButton)
    wait_idle(qtbot, open_window)
    copied = QGuiApplication.clipboard().text()
    assert copied.replace("\r", "") == (tmp_path / "v.tsv").read_text(encoding="utf-8")
    assert open_window.messages.text == f"Copied {rows:,} row{'s' * (rows != 1)}."


def test_a_table_is_written_as_it_is_sorted(open_window: Any, qtbot: QtBot, tmp_path: Path) -> None:
    panel = fill(open_window, qtbot, "statistics")
    panel.table.sortByColumn(0, Qt.SortOrder.DescendingOrder)
    panel.export.save_to(tmp_path / "s.tsv")
    wait_idle(qtbot, open_window)
    written = [line.split("\t")[0] for line in (tmp_path / "s.tsv").read_text().splitlines()[1:]]
    assert written == [panel.model.index(row, 0).data() for row in range(panel.model.rowCount())]
    assert written == sorted(written, key=str.casefold, reverse=True)


def test_chosen_rows_are_copied_as_they_are_shown(open_window: Any, qtbot: QtBot) -> None:
    panel = fill(open_window, qtbot, "matches")
    panel.table.setFocus()
    panel.table.selectRow(0)
    qtbot.keyClick(panel.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    head, row = QGuiApplication.clipboard().text().splitlines()
    assert head.split("\t") == ["Name", "Row", "Start", "Duration"]
    assert row.split("\t")[0] == "relu"


def test_the_page_of_the_view_has_the_statistics_of_the_chosen_time(open_window: Any, qtbot: QtBot, tmp_path: Path) -> None:
    target, state = tmp_path / "view.html", open_window.state
    prepare_picture(open_window.timeline, target)(Progress())
    assert "<h2>Statistics</h2>" in target.read_text(encoding="utf-8")
    state.set_range(TimeRange(START_NS + 500, START_NS + 600))
    open_window.search.set_words("relu or main")
    prepare_picture(open_window.timeline, target)(Progress())
    page = target.read_text(encoding="utf-8")
    assert "Statistics of the chosen time · slices with “relu or main”" in page
    assert page.count("<svg") == 1
    table = page[page.index("<h2>Statistics") :]
    assert ">main</td>" in table
    assert ">100 ns</td>" in table, "only the part inside the time"


def test_the_report_is_written_as_page_and_markdown(
    open_window: Any, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_window.show_panel("report")
    panel = open_window.docks["report"].panel
    wait_idle(qtbot, open_window)
    for typed, chosen in (("r", "Page (*.html)"), ("m", "Markdown (*.md)")):
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a, typed=typed, chosen=chosen: (str(tmp_path / typed), chosen))
        qtbot.mouseClick(panel.export_button, Qt.MouseButton.LeftButton)
        wait_idle(qtbot, open_window)
    assert (tmp_path / "r.html").read_text(encoding="utf-8").startswith("<!DOCTYPE")
    assert (tmp_path / "m.md").read_text(encoding="utf-8").startswith("#")
