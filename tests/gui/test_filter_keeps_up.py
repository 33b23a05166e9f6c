"""With two million slices the window's own thread never works longer than a few frames at a stretch, whatever is typed and listed."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import Qt, QTimer
from pytestqt.qtbot import QtBot

from hlprof_core.levels.name_index import build_name_index
from hlprof_core.levels.pyramid import build_levels
from hlprof_core.trace.ranges import TimeRange
from tests.synthetic import busy_trace

LONGEST_S = 0.05


class Watch:
    """The longest time the GUI thread computed without looking at its events; waiting for a processor does not count."""

    def __init__(self, qtbot: QtBot, window: Any) -> None:
        self._qtbot, self._window, self.longest, self._last = qtbot, window, 0.0, time.thread_time()
        self._timer = QTimer(window, interval=0)
        self._timer.timeout.connect(self._look)
        self._timer.start()

    def _look(self) -> None:
        now = time.thread_time()
        self.longest, self._last = max(self.longest, now - self._last), now

    def during(self, action: Callable[[], object]) -> float:
        self._look()
        self.longest = 0.0
        action()
        self._qtbot.waitUntil(lambda: self._window.jobs.is_idle, timeout=60_000)
        self._qtbot.wait(120)
        return self.longest


@pytest.mark.deep
def test_the_window_keeps_up(window: Any, qtbot: QtBot) -> None:
    trace = busy_trace(2_000_000)
    index = build_name_index(trace)
    window.state.open(trace, build_levels(trace))
    window._stack.setCurrentWidget(window.timeline)
    watch = Watch(qtbot, window)
    watch.during(lambda: window.search.set_index(index))
    search, state, span = window.search, window.state, trace.span
    typed = ("s", "so", "softmax", "e", "dur>5us -name:add", "none")
    took = {text: watch.during(lambda text=text: search.set_words(text)) for text in typed}
    took["hide"] = watch.during(lambda: search.set_mode("hide"))
    search.set_mode("dim")
    window.show_panel("matches")
    took["list"] = watch.during(lambda: search.set_words("e"))
    table = window.docks["matches"].panel.table
    took["sort"] = watch.during(lambda: table.sortByColumn(3, Qt.SortOrder.DescendingOrder))
    search.clear()
    watch.during(lambda: window.show_panel("statistics"))
    for share in (0.9, 0.5, 0.2):
        part = TimeRange(span.start_ns, span.start_ns + int(span.length_ns * share))
        took[f"statistics of {share}"] = watch.during(lambda part=part: state.set_window(part))
    assert {what: seconds for what, seconds in took.items() if seconds > LONGEST_S} == {}
    panel = window.docks["statistics"].panel
    assert panel.view_model._fast is not None
    assert panel.model.rowCount() > 1000
