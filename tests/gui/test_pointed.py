"""What is said about the place of the pointer, and where keys lead from the selection."""

from __future__ import annotations

import time
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from hlprof_core.levels.pyramid import build_levels
from hlprof_core.trace.ranges import TimeRange
from hlprof_gui.state.view_state import Item, Mark, ViewState
from hlprof_gui.timeline.view import TimelineView
from tests.drawing import draw
from tests.gui.conftest import wait_idle
from tests.machine import machine_factor
from tests.small_trace import START_NS, slice_named


def test_the_longest_slice_in_a_pixel_may_cover_little_of_it(qtbot: QtBot, theme: Any) -> None:
    trace = draw("""
        time   0      1000                                               90000
        p/a    [long ][next                                              ]
        p/b           [other ]
        p/c    [outermost                                                ]
    """)
    state = ViewState()
    state.open(trace, build_levels(trace))
    view = TimelineView(state, theme, backend="image")
    qtbot.addWidget(view)
    scene = view.scene
    scene.resize(100, 400, 1.0)
    names = {trace.name(i): i for i in range(len(trace.slices))}
    long, following = names["long"], names["next"]
    border = int(trace.slices.start_ns[following])
    # The pixel at the border belongs by one tenth to the longer slice.
    state.set_window(TimeRange(border - 509, border + 491))
    row = scene.layout.lane_row(trace, int(trace.slices.track[long]), 0)
    y = (scene.row_box(row)[0] + scene.row_box(row)[1]) / 2
    fold = scene.fold_at(50.0, y)
    assert fold is not None
    assert fold.count == 2
    assert fold.longest_ns == int(trace.slices.dur_ns[following])
    state.set_collapsed({int(scene.layout.group[0])})
    fold = scene.fold_at(60.0, 10)
    assert fold is not None
    assert fold.longest_ns == int(trace.slices.dur_ns[names["outermost"]])


def test_the_next_gap_is_that_of_the_row_whatever_time_was_chosen_before(open_window: Any) -> None:
    state, timeline = open_window.state, open_window.timeline
    timeline.setFocus()
    state.select(Item("slice", slice_named(state.trace, "launch", 1)))
    state.set_range(TimeRange(START_NS + 1, START_NS + 5))
    QTest.keyClick(timeline.canvas, Qt.Key.Key_J)
    assert state.range == TimeRange(START_NS + 540, START_NS + 600)
    QTest.keyClick(timeline.canvas, Qt.Key.Key_J, Qt.KeyboardModifier.ShiftModifier)
    assert state.range == TimeRange(START_NS + 60, START_NS + 500)


def test_keys_lead_only_to_slices_that_the_filter_leaves(open_window: Any, qtbot: QtBot) -> None:
    state, timeline = open_window.state, open_window.timeline
    timeline.setFocus()
    main, sync, launch = (slice_named(state.trace, *n) for n in (("main", 0), ("sync", 0), ("launch", 0)))
    open_window.search.set_words("dur<=300ns")
    open_window.search.set_mode("hide")
    wait_idle(qtbot, open_window)
    state.select(Item("slice", launch))
    QTest.keyClick(timeline.canvas, Qt.Key.Key_Up, Qt.KeyboardModifier.ShiftModifier)
    assert state.trace.name(state.selection.id) == "relu", "the row of main is empty now"
    state.select(Item("slice", launch))
    QTest.keyClick(timeline.canvas, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert state.selection == Item("slice", launch)
    open_window.search.set_words("sync")
    wait_idle(qtbot, open_window)
    QTest.keyClick(timeline.canvas, Qt.Key.Key_Period)
    assert state.selection == Item("slice", sync), "the second launch is passed over"
    open_window.search.set_mode("dim")
    wait_idle(qtbot, open_window)
    QTest.keyClick(timeline.canvas, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert state.selection == Item("slice", main)


def test_hundreds_of_plates_do_not_cover_each_other_and_are_placed_at_once(open_window: Any) -> None:
    state, timeline = open_window.state, open_window.timeline
    state.set_marks([Mark(START_NS + 3 * number, f"note {number}") for number in range(300)])
    timeline.canvas.repaint()
    start = time.thread_time()
    timeline.canvas.repaint()
    took = time.thread_time() - start
    plates = [plate for plate, *_ in timeline.overlay._tags]
    assert len(plates) > 30
    assert all(not one.intersects(other) for place, one in enumerate(plates) for other in plates[:place])
    assert all(plate.bottom() <= timeline.scene.height for plate in plates)
    assert took < 0.05 * machine_factor()


def test_a_flag_comes_and_goes_and_a_note_at_its_place_stays(open_window: Any) -> None:
    state, timeline = open_window.state, open_window.timeline
    timeline.setFocus()
    at = START_NS + 300
    notes = (Mark(at, "slow from here"), Mark(at, "", 50))
    state.set_marks(notes)
    state.set_hover(None, at)
    for marks in ((Mark(at), *notes), notes):
        QTest.keyClick(timeline.canvas, Qt.Key.Key_M, Qt.KeyboardModifier.ShiftModifier)
        assert set(state.marks) == set(marks)
