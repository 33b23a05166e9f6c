"""What is known about the selected item: facts in reading order, then all arguments. Times are exact to the nanosecond."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from hlprof_core.errors import TraceError
from hlprof_core.trace.model import Trace
from hlprof_core.trace.table import I8, SCOPES, UNFINISHED
from hlprof_core.units import format_ns, format_ns_exact
from hlprof_gui.state.neighbours import children, flow_ends, self_ns
from hlprof_gui.state.view_state import Item, Measure, sample_track
from hlprof_gui.viewmodels.counter_tracks import known_counters
from hlprof_gui.viewmodels.flows import flow_ends_ns
from hlprof_gui.viewmodels.peers import Peers
from hlprof_gui.viewmodels.status import track_text
from hlprof_gui.viewmodels.tensors import Tensor, find_tensors

OPERATION_KEYS = ("op", "operation", "guid")
TYPE_KEYS = ("dtype", "data type", "datatype", "input type")
"""Argument keys, in lower case, that name the operation and the data type; the first found wins."""
MOST_LINKS = 4


class Fact(Struct, frozen=True):
    """One line: ``exact`` is the precise form beside a rounded ``value``; ``link`` what a click on it selects; ``note`` comes behind the
    value. Without a label it belongs to the line above."""

    label: str
    value: str
    exact: str = ""
    link: Item | None = None
    note: str = ""

    @property
    def told(self) -> str:
        """All of it, exactly."""
        return (self.exact or self.value) + self.note


class Details(Struct, frozen=True):
    """Everything the panel shows about one item."""

    title: str
    subtitle: str
    facts: tuple[Fact, ...]
    args: Mapping[str, Any] = field(default_factory=dict)
    item: Item | None = None
    peers: Peers | None = None
    duration_ns: int = 0
    tensors: tuple[Tensor, ...] = ()
    stack: tuple[str, ...] = ()
    """Names of the frames that were recorded with it, the outermost first."""
    end_stack: tuple[str, ...] = ()
    """The same where it ends, when the file tells another one."""
    trouble: TraceError | None = None
    """Why arguments could not be read."""

    def to_json(self) -> str:
        """Facts and arguments as JSON for the clipboard."""
        told: dict[str, list[str]] = {}
        for label, fact in labelled(self.facts):
            told.setdefault(label, []).append(fact.told)
        facts = {label: texts if len(texts) > 1 else texts[0] for label, texts in told.items()}
        stacks = {"stack": list(self.stack), "end_stack": list(self.end_stack)}
        frames = {name: names for name, names in stacks.items() if names}
        content = {"name": self.title, "where": self.subtitle, **facts, "args": dict(self.args), **frames}
        return json.dumps(content, indent=2, ensure_ascii=False, default=str)


def labelled(facts: Iterable[Fact]) -> Iterator[tuple[str, Fact]]:
    """Each fact with the label it belongs to."""
    label = ""
    for fact in facts:
        label = fact.label or label
        yield label, fact


def find_argument(args: Mapping[str, Any], keys: Iterable[str]) -> str:
    """The first of these arguments that has a value, as text; "" when there is none."""
    lowered = {str(key).lower(): value for key, value in args.items()}
    for key in keys:
        value = lowered.get(key)
        if isinstance(value, list):
            value = ", ".join(str(v) for v in dict.fromkeys(map(str, value)) if v)
        if value not in (None, "", {}):
            return str(value)
    return ""


def describe(trace: Trace, item: Item, peers: Peers | None = None) -> Details:
    """Details of any item of the timeline; ``peers`` of a slice from ``peers.find_peers``, which looks at the whole trace."""
    try:
        args = _arguments(trace, item)
    except TraceError as trouble:
        details = _describe(trace, item, peers, {})
        return replace(details, facts=(*details.facts, Fact("Arguments", f"{trouble.message} {trouble.hint}")), trouble=trouble)
    return _describe(trace, item, peers, args)


def _arguments(trace: Trace, item: Item) -> dict[str, Any]:
    if item.kind == "slice":
        return trace.args(item.id)
    if item.kind == "instant":
        return trace.instant_args(item.id)
    return trace.sample_args(item.id) if item.kind == "sample" else {}


def _describe(trace: Trace, item: Item, peers: Peers | None, args: dict[str, Any]) -> Details:
    if item.kind == "slice":
        return _slice(trace, item, peers, args)
    if item.kind == "instant":
        return _instant(trace, item, args)
    if item.kind == "flow":
        return _flow(trace, item)
    if item.kind == "sample":
        return _sample(trace, item, args)
    return _counter(trace, item) if item.kind == "counter" else _track(trace, item)


def time_facts(trace: Trace, time_ns: int, label: str = "Start") -> list[Fact]:
    """A point in time: since the first event, on the file's clock, and by the wall clock where the file states one."""
    relative = time_ns - trace.span.start_ns
    facts = [Fact(label, format_ns(relative, digits=7), format_ns_exact(relative)), Fact("File clock", format_ns_exact(time_ns))]
    if trace.origin.base_ns is not None:
        wall = trace.origin.base_ns + time_ns
        second, rest = divmod(wall, 1_000_000_000)
        try:
            stamp = datetime.fromtimestamp(second, UTC)
        except (OverflowError, ValueError, OSError):
            return facts  # a base outside the calendar: the file clock says all there is
        facts.append(Fact("Wall clock", f"{stamp:%Y-%m-%d %H:%M:%S}.{rest:09d} UTC"))
    return facts


