"""Sessions: what is told of a state is chosen again, on the same trace and on a changed one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from hlprof_core.errors import UsageError
from hlprof_core.io.open import open_trace
from hlprof_core.io.writers import write_trace
from hlprof_core.levels.pyramid import build_levels
from hlprof_core.trace.model import Trace
from hlprof_core.trace.ranges import TimeRange
from hlprof_gui.state.arrangement import Arrangement
from hlprof_gui.state.groups import GROUP_WAYS, groups_of
from hlprof_gui.state.session import apply, describe, restore_session, save_session, session_path
from hlprof_gui.state.view_state import FILTER_MODES, TIME_SCALES, ColourGroups, Edge, FilterChoice, Item, Mark, Measure, ViewState
from tests.rank_trace import rank_trace
from tests.small_trace import small_trace

TRACE = small_trace()
LEVELS = build_levels(TRACE)
TRACKS = st.integers(0, len(TRACE.tracks) - 1)
TIMES = st.integers(TRACE.span.start_ns, TRACE.span.end_ns)


RANKS = rank_trace()


def opened(trace=TRACE) -> ViewState:
    state = ViewState()
    state.open(trace, LEVELS if trace is TRACE else build_levels(trace))
    return state


def choices(state: ViewState) -> tuple[object, ...]:
    spans = tuple(m.range for m in state.measures)
    chosen = state.window, state.range, state.selection, state.marks, spans, state.collapsed, state.arrangement, state.filter
    return *chosen, state.time_scale


@given(st.data())
@settings(deadline=None)
def test_what_is_described_is_chosen_again(data: st.DataObject) -> None:
    state = opened()
    state.set_window(TimeRange(*sorted((data.draw(TIMES), data.draw(TIMES) + 10))))
    if data.draw(st.booleans()):
        state.set_range(TimeRange(*sorted((data.draw(TIMES), data.draw(TIMES)))))
    state.set_filter(FilterChoice(data.draw(st.text(max_size=8)), data.draw(st.sampled_from(FILTER_MODES)), data.draw(st.booleans())))
    state.select(data.draw(st.sampled_from([None, Item("track", 0), Item("slice", 3), Item("instant", 0)])))
    state.set_marks([Mark(data.draw(TIMES), data.draw(st.text(max_size=8)), data.draw(st.integers(0, 50)))])
    state.set_measures([Measure(Edge(t), Edge(t + 7)) for t in data.draw(st.lists(TIMES, max_size=2))])
    state.set_collapsed(data.draw(st.sets(st.integers(0, len(TRACE.processes) - 1))))
    rows = Arrangement().pin(data.draw(st.lists(TRACKS, max_size=3))).hide(data.draw(st.sets(TRACKS, max_size=2)))
    rows = rows.restack(data.draw(TRACKS)).fit(data.draw(TRACKS))
    state.set_arrangement(rows.resize(data.draw(TRACKS), 1).move_group(TRACE, 0, 1))
    state.set_time_scale(data.draw(st.sampled_from(TIME_SCALES)))
    again = opened()
    assert apply(json.loads(json.dumps(describe(state))), again) == []
    assert choices(again) == choices(state)


@given(st.data())
@settings(deadline=None)
def test_groups_and_rows_of_several_ranks_are_told_apart(data: st.DataObject) -> None:
    state = opened(RANKS)
    total = groups_of(RANKS).total
    state.set_collapsed(data.draw(st.sets(st.integers(0, total - 1))))
    tracks = st.integers(0, len(RANKS.tracks) - 1)
    rows = Arrangement(group_by=data.draw(st.sampled_from(GROUP_WAYS))).pin(data.draw(st.lists(tracks, max_size=3)))
    rows = rows.move_track(RANKS, data.draw(tracks), 1)
    state.set_arrangement(rows.move_group(RANKS, int(groups_of(RANKS, rows.group_by).owner[data.draw(tracks)]), 1))
    again = opened(RANKS)
    assert apply(json.loads(json.dumps(describe(state))), again) == []
    assert choices(again) == choices(state)


def test_a_session_written_before_rows_could_be_grouped_fits() -> None:
    state = opened(RANKS)
    told = {"folded": [["tpc", "TPC"]], "groups": [["host", "Host"]], "pinned": [["mme", "MME", "thread", "0", "MME 0"]]}
    assert apply(told | {"hidden": [["tpc", "TPC", "thread", "1", "TPC 1", "another label"]]}, state) == []
    assert state.arrangement == Arrangement(pinned=(0,), hidden=frozenset({2}), groups=(2,))
    assert state.collapsed == {1}
    assert apply({"folded": [["x", "Gone"], ["engine:NONE"]], "pinned": [["tpc", "TPC", "thread", "9", ""]]}, state) == [
        "row 9", "group Gone", "group engine:NONE",
    ]  # fmt: skip


def test_beside_the_trace_and_back(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    write_trace(TRACE, file)
    state = opened(open_trace(file, use_cache=False))
    assert restore_session(state) is None
    state.add_mark(state.trace.span.start_ns + 5, "here", 20)
    target = save_session(state)
    assert target == session_path(file) == tmp_path / "run.json.hlprof"
    assert str(tmp_path) not in target.read_text()
    assert json.loads(target.read_text())["trace"] == file.name
    again = opened(open_trace(file, use_cache=False))
    restored = restore_session(again)
    assert restored is not None
    assert restored.is_same_trace
    assert again.marks == state.marks


def test_a_changed_trace_is_told_and_what_is_gone_is_named(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    write_trace(TRACE, file)
    state = opened(open_trace(file, use_cache=False))
    names = [t.name for t in state.trace.tracks]
    state.set_arrangement(Arrangement().pin([len(names) - 1]))
    save_session(state)
    text = file.read_text().replace(names[-1], "Renamed row")
    file.write_text(text)
    again = opened(open_trace(file, use_cache=False))
    restored = restore_session(again)
    assert restored is not None
    assert not restored.is_same_trace
    assert restored.missing == (f"row {names[-1]}",)
    assert again.arrangement.pinned == ()


@pytest.mark.parametrize("text", ["", "[", "[]", "{}", '{"hlprof_session": 9}', '{"hlprof_session": 1, "window": ["a", 2]}'])
def test_a_session_that_is_none_is_refused_and_changes_nothing(tmp_path: Path, text: str) -> None:
    file = tmp_path / "run.json"
    write_trace(TRACE, file)
    state = opened(open_trace(file, use_cache=False))
    before = choices(state)
    session_path(file).write_text(text)
    with pytest.raises(UsageError):
        restore_session(state)
    assert choices(state) == before


def test_notes_of_equal_time_keep_apart() -> None:
    state = opened()
    state.set_marks([Mark(5, "b", 9), Mark(5, "a")])
    assert [m.label for m in state.marks] == ["a", "b"]
    assert replace(state.marks[0], label="c").range == TimeRange(5, 5)


def test_every_kind_of_selection_is_found_again(tmp_path: Path) -> None:
    def event(name: str, at: int, length: int) -> dict[str, object]:
        return {"ph": "X", "pid": 1, "tid": 1, "name": name, "ts": at, "dur": length}

    def arrow(phase: str, at: int, number: int) -> dict[str, object]:
        return {"ph": phase, "pid": 1, "tid": 1, "id": number, "name": "to", "cat": "f", "ts": at, "bp": "e"}

    events = [
        event("a", 0, 100), event("a", 0, 50), event("b", 200, 50),
        *(arrow("s", 10, n) for n in (7, 8)), *(arrow("f", 210, n) for n in (7, 8)),
        *({"ph": "C", "pid": 1, "name": "power", "ts": t, "args": {"used": 9 - v, "free": v}} for t, v in ((5, 1), (5, 2), (9, 3))),
        *({"ph": "P", "pid": 1, "tid": 1, "ts": t, "name": name} for t, name in ((40, "cycles"), (40, "misses"), (60, "cycles"))),
    ]  # fmt: skip
    file = tmp_path / "kinds.json"
    file.write_text(json.dumps({"traceEvents": events}))
    trace = open_trace(file, use_cache=False)
    tables: dict[Any, Any] = {
        "slice": trace.slices, "flow": trace.flows, "counter": trace.counters, "sample": trace.stack_samples, "track": trace.tracks,
    }  # fmt: skip
    for kind, table in tables.items():
        assert len(table) > 1
        for place in range(len(table)):
            state, again = opened(trace), opened(trace)
            state.select(Item(kind, place))
            assert apply(json.loads(json.dumps(describe(state))), again) == []
            assert again.selection == state.selection
    state.select(None)
    gone = {"kind": "flow", "name": "to", "id": "7"} | {
        end: {"kind": "slice", "row": describe_row(trace), "at": 0, "name": "a"} for end in ("from", "to")
    }
    assert apply({"selection": gone}, state) == ["arrow from a to a"]


def describe_row(trace: Trace) -> list[str]:
    state = opened(trace)
    state.select(Item("slice", 0))
    return list(describe(state)["selection"]["row"])


def test_colours_by_an_argument_are_asked_for_again() -> None:
    state, again = opened(), opened()
    state.set_colour_groups(TRACE, ColourGroups("dtype", np.zeros(len(TRACE.slices), np.int32), ("",)))
    wanted: list[str] = []
    again.colour_argument_wanted.connect(wanted.append)
    assert apply(json.loads(json.dumps(describe(state))), again) == []
    assert wanted == ["dtype"]
    assert describe(again)["colour_argument"] == "dtype", "also while its values are looked up"
    again.set_colour_by("name")
    assert describe(again)["colour_argument"] == ""
