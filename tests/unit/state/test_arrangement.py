"""Pinning, hiding, ordering and sizing rows, on the state and on the layout."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hlprof_gui.state.arrangement import SIZES, Arrangement
from hlprof_gui.timeline.layout import HEIGHTS, RowKind, build_layout
from tests.small_trace import small_trace

TRACE = small_trace()
TRACKS = st.sets(st.integers(0, len(TRACE.tracks) - 1))
STEPS = st.lists(
    st.tuples(st.sampled_from(["pin", "unpin", "hide", "show", "up", "down", "group_up", "taller"]), st.integers(0, len(TRACE.tracks) - 1)),
    max_size=10,
)


def apply(steps: list[tuple[str, int]]) -> Arrangement:
    a = Arrangement()
    for step, track in steps:
        match step:
            case "pin" | "unpin" | "hide" | "show":
                a = getattr(a, step)([track])
            case "up" | "down":
                if track not in a.hidden:
                    a = a.move_track(TRACE, track, -1 if step == "up" else 1)
            case "group_up":
                a = a.move_process(TRACE, TRACE.tracks[track].process, -1)
            case _:
                a = a.resize(track, 1)
    return a


@given(STEPS)
def test_every_arrangement_shows_each_track_once_or_hides_it(steps: list[tuple[str, int]]) -> None:
    arrangement = apply(steps)
    layout = build_layout(TRACE, frozenset(), arrangement)
    usual = build_layout(TRACE)
    seen = [t for i, t in enumerate(layout.track.tolist()) if t >= 0 and (i == 0 or layout.track[i - 1] != t)]
    assert sorted(seen) == sorted(set(usual.track[usual.track >= 0].tolist()) - arrangement.hidden)
    assert seen[: len(arrangement.pinned)] == [t for t in arrangement.pinned if usual.track_first[t] >= 0]
    assert not arrangement.hidden & set(arrangement.pinned)
    assert (layout.y[1:] >= (layout.y + layout.height)[:-1]).all()
    for row in np.flatnonzero(layout.kind == RowKind.LANE):
        assert TRACE.lanes.track[layout.source[row]] == layout.track[row]
        assert layout.height[row] == round(HEIGHTS[RowKind.LANE] * arrangement.size_of(int(layout.track[row])))
    for place, row in enumerate(layout.heads):
        end = layout.heads[place + 1] if place + 1 < len(layout.heads) else len(layout)
        assert (layout.process[row:end] == layout.process[row]).all()


def test_pinned_rows_stay_while_the_others_scroll() -> None:
    last = len(TRACE.tracks) - 1
    layout = build_layout(TRACE, frozenset(), Arrangement().pin([last]))
    assert layout.pinned_rows > 0
    top = 200.0
    rows = layout.visible(top, 300.0)
    assert rows[: layout.pinned_rows].tolist() == list(range(layout.pinned_rows))
    assert layout.row_at(1.0, top) == 0
    below = layout.row_at(float(layout.pinned_height) + 5, top)
    assert below is None or below == layout.row_at(float(layout.pinned_height) + 5 + top)


def test_moving_a_track_keeps_the_others_in_order() -> None:
    groups = [[t.id for t in TRACE.tracks if t.process == p.id and build_layout(TRACE).track_first[t.id] >= 0] for p in TRACE.processes]
    own = max(groups, key=len)
    moved = Arrangement().move_track(TRACE, own[0], 1)
    layout = build_layout(TRACE, frozenset(), moved)
    rows = [t for t in dict.fromkeys(layout.track.tolist()) if t in own]
    assert rows == [own[1], own[0], *own[2:]]
    assert moved.move_track(TRACE, own[0], -1).move_track(TRACE, own[0], -1).tracks[: len(own)] == tuple(own)


def test_sizes_end_at_both_sides() -> None:
    a = Arrangement()
    for _ in range(9):
        a = a.resize(0, 1)
    assert a.size_of(0) == SIZES[-1]
    for _ in range(9):
        a = a.resize(0, -1)
    assert a.size_of(0) == SIZES[0]
    assert a.resize(0, 1).sizes == ()


@given(TRACKS, TRACKS, st.sampled_from([-1, 1]))
def test_sizing_many_is_sizing_each(first: set[int], second: set[int], step: int) -> None:
    start = Arrangement().resize_all(first, 1)
    one_by_one = start
    for track in second:
        one_by_one = one_by_one.resize(track, step)
    assert start.resize_all(second, step) == one_by_one
