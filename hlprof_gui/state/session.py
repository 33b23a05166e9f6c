"""What the user chose for a trace as a small text file beside it: found again by names and times, not by numbers of this reading."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from hlprof_core.analysis.memo import per_trace
from hlprof_core.errors import UsageError
from hlprof_core.io.fingerprint import fingerprint
from hlprof_core.replacement import replaced_whole
from hlprof_core.trace.model import Trace
from hlprof_core.trace.ranges import TimeRange
from hlprof_core.trace.table import I8
from hlprof_gui.state.arrangement import SIZES, Arrangement
from hlprof_gui.state.groups import GROUP_WAYS, groups_of, groups_with
from hlprof_gui.state.view_state import (
    ARROW_MODES,
    COLOUR_WAYS,
    FARTHEST_NS,
    FILTER_MODES,
    TIME_SCALES,
    Edge,
    FilterChoice,
    Item,
    Mark,
    Measure,
    ViewState,
    sample_track,
)

SUFFIX = ".hlprof"
FORMAT = 1
MAX_BYTES = 16 << 20
PlacedKind = Literal["counter", "sample", "slice", "instant"]
Placed = tuple[int, str, float | None]
GROUP_KEY, TRACK_KEY = 2, 5
"""So many parts of the name of a group and of a track are there without labels, which tell those of several files in one trace apart."""


def session_path(trace_path: Path) -> Path:
    """``run.json`` has its session in ``run.json.hlprof``."""
    return trace_path.with_name(trace_path.name + SUFFIX)


def save_session(state: ViewState) -> Path:
    """Write the session of the open trace; ``ExportError`` or ``UsageError`` when that is not possible, the former one stays then."""
    assert state.trace is not None
    path = state.trace.origin.path
    assert path is not None
    target = session_path(path)
    _fingerprint(path)  # beside a trace that is gone nobody would find it
    content = {"hlprof_session": FORMAT, "trace": path.name, "fingerprint": known_fingerprint(state.trace)} | describe(state)
    with replaced_whole(target) as temporary:
        temporary.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return target


class Restored(Struct, frozen=True):
    """``missing``: what the session names and the trace does not have."""

    path: Path
    missing: tuple[str, ...]
    is_same_trace: bool

    @property
    def text(self) -> str:
        """What the user is told."""
        lost = f" Not found in it: {', '.join(self.missing)}." if self.missing else ""
        changed = "" if self.is_same_trace else " The trace is not the one it was saved for."
        return f"View and notes restored from {self.path.name}.{changed}{lost}"


def restore_session(state: ViewState) -> Restored | None:
    """Choose again what was chosen; None without a session file, ``UsageError`` when it cannot be read."""
    trace = state.trace
    path = trace.origin.path if trace is not None else None
    if trace is None or path is None or not session_path(path).is_file():
        return None
    session = _load(session_path(path))
    is_same = session.get("fingerprint") == known_fingerprint(trace)
    return Restored(session_path(path), tuple(apply(session, state, str(session_path(path)))), is_same)


@per_trace
def known_fingerprint(trace: Trace) -> str:
    """Of the file of a trace as it was when this was first asked for, which is best done once it is read: the file may be written anew."""
    assert trace.origin.path is not None
    return _fingerprint(trace.origin.path)


def _fingerprint(path: Path) -> str:
    """Of the trace as it lies there now."""
    try:
        with path.open("rb") as file:
            return fingerprint(file.fileno(), os.fstat(file.fileno()).st_size)
    except OSError as error:
        message = f"{path}: the open trace cannot be read any more ({error.strerror or error})."
        raise UsageError(message, hint="Put it back, or open it where it is now.") from error


def _load(path: Path) -> dict[str, Any]:
    hint = "Remove it, or save a new session over it."
    try:
        if path.stat().st_size > MAX_BYTES:
            raise UsageError(f"{path}: too large for a session.", hint=hint)
        session = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"{path}: no session can be read from it ({error}).", hint=hint) from error
    if not isinstance(session, dict) or session.get("hlprof_session") != FORMAT:
        raise UsageError(f"{path}: not a session of this version.", hint=hint)
    return session


# -- state to text and back ---------------------------------------------------------------------------------------------


def describe(state: ViewState) -> dict[str, Any]:
    """The choices as plain values; times in nanoseconds of the trace's own clock."""
    trace = state.trace
    assert trace is not None
    names = _Names(trace)
    rows = state.arrangement
    return {
        "window": _pair(state.window),
        "colour_by": "argument" if state.colour_argument else state.colour_by,
        "colour_argument": state.colour_argument,
        "time_scale": state.time_scale,
        "arrows": state.arrows,
        "filter": {"text": state.filter.text, "mode": state.filter.mode, "in_args": state.filter.in_args},
        "range": None if state.range is None else _pair(state.range),
        "range_rows": None if state.range_tracks is None else [names.track(t) for t in state.range_tracks],
        "selection": names.item(state.selection),
        "notes": [{"at": m.time_ns, "length": m.length_ns, "text": m.label} for m in state.marks],
        "measures": [_pair(m.range) for m in state.measures],
        "group_by": rows.group_by,
        "folded": [names.group(g) for g in sorted(state.collapsed)],
        "pinned": [names.track(t) for t in rows.pinned],
        "hidden": [names.track(t) for t in sorted(rows.hidden)],
        "groups": [names.group(g) for g in rows.groups],
        "order": [names.track(t) for t in rows.tracks],
        "sizes": [[names.track(t), size] for t, size in rows.sizes],
        "restacked": [names.track(t) for t in sorted(rows.restacked)],
        "fitted": [names.track(t) for t in sorted(rows.fitted)],
    }