def _slice(trace: Trace, item: Item, peers: Peers | None, args: dict[str, Any]) -> Details:
    s, i = trace.slices, item.id
    start, length = int(s.start_ns[i]), int(s.dur_ns[i])
    track = trace.tracks[int(s.track[i])]
    facts = [
        Fact("Operation", find_argument(args, OPERATION_KEYS)),
        Fact("Data type", find_argument(args, TYPE_KEYS)),
        Fact("Engine", track.engine),
        Fact("Category", trace.strings[int(s.cat[i])]),
        *time_facts(trace, start),
        Fact("Duration", format_ns(length, digits=7), format_ns_exact(length)),
    ]
    if peers is not None:
        facts.append(Fact("Among its kind", f"longer than {100 * peers.shorter / peers.count:.0f} % of {peers.count:,}"))
        spread = f"median {format_ns(peers.median_ns)} · 95 % below {format_ns(peers.p95_ns)} · most {format_ns(peers.most_ns)}"
        facts.append(Fact("Durations", spread))
        if peers.period_ns is not None:
            facts.append(Fact("Repeats", f"every {format_ns(peers.period_ns)} · {peers.row_count:,} times on this row"))
    inside = children(trace, i)
    inner = len(inside)
    if inner:
        own = self_ns(trace, i)
        share = f" · {100 * own / length:.1f} %" if length else ""
        facts.append(Fact("Self time", format_ns(own, digits=7), format_ns_exact(own), note=share))
        facts += _links(trace, "Inside", inside)
    else:
        facts.append(Fact("Self time", format_ns(length, digits=7), format_ns_exact(length)))
    if int(s.parent[i]) >= 0:
        facts.append(Fact("Inside of", trace.name(int(s.parent[i])), link=Item("slice", int(s.parent[i]))))
    facts += _links(trace, "Set off by", flow_ends(trace, i, -1))
    facts += _links(trace, "Sets off", flow_ends(trace, i, 1))
    facts.append(Fact("Depth", str(int(s.depth[i])) if int(s.depth[i]) else ""))
    if int(s.flags[i]) & UNFINISHED:
        facts.append(Fact("End", "not recorded: drawn to the end of its parent or of the trace"))
    begin, end = trace.slice_frames(i)
    stacks = tuple(trace.stack(begin)), tuple(trace.stack(end)) if end != begin else ()
    return Details(
        trace.name(i) or "(no name)", track_text(trace, track), _filled(facts), args, item, peers, length, find_tensors(args), *stacks
    )


def _links(trace: Trace, label: str, slices: I8) -> list[Fact]:
    """The first of these slices as links, and how many more there are."""
    shown = slices[np.argsort(trace.slices.start_ns[slices], kind="stable")][:MOST_LINKS].tolist()
    facts = [
        Fact(label if place == 0 else "", trace.name(s) or "(no name)", link=Item("slice", s)) for place, s in enumerate(shown)
    ]
    rest = len(slices) - len(shown)
    return [*facts, Fact("", f"and {rest:,} more")] if rest else facts


def _instant(trace: Trace, item: Item, args: dict[str, Any]) -> Details:
    table, i = trace.instants, item.id
    facts = [
        Fact("Operation", find_argument(args, OPERATION_KEYS)),
        Fact("Data type", find_argument(args, TYPE_KEYS)),
        Fact("Row", track_text(trace, trace.tracks[int(table.track[i])])),
        Fact("Category", trace.strings[int(table.cat[i])]),
        *time_facts(trace, int(table.time_ns[i]), "Time"),
        Fact("Scope", SCOPES[int(table.scope[i])]),
    ]
    return Details(trace.strings[int(table.name[i])] or "(no name)", "Instant", _filled(facts), args, item)


