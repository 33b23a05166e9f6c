"""However a trace is cut into pieces, and in however many threads they are laid out, it is the same trace."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hlprof_core.trace import completion, pieces, survey
from hlprof_core.trace.builder import TraceBuilder
from hlprof_core.trace.model import Origin, Trace

EVENT = st.tuples(
    st.sampled_from("XXXBBEEibesftC"), st.integers(0, 20), st.integers(0, 8), st.integers(0, 3), st.integers(0, 3), st.integers(0, 2),
    st.booleans(),
)  # fmt: skip
NAMES = ("", "a", "b", "c")


def build(events: list[tuple[str, int, int, int, int, int, bool]]) -> Trace:
    builder = TraceBuilder()
    for number, (phase, time, dur, name, tid, pid, has_args) in enumerate(events):
        args = {"n": number} if has_args else None
        match phase:
            case "X":
                builder.slice(pid, tid, time, dur, NAMES[name], args=args)
            case "B":
                builder.begin(pid, tid, time, NAMES[name], cat="c", args=args)
            case "E":
                builder.end(pid, tid, time, NAMES[name], args=args)
            case "i":
                builder.instant(pid, tid, time, NAMES[name], args=args)
            case "C":
                builder.counter(pid, time, NAMES[name], {"v": dur})
            case "s" | "f" | "t":
                builder.flow(phase, pid, tid, time, name, enclosing=has_args)
            case _:
                row, text = builder.row(pid, tid), builder.intern(NAMES[name])
                builder._feed.event(phase, time, row, name=text, event_id=builder.intern(str(dur)), args=args)
    return builder.finish(Origin("test"))


def described(trace: Trace) -> list[object]:
    tables = (trace.slices, trace.end_args, trace.lanes, trace.instants, trace.counters, trace.flows)
    columns = [(f, getattr(t, f).dtype.str, getattr(t, f).tolist()) for t in tables for f in t.__struct_fields__]
    return [columns, trace.tracks, trace.extent, [(d.code, d.count, sorted(d.first)) for d in trace.diagnostics]]


@settings(max_examples=80, deadline=None)
@given(st.lists(EVENT, max_size=60))
def test_pieces_and_threads_change_nothing(events: list[tuple[str, int, int, int, int, int, bool]]) -> None:
    whole = described(build(events))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "PIECE", 3)
        patch.setattr(survey, "PIECE", 4)
        patch.setattr(completion, "SMALL", 0)
        assert described(build(events)) == whole


@settings(max_examples=80, deadline=None)
@given(st.lists(EVENT, max_size=60))
def test_what_is_too_deep_goes_and_the_rest_moves_up(events: list[tuple[str, int, int, int, int, int, bool]]) -> None:
    """Slices of depth 2 and more are made too deep; what is left is the trace without them."""
    whole = build(events)
    nest = pieces.layout.nest

    def shallow(*args: object) -> object:
        found = nest(*args)  # type: ignore[arg-type]
        depth, height = args[5], args[7]
        depth[depth > 1] = -1  # type: ignore[index, operator]
        np.minimum(height, 2, out=height)  # type: ignore[call-overload]
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "layout", _Layout(shallow))
        cut = build(events)
    kinds = {track.id for track in whole.tracks if track.kind == "thread"}
    kept = np.array([d <= 1 or int(t) not in kinds for t, d in zip(whole.slices.track, whole.slices.depth, strict=True)], bool)
    number = np.cumsum(kept) - 1
    for name in whole.slices.__struct_fields__:
        if name != "parent":
            np.testing.assert_array_equal(getattr(cut.slices, name), getattr(whole.slices, name)[kept], name)
    parent = whole.slices.parent[kept]
    np.testing.assert_array_equal(cut.slices.parent, np.where(parent >= 0, number[parent], -1))
    ends = whole.end_args.slice[kept[whole.end_args.slice]]
    np.testing.assert_array_equal(cut.end_args.slice, number[ends])
    lane = np.flatnonzero(np.diff(cut.slices.track.astype(np.int64) << 16 | cut.slices.depth, prepend=-1))
    np.testing.assert_array_equal(cut.lanes.offsets, np.append(lane, len(cut.slices)))


class _Layout:
    """The kernel with another ``nest``."""

    def __init__(self, nest: object) -> None:
        self.nest = nest

    def __getattr__(self, name: str) -> object:
        from hlprof_core._kernels import layout

        return getattr(layout, name)


@given(st.lists(st.integers(0, 9), max_size=30), st.integers(1, 12))
def test_every_track_with_events_is_in_one_piece(counts: list[int], size: int) -> None:
    offsets = np.append(0, np.cumsum(counts)).astype(np.int64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "PIECE", size)
        found = pieces.cut_pieces(offsets)
    tracks = [track for piece in found for track in piece]
    assert tracks == sorted(set(tracks))
    assert {track for track, count in enumerate(counts) if count} <= set(tracks)
    for piece in found:
        assert len(piece) == 1 or sum(counts[track] for track in piece) <= size