def apply(session: dict[str, Any], state: ViewState, source: str = "The session") -> list[str]:
    """Choose what ``describe`` told; returns what the trace does not have. ``UsageError`` for values of the wrong kind, says ``source``."""
    trace = state.trace
    assert trace is not None
    names = _Names(trace)
    try:
        arrangement = Arrangement(
            pinned=tuple(names.tracks(session.get("pinned", []))),
            hidden=frozenset(names.tracks(session.get("hidden", []))),
            group_by=next((way for way in GROUP_WAYS if way == session.get("group_by")), "process"),
            groups=tuple(names.groups(session.get("groups", []))),
            tracks=tuple(names.tracks(session.get("order", []))),
            sizes=tuple(sorted((t, float(size)) for key, size in session.get("sizes", []) if size in SIZES for t in names.tracks([key]))),
            restacked=frozenset(names.tracks(session.get("restacked", []))),
            fitted=frozenset(names.tracks(session.get("fitted", []))),
        )
        notes = [(str(n["text"]), _span((n["at"], int(n["at"]) + int(n.get("length", 0))))) for n in session.get("notes", [])]
        marks = [Mark(span.start_ns, text, span.length_ns) for text, span in notes]
        measures = [Measure(Edge(span.start_ns), Edge(span.end_ns)) for span in map(_span, session.get("measures", []))]
        limited = session.get("range_rows")
        range_tracks = None if limited is None else tuple(names.tracks(limited))
        collapsed = names.groups(session.get("folded", []))
        selection = names.found_item(session.get("selection"))
        argument = str(session.get("colour_argument") or "") if session.get("colour_by") == "argument" else ""
        chosen = session.get("range")
        wanted = dict(session.get("filter") or {})
        window = session.get("window") or _pair(state.window)
        spans = [None if pair is None else _span(pair) for pair in (chosen, window)]
    except (TypeError, ValueError, KeyError, IndexError, OverflowError) as error:
        message = f"{source}: has values that no session has ({type(error).__name__}: {error})."
        raise UsageError(message, hint="Remove it, or save a new one over it.") from error
    scale = session.get("time_scale")
    state.set_time_scale(next((known for known in TIME_SCALES if known == scale), state.time_scale))
    by = session.get("colour_by")
    state.set_colour_by(next((way for way in COLOUR_WAYS if way == by), state.colour_by))
    if argument:
        state.want_colour_argument(argument)
    state.set_arrows(next((mode for mode in ARROW_MODES if mode == session.get("arrows")), state.arrows))
    mode = next((mode for mode in FILTER_MODES if mode == wanted.get("mode")), state.filter.mode)
    state.set_filter(FilterChoice(str(wanted.get("text", "")), mode, wanted.get("in_args") is True))
    state.set_arrangement(arrangement)
    state.set_collapsed(collapsed)
    state.set_marks(marks)
    state.set_measures(measures)
    state.set_range(spans[0], range_tracks)
    state.select(selection)
    if spans[1] is not None:
        state.set_window(spans[1])
    return names.missing


