"""What rows are grouped by: which group each track is in, what groups and rows are called."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hlprof_core.trace.builder import TraceBuilder
from hlprof_core.trace.engines import CLASSES
from hlprof_core.trace.model import Origin
from hlprof_core.trace.tracks import Process, Track
from hlprof_gui.state.arrangement import Arrangement
from hlprof_gui.state.groups import GROUP_WAYS, GroupBy, groups_of, groups_with, has_engines, has_ranks, prepare_groups
from hlprof_gui.timeline.layout import RowKind, build_layout
from hlprof_gui.viewmodels.status import track_text
from tests.rank_trace import RANKS, rank_trace
from tests.small_trace import small_trace
from tests.synthetic import lanes_trace

NAMES = st.sampled_from(["TPC 0", "TPC 1", "main", ""])
ROWS = st.lists(st.tuples(NAMES, st.sampled_from([*CLASSES, ""]), st.integers(-1, 3), st.integers(0, 3)), max_size=20)


def test_each_way_has_its_groups_in_order() -> None:
    trace = rank_trace()

    def titles(by: GroupBy) -> list[str]:
        groups = groups_of(trace, by)
        return [groups.title(g) for g in groups.used.tolist()]

    assert titles("process") == [*["MME", "TPC", "Host"] * RANKS, "Feeder", "Saver"]
    assert titles("engine") == ["MME", "TPC", "Host", "No engine"]
    assert titles("rank") == ["Rank 0", "Rank 1", "Rank 2"]
    assert [groups_of(small_trace(), "rank").title(g) for g in groups_of(small_trace(), "rank").used.tolist()] == ["No rank"]


def test_numbers_of_all_ways_are_apart() -> None:
    trace = rank_trace()
    ways = [groups_of(trace, way) for way in GROUP_WAYS]
    numbers = [g for groups in ways for g in groups.numbers]
    assert numbers == list(range(ways[0].total))
    assert [groups_with(trace, g).by for g in numbers] == [groups.by for groups in ways for _ in groups.numbers]
    keys = [groups.key(g) for groups in ways for g in groups.numbers]
    assert len(set(keys)) == len(keys)


def test_rows_of_equal_names_are_told_apart() -> None:
    trace = rank_trace()
    by_engine, by_rank = groups_of(trace, "engine"), groups_of(trace, "rank")
    assert [by_engine.track_title(t) for t in (1, 6, 15, 16)] == ["rank 0 · TPC 0", "rank 1 · TPC 0", "Feeder · worker", "Saver · worker"]
    assert [by_rank.track_title(t) for t in (1, 6, 15)] == ["TPC 0", "TPC 0", "Feeder · worker"]
    assert {groups_of(trace).track_title(t.id) for t in trace.tracks} == {t.name for t in trace.tracks}
    assert by_rank.pinned_title(6) == "Rank 1 · TPC 0"
    assert by_engine.pinned_title(6) == "rank 1 · TPC 0"
    assert groups_of(trace).pinned_title(3) == "rank0.json · Host · MainThread"
    one = groups_of(small_trace(), "engine")
    assert [one.track_title(t) for t in range(3)] == ["MME 0", "TPC 0", "MainThread"]
    assert one.pinned_title(2) == "Host · MainThread"


@given(ROWS, st.sampled_from(GROUP_WAYS), st.booleans())
@settings(max_examples=80, deadline=None)
def test_titles_are_the_same_only_where_names_rank_and_process_are(
    rows: list[tuple[str, str, int, int]], by: GroupBy, has_names: bool
) -> None:
    rows = sorted(rows, key=lambda row: row[3])
    tracks = [Track(i, process, "thread", name, str(process), "7", engine, rank) for i, (name, engine, rank, process) in enumerate(rows)]
    processes = [Process(i, str(i), f"P{i % 2}" if has_names else "", ("label",) * (i > 2)) for i in range(4)]
    one = np.ones(1, np.int64)
    trace = lanes_trace([(i, 0, one * i, one, one) for i in range(len(rows))], tracks, processes, ["x"])
    groups = groups_of(trace, by)
    assert sorted(t for g in groups.used.tolist() for t in groups.tracks(g).tolist()) == list(range(len(rows)))
    assert sorted(lane for g in groups.numbers for lane in groups.outermost_of(g).tolist()) == list(range(len(rows)))
    if by != "process":
        named = [(int(groups.owner[t.id]), groups.track_title(t.id)) for t in tracks]
        facts = [(int(groups.owner[t.id]), t.name, t.rank, t.process) for t in tracks]
        assert len(set(named)) == len(set(facts))
    layout = build_layout(trace, arrangement=Arrangement(group_by=by))
    seen = layout.track[layout.track >= 0].tolist()
    assert sorted(seen) == list(range(len(rows)))
    assert seen == sorted(seen, key=lambda t: (groups.owner[t], t))
    assert layout.group[layout.kind == RowKind.GROUP].tolist() == groups.used.tolist()
    assert layout.filled[groups.used].tolist() == [len(groups.tracks(g)) for g in groups.used.tolist()]


@pytest.mark.parametrize("by", GROUP_WAYS)
def test_a_folded_group_shows_what_its_outermost_lanes_do(by: GroupBy) -> None:
    trace = rank_trace()
    groups = groups_of(trace, by)
    layout = build_layout(trace, frozenset(groups.numbers), Arrangement(group_by=by))
    assert layout.kind.tolist() == [RowKind.GROUP] * len(groups.used)
    lanes = np.concatenate([groups.outermost_of(g) for g in layout.source.tolist()])
    assert sorted(lanes.tolist()) == np.flatnonzero(trace.lanes.depth == 0).tolist()
    others = {g for g in range(groups.total) if g not in groups.numbers}
    unfolded = build_layout(trace, frozenset(others), Arrangement(group_by=by))
    assert len(unfolded) == len(build_layout(trace, arrangement=Arrangement(group_by=by)))


def test_processes_of_one_name_are_told_apart_by_their_labels() -> None:
    tracks = [Track(i, i, "thread", name, str(i), "7", "TPC") for i, name in enumerate(["TPC 0", "TPC 0", "loop", "loop"])]
    processes = [Process(0, "0", "TPC", ("a.json",)), Process(1, "1", "TPC", ("b.json",)), Process(2, "2", "X"), Process(3, "3", "X")]
    one = np.ones(1, np.int64)
    groups = groups_of(lanes_trace([(i, 0, one, one, one) for i in range(4)], tracks, processes, ["x"]), "engine")
    assert [groups.track_title(t) for t in range(4)] == ["a.json · TPC 0", "b.json · TPC 0", "pid 2 · X · loop", "pid 3 · X · loop"]


def test_what_the_file_does_not_tell_is_nothing_to_group_by() -> None:
    assert has_engines(rank_trace())
    assert has_ranks(rank_trace())
    assert has_engines(small_trace())
    assert not has_ranks(small_trace())
    empty = lanes_trace([], [], [], [])
    assert not has_engines(empty)
    assert not has_ranks(empty)
    prepare_groups(empty)
    assert all(len(build_layout(empty, arrangement=Arrangement(group_by=by))) == 0 for by in GROUP_WAYS)


def test_groups_do_not_keep_a_trace_that_is_closed() -> None:
    trace = rank_trace()
    prepare_groups(trace)
    kept = weakref.ref(trace)
    del trace
    gc.collect()
    assert kept() is None


def test_processes_of_one_name_are_told_apart_wherever_their_header_is_not() -> None:
    names = (("1", "worker", ()), ("2", "worker", ()), ("3", "python", ("CPU",)), ("4", "python", ("GPU 0",)), ("5", "alone", ("x",)))
    processes = [Process(place, pid, name, labels) for place, (pid, name, labels) in enumerate(names)]
    tracks = [Track(place, place, "thread", f"row {place}", pid, "1") for place, (pid, _, _) in enumerate(names)]
    one = (np.array([0]), np.array([5]), np.array([0]))
    trace = lanes_trace([(track, 0, *one) for track in range(len(tracks))], tracks, processes, ["n"])
    groups = groups_of(trace)
    told = ["pid 1 · worker", "pid 2 · worker", "CPU · python", "GPU 0 · python", "alone"]
    assert [groups.told_title(g) for g in groups.used.tolist()] == told
    assert [groups.pinned_title(t) for t in range(5)] == [f"{title} · row {place}" for place, title in enumerate(told)]
    assert [track_text(trace, track) for track in trace.tracks] == [groups.pinned_title(t) for t in range(5)]


def test_overlapping_slices_on_lower_lanes_are_outermost_too() -> None:
    build = TraceBuilder()
    for name, start, length in (("first", 0, 100), ("inner", 10, 20), ("late", 50, 100), ("deepest", 60, 5)):
        build.slice("1", "1", start, length, name)
    build.slice("1", "2", 0, 100, "outer")
    build.slice("1", "2", 10, 20, "inner")
    trace = build.finish(Origin("drawing"))
    groups, offsets = groups_of(trace), trace.lanes.offsets
    shown = [{trace.name(i) for i in range(offsets[lane], offsets[lane + 1])} for lane in groups.outermost_of(0).tolist()]
    assert {"first"} in shown
    assert {"outer"} in shown
    assert any("late" in names for names in shown), "it ends after all others"
    roots = {trace.name(i) for i in range(len(trace.slices)) if trace.slices.parent[i] < 0}
    assert all(names & roots for names in shown)
