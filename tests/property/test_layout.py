"""The layout kernel against its plain twin, and what holds for every layout."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hlprof_core._kernels import layout
from hlprof_core.trace.events import NO_TIME
from hlprof_core.trace.stacking import NONE, group_by_row, match_events, nest_slices
from hlprof_core.trace.table import BEGIN_END, UNFINISHED
from tests.property import layout_twin as twin

NAMES = ("", "a", "b", "c")
PHASES = st.sampled_from("XXBBE")
EVENT = st.tuples(PHASES, st.integers(0, 12), st.one_of(st.none(), st.integers(-2, 10)), st.integers(0, 3), st.integers(0, 1))
MANY = settings(max_examples=100, deadline=None)


@MANY
@given(st.lists(EVENT, max_size=40))
def test_matching_and_nesting_agree_with_the_twin(raw: list[tuple[str, int, int | None, int, int]]) -> None:
    phase = np.array([ord(e[0]) for e in raw], np.uint8)
    ts = np.array([e[1] for e in raw], np.int64)
    dur = np.array([NO_TIME if e[2] is None or e[0] != "X" else e[2] for e in raw], np.int64)
    name, row = np.array([e[3] for e in raw], np.uint32), np.array([e[4] for e in raw], np.uint32)
    order, offsets = group_by_row(row, 2, time=ts)
    matched = match_events(order, offsets, phase, ts, dur, name, len(NAMES), 30)
    nested = nest_slices(matched.offsets, matched.start, matched.end, 30)
    told = twin.Told()
    at = 0
    for number in range(2):
        events = [twin.Event(i, e[0], e[1], e[2] if e[0] == "X" else None, NAMES[e[3]]) for i, e in enumerate(raw) if e[4] == number]
        pieces, about = twin.match(events, 30)
        twin.nest(pieces, 30, about)
        for piece in pieces:
            assert (matched.source[at], matched.start[at], matched.end[at]) == (piece.source, piece.start, piece.end)
            assert matched.ended[at] == (NONE if piece.ended is None else piece.ended)
            assert matched.flags[at] == piece.is_pair * BEGIN_END + piece.is_unfinished * UNFINISHED
            assert nested.depth[at] == piece.depth
            parent = int(nested.parent[at])
            assert (matched.source[parent] if parent >= 0 else None) == (piece.parent.source if piece.parent else None)
            at += 1
        for field in ("strays", "by_outer", "unfinished", "negative", "overlaps"):
            setattr(told, field, getattr(told, field) + getattr(about, field))
    assert at == len(matched.start)
    counts = (matched.strays, matched.closed_by_outer, matched.unfinished, matched.negative, nested.overlaps)
    assert [c[0] for c in counts] == [told.strays, told.by_outer, told.unfinished, told.negative, told.overlaps]


@MANY
@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 30)), max_size=60))
def test_lanes_never_overlap_and_parents_enclose(spans: list[tuple[int, int]]) -> None:
    spans.sort(key=lambda s: (s[0], -s[1]))
    start = np.array([s[0] for s in spans], np.int64)
    end = start + np.array([s[1] for s in spans], np.int64)
    nested = nest_slices(np.array([0, len(spans)], np.int64), start, end, 100)
    for depth in range(int(nested.height[0])):
        lane = np.flatnonzero(nested.depth == depth)
        assert (end[lane[:-1]] <= start[lane[1:]]).all()
    inner = np.flatnonzero(nested.parent >= 0)
    outer = nested.parent[inner]
    assert (start[outer] <= start[inner]).all()
    assert (end[outer] >= end[inner]).all()
    assert (nested.depth[outer] < nested.depth[inner]).all()
    # Nothing that something encloses is a root.
    for i in np.flatnonzero(nested.parent < 0):
        around = (start[:i] <= start[i]) & (end[:i] >= end[i]) & (end[:i] > start[i])
        assert not around.any()


@MANY
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-50, 50), st.booleans()), max_size=80))
def test_grouping_is_a_stable_sort(entries: list[tuple[int, int, bool]]) -> None:
    row = np.array([e[0] for e in entries], np.uint32)
    time = np.array([e[1] for e in entries], np.int64)
    mask = np.array([e[2] for e in entries], np.uint8)
    order, offsets = group_by_row(row, 4, time=time, mask=mask, count=int(mask.sum()))
    wanted = [i for i in sorted(range(len(entries)), key=lambda i: (entries[i][0], entries[i][1])) if entries[i][2]]
    assert order.tolist() == wanted
    assert offsets.tolist() == [sum(1 for e in entries if e[2] and e[0] < r) for r in range(5)]


@MANY
@given(st.lists(st.tuples(st.integers(0, 60), st.integers(1, 30)), max_size=60))
def test_packing_takes_the_first_free_slot(spans: list[tuple[int, int]]) -> None:
    spans.sort()
    start = np.array([s[0] for s in spans], np.int64)
    end = start + np.array([s[1] for s in spans], np.int64)
    slot = np.empty(len(spans), np.uint32)
    layout.pack(np.array([0, len(spans)], np.int64), start, end, slot)
    busy: list[int] = []
    for i in range(len(spans)):
        free = next((s for s, until in enumerate(busy) if until <= start[i]), len(busy))
        busy[free:] = [int(end[i]), *busy[free + 1 :]]
        assert slot[i] == free


@MANY
@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 15)), max_size=25),
    st.lists(st.tuples(st.integers(-2, 50), st.integers(0, 2)), max_size=25),
)
def test_marks_bind_to_the_slice_around_or_the_next(spans: list[tuple[int, int]], marks: list[tuple[int, int]]) -> None:
    spans.sort(key=lambda s: (s[0], -s[1]))
    marks.sort(key=lambda m: m[0])
    start = np.array([s[0] for s in spans], np.int64)
    end = start + np.array([s[1] for s in spans], np.int64)
    bound = np.empty(len(marks), np.int32)
    one = np.array([0, len(spans)], np.int64)
    time, wish = np.array([m[0] for m in marks], np.int64), np.array([m[1] for m in marks], np.uint8)
    layout.bind(one, start, end, np.array([0, len(marks)], np.int64), time, wish, bound)
    for i, (at, kind) in enumerate(marks):
        around = max((k for k in range(len(spans)) if start[k] <= at <= end[k]), default=-1)
        following = next((k for k in range(len(spans)) if start[k] >= at), -1)
        assert bound[i] == (around, following, around if around >= 0 else following)[kind]