def _pair(span: TimeRange) -> list[int]:
    return [span.start_ns, span.end_ns]


def _span(pair: Sequence[Any]) -> TimeRange:
    """``ValueError`` for what is no stretch of a clock of int64 nanoseconds."""
    start, end = (int(time_ns) for time_ns in pair)
    if not -FARTHEST_NS <= start <= end <= FARTHEST_NS:
        raise ValueError(f"no time from {start} to {end} ns")
    return TimeRange(start, end)


@per_trace
def known_groups(trace: Trace) -> dict[tuple[str, ...], int]:
    """Numbers of groups, of all ways to group, by what the file calls them with and without labels, the first of each."""
    found = [(groups.key(group), group) for groups in map(partial(groups_of, trace), GROUP_WAYS) for group in reversed(groups.numbers)]
    return dict([(key[:GROUP_KEY], group) for key, group in found] + found)


@per_trace
def known_tracks(trace: Trace) -> dict[tuple[str, ...], int]:
    """Ids of tracks by what the file calls them with and without labels, the first of each. Takes its time where there are very many."""
    names = _Names(trace)
    found = [(tuple(names.track(track.id)), track.id) for track in reversed(trace.tracks)]
    return dict([(key[:TRACK_KEY], track) for key, track in found] + found)


class _Names:
    """Groups, tracks and items of a trace by what the file calls them."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.missing: list[str] = []

    def group(self, group: int) -> list[str]:
        return list(groups_with(self.trace, group).key(group))

    def track(self, track: int) -> list[str]:
        model = self.trace.tracks[track]
        process = self.trace.processes[model.process]
        return [model.pid, process.name, model.kind, model.tid, model.name, *process.labels]

    def groups(self, keys: Iterable[Any]) -> list[int]:
        return self._found(known_groups(self.trace), keys, GROUP_KEY, lambda key: f"group {(key[1:2] or key)[0] or key[0]}")

    def tracks(self, keys: Iterable[Any]) -> list[int]:
        return self._found(known_tracks(self.trace), keys, TRACK_KEY, lambda key: f"row {key[4] or key[3]}")

    def _found(
        self, known: dict[tuple[str, ...], int], keys: Iterable[Any], length: int, title: Callable[[tuple[str, ...]], str]
    ) -> list[int]:
        found = []
        for key in keys:
            texts = tuple(str(part) for part in key)
            number = known.get(texts, known.get(texts[:length]))
            if number is None:
                self.missing.append(title(texts))
            else:
                found.append(number)
        return found

    def item(self, item: Item | None) -> dict[str, Any] | None:
        if item is None:
            return None
        trace, kind = self.trace, item.kind
        if kind == "track":
            return {"kind": kind, "row": self.track(item.id)}
        if kind == "flow":
            flows = trace.flows
            ends = (self.item(Item("slice", int(column[item.id]))) for column in (flows.from_slice, flows.to_slice))
            return {"kind": kind, **dict(zip(("from", "to"), ends, strict=True)), **self._flow_texts(item.id)}
        if kind == "counter":
            series = trace.series[int(trace.counters.offsets.searchsorted(item.id, side="right")) - 1]
            at, value = int(trace.counters.time_ns[item.id]), float(trace.counters.value[item.id])
            return {"kind": kind, "row": self.track(series.track), "at": at, "name": series.series, "value": value}
        if kind == "sample":
            at, name = int(trace.stack_samples.time_ns[item.id]), trace.strings[int(trace.stack_samples.name[item.id])]
            return {"kind": kind, "row": self.track(sample_track(trace, item.id)), "at": at, "name": name}
        table = trace.slices if kind == "slice" else trace.instants
        times = trace.slices.start_ns if kind == "slice" else trace.instants.time_ns
        length = {"length": int(trace.slices.dur_ns[item.id])} if kind == "slice" else {}
        name = trace.strings[int(table.name[item.id])]
        return {"kind": kind, "row": self.track(int(table.track[item.id])), "at": int(times[item.id]), "name": name, **length}

    def _flow_texts(self, flow: int) -> dict[str, str]:
        strings, flows = self.trace.strings, self.trace.flows
        return {"name": strings[int(flows.name[flow])], "id": strings[int(flows.id[flow])]}

    def found_item(self, described: dict[str, Any] | None) -> Item | None:
        if described is None:
            return None
        if described["kind"] == "flow":
            return self._found_flow(described)
        tracks = self.tracks([described["row"]])
        if not tracks:
            return None
        if described["kind"] == "track":
            return Item("track", tracks[0])
        kinds: tuple[PlacedKind, ...] = ("counter", "sample", "slice", "instant")
        kind = next(known for known in kinds if known in (described["kind"], "instant"))
        look = {"slice": self._slices_at, "instant": self._instants_at, "counter": self._samples_at, "sample": self._stacks_at}[kind]
        # Of several there the one that is like it in all that is told, else the first.
        alike = [(place, more) for place, name, more in look(tracks[0], int(described["at"])) if name == described["name"]]
        exact = (place for place, more in alike if more is not None and more == described.get("length", described.get("value")))
        place = next(exact, alike[0][0] if alike else None)
        if place is not None:
            return Item(kind, place)
        self.missing.append(f"{kind} {described['name']}")
        return None

    def _found_flow(self, described: dict[str, Any]) -> Item | None:
        source, target = self.found_item(described["from"]), self.found_item(described["to"])
        if source is None or target is None:
            return None
        flows = self.trace.flows
        there = ((flows.from_slice == source.id) & (flows.to_slice == target.id)).nonzero()[0].tolist()
        texts = {"name": described["name"], "id": described["id"]}
        place = next((place for place in there if self._flow_texts(place) == texts), there[0] if there else None)
        if place is None:
            self.missing.append(f"arrow from {described['from']['name']} to {described['to']['name']}")
            return None
        return Item("flow", place)

    # Of what is on a row at a time: place, name, and what else tells it from others there.

    def _slices_at(self, track: int, at: int) -> Iterator[Placed]:
        """Each lane is in the order of time."""
        trace = self.trace
        for lane in range(int(trace.track_lanes[track]), int(trace.track_lanes[track + 1])):
            first, end = (int(place) for place in trace.lanes.offsets[lane : lane + 2])
            for place in _at(trace.slices.start_ns[first:end], at, first):
                yield place, trace.name(place), int(trace.slices.dur_ns[place])

    def _instants_at(self, track: int, at: int) -> Iterator[Placed]:
        instants = self.trace.instants
        for place in ((instants.track == track) & (instants.time_ns == at)).nonzero()[0].tolist():
            yield place, self.trace.strings[int(instants.name[place])], None

    def _samples_at(self, track: int, at: int) -> Iterator[Placed]:
        counters = self.trace.counters
        for series in (series for series in self.trace.series if series.track == track):
            first, end = (int(place) for place in counters.offsets[series.id : series.id + 2])
            for place in _at(counters.time_ns[first:end], at, first):
                yield place, series.series, float(counters.value[place])

    def _stacks_at(self, track: int, at: int) -> Iterator[Placed]:
        samples, (order, offsets) = self.trace.stack_samples, self.trace.samples_by_track
        for place in order[offsets[track] : offsets[track + 1]].tolist():
            if samples.time_ns[place] == at:
                yield place, self.trace.strings[int(samples.name[place])], None


def _at(times: I8, at: int, first: int) -> range:
    """Where a sorted column has that time, counted from ``first``."""
    return range(first + int(times.searchsorted(at)), first + int(times.searchsorted(at, side="right")))
