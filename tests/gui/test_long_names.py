"""Names and values with very many letters: their beginning is shown, the whole is copied, and the window goes on answering."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QLocale, Qt
from PySide6.QtGui import QGuiApplication, QTextDocument
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from hlprof_gui.state.view_state import Item
from hlprof_gui.viewmodels.short_texts import IN_BLOCK, IN_LINE, MAY_BREAK, beginning_of, one_line
from hlprof_gui.viewmodels.status import hover_text, tip_text
from hlprof_gui.widgets.breaking_label import BreakingLabel
from hlprof_gui.widgets.data_table import LEAST_FILLED
from tests.gui.conftest import wait_idle

LONG = 20_000
NAME = "kernel\n<float,\tint> " * (LONG // 20)


@pytest.fixture
def long_window(make_window: Callable[[], Any], qtbot: QtBot, tmp_path: Path) -> Any:
    args = {"source": "line\n" * (LONG // 5), "k" * LONG: 1}
    path = tmp_path / "long.json"
    slice_ = {"ph": "X", "pid": 1, "tid": 1, "ts": 1, "dur": 5, "name": NAME, "cat": "c" * LONG, "args": args}
    path.write_text(json.dumps({"traceEvents": [slice_, {**slice_, "ts": 10}]}))
    window = make_window()
    window.open_path(path)
    wait_idle(qtbot, window)
    return window


def test_what_is_shown_is_short_and_what_is_copied_is_whole(long_window: Any, qtbot: QtBot) -> None:
    state, panel = long_window.state, long_window.docks["details"].panel
    state.select(Item("slice", 0))
    long_window.show_panel("matches")
    long_window.search.set_words("kernel")
    wait_idle(qtbot, long_window)
    assert len(panel.title.text().replace(MAY_BREAK, "")) <= IN_BLOCK
    assert "\n" not in panel.title.text()
    assert max(len(label.text().replace(MAY_BREAK, "")) for label in panel.findChildren(QLabel)) <= IN_BLOCK
    state.set_hover(Item("slice", 1), state.window.start_ns)
    assert len(hover_text(state)) < 2 * IN_LINE
    assert max(map(len, tip_text(state).split("\n"))) <= IN_LINE
    table = long_window.docks["matches"].panel.findChild(type(long_window.docks["sql"].panel.table))
    cell = table.model().index(0, 0)
    assert len(table.itemDelegate().displayText(cell.data(), QLocale())) == IN_LINE
    long_window.actions_by_id["edit.copy_details"].trigger()
    copied = json.loads(QGuiApplication.clipboard().text())
    assert copied["name"] == NAME
    assert len(copied["Category"]) == LONG
    assert len(long_window.messages.text) <= IN_BLOCK


def test_short_texts_stay_as_they_are() -> None:
    assert beginning_of("a" * IN_LINE) == "a" * IN_LINE
    assert beginning_of("abcdef", 3) == "ab…"
    assert one_line("a\n\tb  c") == "a b c"


KERNEL = "_ZN2at6native18elementwise_kernelILi128ELi2EZNS0_22gpu_kernel_impl_nocastINS0_13BinaryFunctorIN3c108BFloat16ES5_S5_"


def test_a_name_without_spaces_is_seen_whole_and_copied_as_it_is(make_window: Callable[[], Any], qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "kernels.json"
    outer = {"ph": "X", "pid": 1, "tid": 1, "ts": 1, "dur": 50, "name": KERNEL, "cat": "c" * 90}
    path.write_text(json.dumps({"traceEvents": [outer, {**outer, "ts": 10, "dur": 5, "name": f"<inner>{KERNEL}"}]}))
    window = make_window()
    window.open_path(path)
    wait_idle(qtbot, window)
    window.state.select(Item("slice", 0))
    qtbot.wait(20)
    panel = window.docks["details"].panel
    labels = [label for label in panel.findChildren(BreakingLabel) if MAY_BREAK in label.text()]
    assert len(labels) == 3, "the name, its category and the slice inside"
    for label in labels:
        document = QTextDocument()
        document.setDefaultFont(label.font())
        document.setDocumentMargin(0)
        document.setHtml(label.text()) if "<a" in label.text() else document.setPlainText(label.text())
        document.setTextWidth(label.width())
        assert document.idealWidth() <= label.width(), "nothing is cut at the side"
        assert label.height() >= document.size().height() - 4, "nor at the bottom"
    title = panel.title
    title.setSelection(0, len(title.text()))
    assert title.chosen_text == KERNEL
    title.setFocus()
    qtbot.keyClick(title, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == KERNEL


def test_a_column_of_names_is_never_too_narrow_to_read(open_window: Any, qtbot: QtBot) -> None:
    for panel in ("statistics", "matches"):
        open_window.show_panel(panel)
        wait_idle(qtbot, open_window)
        table = open_window.docks[panel].panel.table
        table.setFixedWidth(400)
        qtbot.wait(20)
        assert table.columnWidth(0) == LEAST_FILLED
        table.setFixedWidth(1200)
        qtbot.wait(20)
        assert table.horizontalHeader().length() == table.viewport().width()
        assert table.columnWidth(0) > LEAST_FILLED


def test_names_with_breaks_are_drawn_in_their_line(make_window: Callable[[], Any], qtbot: QtBot, tmp_path: Path) -> None:
    pictures, told = [], []
    for number, between in enumerate(("\n", " ")):
        name = f"first{between}second"
        path = tmp_path / f"breaks{number}.json"
        events: list[dict[str, Any]] = [
            {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": name}},
            {"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": name}},
            {"ph": "X", "pid": 1, "tid": 1, "ts": 1, "dur": 5, "name": name},
            {"ph": "i", "pid": 1, "tid": 1, "ts": 1, "s": "t", "name": name},
            {"ph": "C", "pid": 2, "name": "count", "ts": 1, "args": {name: 1, "other": 2}},
        ]
        path.write_text(json.dumps({"traceEvents": events}))
        window = make_window()
        window.open_path(path)
        wait_idle(qtbot, window)
        pictures.append((window.timeline.headers.grab().toImage(), window.timeline.legend.grab().toImage()))
        for item in (Item("slice", 0), Item("instant", 0), Item("counter", 0), Item("track", 0)):
            window.state.set_hover(item, 5)
            told.append(hover_text(window.state))
    assert pictures[0] == pictures[1]
    assert told[:4] == told[4:]


def test_plates_on_the_timeline_stay_inside_it(make_window: Callable[[], Any], qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "plates.json"
    events = [{"ph": "C", "pid": 2, "name": "count", "ts": at, "args": {NAME: 1, "other": 2}} for at in (1, 9)]
    path.write_text(json.dumps({"traceEvents": events}))
    window = make_window()
    window.open_path(path)
    wait_idle(qtbot, window)
    timeline, state = window.timeline, window.state
    state.add_mark(5000, NAME)
    timeline.canvas.repaint()
    ((plate, text, _, _),) = timeline.overlay._tags
    assert 0 <= plate.left() < plate.right() <= timeline.scene.width
    assert text.endswith("…")
    assert "\n" not in text
    state.set_marks(())
    state.set_hover(Item("counter", 0), 5000)
    drawn = timeline.canvas.grab().toImage()
    state.set_hover(None, 5000)
    bare = timeline.canvas.grab().toImage()
    row = timeline.scene.row_box(1)
    y = round((row[0] + 12) * drawn.devicePixelRatio())
    differs = [x for x in range(drawn.width()) if drawn.pixel(x, y) != bare.pixel(x, y)]
    assert differs
    assert differs[-1] < drawn.width() - 2, "the values at the right of the plate are seen"
