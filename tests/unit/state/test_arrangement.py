"""Pinning, hiding, ordering and sizing rows, on the state and on the layout."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from hlprof_core.trace.model import Trace
from hlprof_core.trace.tracks import Process, Track
from hlprof_gui.state.arrangement import SIZES, Arrangement
from hlprof_gui.state.groups import GROUP_WAYS, groups_of
from hlprof_gui.timeline.layout import HEIGHTS, RowKind, build_layout
from tests.rank_trace import rank_trace
from tests.small_trace import small_trace
from tests.synthetic import lanes_trace

TRACE, RANKS = small_trace(), rank_trace()
TRACKS = st.sets(st.integers(0, len(TRACE.tracks) - 1))
KINDS = ("pin", "unpin", "hide", "show", "up", "down", "group_up", "taller", *GROUP_WAYS)


def steps_on(trace: Trace) -> st.SearchStrategy[list[tuple[str, int]]]:
    return st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, len(trace.tracks) - 1)), max_size=12)


def apply(trace: Trace, steps: list[tuple[str, int]]) -> Arrangement:
    a = Arrangement()
    for step, track in steps:
        match step:
            case "pin" | "unpin" | "hide" | "show":
                a = getattr(a, step)([track])
            case "up" | "down":
                if track not in a.hidden:
                    a = a.move_track(trace, track, -1 if step == "up" else 1)
            case "group_up":
                a = a.move_group(trace, int(groups_of(trace, a.group_by).owner[track]), -1)
            case "process" | "engine" | "rank":
                a = replace(a, group_by=step)
            case _:
                a = a.resize(track, 1)
    return a


@given(steps_on(TRACE))
def test_every_arrangement_shows_each_track_once_or_hides_it(steps: list[tuple[str, int]]) -> None:
    shows_each_track_once(TRACE, apply(TRACE, steps))


@given(steps_on(RANKS))
def test_in_any_grouping_of_several_ranks_too(steps: list[tuple[str, int]]) -> None:
    shows_each_track_once(RANKS, apply(RANKS, steps))


def shows_each_track_once(trace: Trace, arrangement: Arrangement) -> None:
    layout = build_layout(trace, frozenset(), arrangement)
    usual = build_layout(trace)
    seen = [t for i, t in enumerate(layout.track.tolist()) if t >= 0 and (i == 0 or layout.track[i - 1] != t)]
    assert sorted(seen) == sorted(set(usual.track[usual.track >= 0].tolist()) - arrangement.hidden)
    assert seen[: len(arrangement.pinned)] == [t for t in arrangement.pinned if usual.track_first[t] >= 0]
    assert not arrangement.hidden & set(arrangement.pinned)
    assert (layout.y[1:] >= (layout.y + layout.height)[:-1]).all()
    for row in np.flatnonzero(layout.kind == RowKind.LANE):
        assert trace.lanes.track[layout.source[row]] == layout.track[row]
        assert layout.height[row] == round(HEIGHTS[RowKind.LANE] * arrangement.size_of(int(layout.track[row])))
    for place, row in enumerate(layout.heads):
        end = layout.heads[place + 1] if place + 1 < len(layout.heads) else len(layout)
        assert (layout.group[row:end] == layout.group[row]).all()
        assert layout.group_row[layout.group[row]] == row
    own = layout.track >= 0
    assert (layout.group[own] == layout.groups.owner[layout.track[own]]).all()


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
    assert moved.move_track(TRACE, own[0], -1).move_track(TRACE, own[0], -1) == Arrangement()


@given(steps_on(RANKS), st.data())
def test_a_step_up_and_a_step_down_is_none(steps: list[tuple[str, int]], data: st.DataObject) -> None:
    a = apply(RANKS, steps)
    groups = groups_of(RANKS, a.group_by)
    group = data.draw(st.sampled_from(groups.used.tolist()))
    seen = shown(a, group)
    if len(seen) > 1:
        moved = a.move_track(RANKS, seen[0], 1)
        assert shown(moved, group) == [seen[1], seen[0], *seen[2:]]
        for other in groups.used.tolist():
            assert other == group or shown(moved, other) == shown(a, other)
        assert shown(moved.move_track(RANKS, seen[0], -1), group) == seen
    assert a.tracks == tuple(dict.fromkeys(a.tracks))


def shown(arrangement: Arrangement, group: int) -> list[int]:
    """Tracks of a group from top to bottom, without pinned ones."""
    layout = build_layout(RANKS, frozenset(), arrangement)
    rows = np.flatnonzero((layout.group == group) & (layout.track >= 0))
    return list(dict.fromkeys(layout.track[rows[rows >= layout.pinned_rows]].tolist()))


def test_orders_of_several_ways_to_group_do_not_mix() -> None:
    by_engine = Arrangement(group_by="engine")
    tpc = int(groups_of(RANKS, "engine").owner[1])
    a = replace(by_engine.move_group(RANKS, tpc, -1), group_by="process")
    assert titles(a) == titles(Arrangement())
    a = a.move_group(RANKS, 1, -1)
    assert titles(a)[:2] == ["TPC", "MME"]
    assert titles(replace(a, group_by="engine")) == ["TPC", "MME", "Host", "No engine"]


def test_a_group_passes_those_that_are_on_the_screen() -> None:
    host = int(groups_of(RANKS, "engine").owner[3])
    assert titles(Arrangement(group_by="engine").move_group(RANKS, host, -1)) == ["MME", "Host", "TPC", "No engine"]


def titles(arrangement: Arrangement) -> list[str]:
    layout = build_layout(RANKS, frozenset(), arrangement)
    return [layout.groups.title(g) for g in layout.group[layout.heads].tolist()]


def test_what_is_hidden_does_not_move() -> None:
    assert Arrangement().hide([1]).move_track(TRACE, 1, 1) == Arrangement().hide([1])


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


def test_a_row_and_a_group_move_past_what_is_on_the_screen() -> None:
    tracks = [Track(place, 0, "thread", f"row {place}", "1", str(place)) for place in range(4)]
    tracks += [Track(4, 1, "thread", "empty", "2", "1"), Track(5, 2, "thread", "row 5", "3", "1")]
    processes = [Process(place, str(place + 1), f"p{place}") for place in range(3)]
    one = (np.array([0]), np.array([5]), np.array([0]))
    trace = lanes_trace([(0, 0, *one), (5, 0, *one)], tracks, processes, ["n"], instants=[(3, 1, 0)])
    moved = Arrangement().move_track(trace, 3, -1)
    assert shown_tracks(trace, moved) == [3, 0, 5]
    assert shown_tracks(trace, moved.move_track(trace, 3, 1)) == [0, 3, 5]
    assert shown_tracks(trace, Arrangement().move_group(trace, 2, -1)) == [5, 0, 3]
    assert Arrangement().move_track(trace, 1, -1) == Arrangement(), "it has no row"
    assert Arrangement().move_group(trace, 1, -1) == Arrangement()


def shown_tracks(trace: Trace, arrangement: Arrangement) -> list[int]:
    """Rows of tracks from top to bottom."""
    layout = build_layout(trace, arrangement=arrangement)
    return [track for track in dict.fromkeys(layout.track.tolist()) if track >= 0]
