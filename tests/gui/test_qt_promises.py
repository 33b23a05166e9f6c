"""Promises about Qt itself: signals keep their arguments alive, overrides never unwind through Qt, models keep Qt's rules."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from hlprof_core.levels.pyramid import build_levels
from hlprof_gui.notify import Message, Notifier, safe, safe_or
from hlprof_gui.qtmodels.args_model import ArgsModel
from hlprof_gui.qtmodels.matches_model import DURATION, NAME, MatchesModel
from hlprof_gui.state.view_state import ViewState
from tests.small_trace import slice_named, small_trace


def test_emitting_true_loses_no_reference(qapp: Any) -> None:
    """A Qt binding that loses one kills the process after some hundred signals."""

    class Source(QObject):
        fired = Signal(bool)

    source = Source()
    source.fired.connect(lambda _: None)
    source.fired.emit(True)
    before = sys.getrefcount(True)
    for _ in range(100):
        source.fired.emit(True)
    assert abs(sys.getrefcount(True) - before) < 20


def test_an_exception_in_an_override_is_reported_and_the_window_lives(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    caught: list[BaseException] = []
    monkeypatch.setattr(sys, "excepthook", lambda kind, error, trace: caught.append(error))

    class Bad(QWidget):
        @safe
        def resizeEvent(self, event: Any) -> None:
            raise ZeroDivisionError("in an override")

        @safe_or(False)
        def eventFilter(self, watched: Any, event: Any) -> bool:
            raise ZeroDivisionError("in a filter")

    widget = Bad()
    qtbot.addWidget(widget)
    widget.show()
    assert isinstance(caught[0], ZeroDivisionError)
    assert widget.eventFilter(None, None) is False
    assert widget.isVisible()


def test_the_hook_tells_known_errors_from_defects() -> None:
    from hlprof_core.errors import Cancelled, TraceError

    notifier = Notifier()
    messages: list[Message] = []
    faults: list[Any] = []
    notifier.message_posted.connect(messages.append)
    notifier.fault_found.connect(lambda *f: faults.append(f))
    for error in (TraceError("bad file", hint="try"), Cancelled(), KeyError("defect")):
        notifier.handle(type(error), error, None)
    assert messages == [Message("bad file", "try", "error")]
    assert len(faults) == 1


def test_argument_tree_keeps_qts_rules(qapp: Any, theme: Any, qtmodeltester: Any) -> None:
    model = ArgsModel(theme.mono_font)
    qtmodeltester.check(model)
    model.set_args({"op": "gemm", "shapes": [[1, 2], [3, 4]], "deep": {"a": {"b": [None, True, 1.5, "x\ny"]}}, "empty": {}})
    qtmodeltester.check(model)
    deep = model.index(2, 0)
    a = model.index(0, 0, deep)
    b = model.index(0, 0, a)
    assert model.index(3, 1, b).data() == "x ⏎ y"
    assert model.index(1, 1).data() == "[[1, 2], [3, 4]]"
    assert model.parent(b) == a


def test_match_table_sorts_without_moving_the_place(qapp: Any, theme: Any, qtmodeltester: Any) -> None:
    state = ViewState()
    trace = small_trace()
    state.open(trace, build_levels(trace))
    model = MatchesModel(state, theme.mono_font)
    qtmodeltester.check(model)
    by_time = np.array(sorted(range(len(trace.slices)), key=lambda i: int(trace.slices.start_ns[i])))
    state.set_matches(by_time, 0)
    model.refresh()
    qtmodeltester.check(model)
    model.sort(DURATION, Qt.SortOrder.DescendingOrder)
    assert model.index(0, 0).data() == "main"
    assert model.row_of(int(np.flatnonzero(by_time == slice_named(trace, "main"))[0])) == 0
    model.sort(NAME, Qt.SortOrder.AscendingOrder)
    assert [model.index(r, 0).data() for r in range(3)] == ["fc1/forward", "fc1/inner", "fc2/forward"]
    assert model.headerData(NAME, Qt.Orientation.Horizontal).endswith("▴")