def _counter(trace: Trace, item: Item) -> Details:
    table, i = trace.counters, item.id
    series = trace.series[int(np.searchsorted(table.offsets, i, side="right")) - 1]
    values = table.value[int(table.offsets[series.id]) : int(table.offsets[series.id + 1])]
    facts = [
        Fact("Value", f"{float(table.value[i]):,.12g}"),
        Fact("Series", series.series),
        Fact("Row", track_text(trace, trace.tracks[series.track])),
        *time_facts(trace, int(table.time_ns[i]), "Time"),
        Fact("Samples", f"{len(values):,}"),
        Fact("Least", f"{float(np.nanmin(values)):,.12g}" if np.isfinite(values).any() else ""),
        Fact("Most", f"{float(np.nanmax(values)):,.12g}" if np.isfinite(values).any() else ""),
    ]
    return Details(series.name, "Counter", _filled(facts), {}, item)


def _flow(trace: Trace, item: Item) -> Details:
    table, i, s = trace.flows, item.id, trace.slices
    source, target = int(table.from_slice[i]), int(table.to_slice[i])
    leave, arrive = flow_ends_ns(trace, i)
    apart = int(s.start_ns[target]) - int(s.start_ns[source])
    facts = [
        Fact("From", trace.name(source) or "(no name)", link=Item("slice", source)),
        Fact("", track_text(trace, trace.tracks[int(s.track[source])])),
        Fact("To", trace.name(target) or "(no name)", link=Item("slice", target)),
        Fact("", track_text(trace, trace.tracks[int(s.track[target])])),
        *time_facts(trace, leave, "Leaves"),
        Fact("Arrives after", format_ns(arrive - leave, digits=7), format_ns_exact(arrive - leave)),
        Fact("Start to start", format_ns(apart, digits=7), format_ns_exact(apart)),
        Fact("Category", trace.strings[int(table.cat[i])]),
        Fact("Flow id", trace.strings[int(table.id[i])]),
    ]
    return Details(trace.strings[int(table.name[i])] or "Arrow", "Flow", _filled(facts), {}, item)


def _sample(trace: Trace, item: Item, args: dict[str, Any]) -> Details:
    table, i = trace.stack_samples, item.id
    stack = tuple(trace.stack(int(table.frame[i])))
    facts = [
        Fact("In", stack[-1] if stack else ""),
        Fact("Row", track_text(trace, trace.tracks[sample_track(trace, i)])),
        *time_facts(trace, int(table.time_ns[i]), "Time"),
        Fact("Weight", f"{float(table.weight[i]):,.12g}"),
        Fact("Stack", "" if stack else "not recorded"),
    ]
    name = trace.strings[int(table.name[i])] or "Sample"
    return Details(name, "Sample of a profiler", _filled(facts), args, item, stack=stack)


def _track(trace: Trace, item: Item) -> Details:
    track = trace.tracks[item.id]
    lanes = slice(int(trace.track_lanes[track.id]), int(trace.track_lanes[track.id + 1]))
    first, last = int(trace.lanes.offsets[lanes.start]), int(trace.lanes.offsets[lanes.stop])
    marks = int(np.count_nonzero(trace.instants.track == track.id))
    counters = known_counters(trace).of(trace, track.id)
    samples = sum(len(values) for values in counters.values)
    facts = [
        Fact("Process", trace.processes[track.process].name),
        Fact("pid, tid" if track.tid else "pid", f"{track.pid}, {track.tid}" if track.tid else track.pid),
        Fact("Kind", track.kind),
        Fact("Engine", track.engine),
        Fact("Rank", str(track.rank) if track.rank >= 0 else ""),
        Fact("Slices", f"{last - first:,}" if last > first or not (marks or samples) else ""),
        Fact("Instants", f"{marks:,}" if marks else ""),
        Fact("Series", ", ".join(counters.names)),
        Fact("Samples", f"{samples:,}" if samples else ""),
    ]
    return Details(track.name or f"Thread {track.tid}", "Row", _filled(facts), {}, item)


def _filled(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    return tuple(fact for fact in facts if fact.value)


def measure_text(trace: Trace, measure: Measure) -> str:
    """A measure in one line, exact to the nanosecond, plain digits for a table elsewhere."""
    first, second = sorted(edge.time_ns - trace.span.start_ns for edge in (measure.first, measure.second))
    return f"{measure.length_ns} ns ({format_ns(measure.length_ns, digits=7)}) from {first} ns to {second} ns after the first event"


def describe_measure(trace: Trace, measure: Measure) -> Details:
    """A measured distance between two edges."""

    def edge(item: Item | None) -> str:
        return f" · edge of {trace.name(item.id)}" if item is not None and item.kind == "slice" else ""

    first, second = measure.first.time_ns - trace.span.start_ns, measure.second.time_ns - trace.span.start_ns
    facts = (
        Fact("Length", format_ns(measure.length_ns, digits=7), format_ns_exact(measure.length_ns)),
        Fact("From", format_ns(first, digits=7), format_ns_exact(first), note=edge(measure.first.item)),
        Fact("To", format_ns(second, digits=7), format_ns_exact(second), note=edge(measure.second.item)),
    )
    return Details("Measure", "Distance in time", facts)
