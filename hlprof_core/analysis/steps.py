"""What one step of the program is, and how its time divides: sessions, iteration marks, repeated launches, or the whole trace."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

import numpy as np
from msgspec import Struct

from hlprof_core.analysis.activity import device_activity
from hlprof_core.analysis.argument import first_value, read_args
from hlprof_core.analysis.base import register
from hlprof_core.analysis.extent import slice_extent, whole_extent
from hlprof_core.analysis.intervals import NOTHING, Intervals, clip, covered_within, difference, merge, of_range, union
from hlprof_core.analysis.launch import enclosing
from hlprof_core.analysis.memo import per_trace
from hlprof_core.analysis.result import Result
from hlprof_core.analysis.role import (
    PARTS,
    Role,
    device_slices,
    host_collectives,
    is_iteration_mark,
    session_slices,
    slice_roles,
    used_texts,
)
from hlprof_core.trace.model import Trace
from hlprof_core.trace.ranges import TimeRange
from hlprof_core.trace.table import I8

_LAUNCH = re.compile(r"(synLaunch|enqueueWithExternalEvents)\w*")
_HANDLE = re.compile(r"recipeHandle\s+(0x[0-9a-fA-F]+)")
RECIPE_KEYS = ("Recipe name", "recipeName", "graph name", "recipeHandle", "recipeId", "Recipe ID")
COLUMNS = ("index", "name", "start_ns", "dur_ns", "split_ns", "busy_ns")


class Step(Struct, frozen=True):
    name: str
    span: TimeRange


class Steps(Struct, frozen=True):
    """``source``: session, mark, launch or trace; says what the steps were found by."""

    source: str
    steps: tuple[Step, ...]


def marked_steps(trace: Trace) -> tuple[Step, ...]:
    """The steps that the trace marks in some way; none where all of it would be one."""
    found = find_steps(trace)
    return () if found.source == "trace" else found.steps


@per_trace
def find_steps(trace: Trace) -> Steps:
    """The steps of a trace, in time order; a trace without any sign of them is one step."""
    if not len(trace.slices):
        return Steps("trace", ())
    for source, find in (("session", _sessions), ("mark", _marks), ("launch", _launches)):
        if steps := find(trace):
            return Steps(source, tuple(sorted(steps, key=lambda s: s.span)))
    span = whole_extent(trace)
    return Steps("trace", (Step("whole trace", TimeRange(int(span.start_ns.min()), int(span.end_ns.max()))),))


@per_trace
def recorded_time(trace: Trace) -> Intervals:
    """When the recorder was on: the sessions of the program where it had any, else first to last event.

    Between two sessions nothing is known; that time is no idle time.
    """
    found = find_steps(trace)
    if found.source == "session":
        return union(*(of_range(step.span) for step in found.steps))
    return of_range(trace.span)


def recorded_ns(trace: Trace, within: TimeRange | None = None) -> int:
    """How long the recorder was on, ``within`` a stretch of time."""
    recorded = recorded_time(trace)
    return (recorded if within is None else clip(recorded, within)).length_ns


def _steps_of(trace: Trace, rows: I8) -> list[Step]:
    extent = whole_extent(trace)
    return [Step(trace.name(i), TimeRange(int(extent.start_ns[i]), int(extent.end_ns[i]))) for i in rows.tolist()]


def _sessions(trace: Trace) -> list[Step]:
    """Recording sessions that the program opened itself."""
    return _steps_of(trace, np.flatnonzero(session_slices(trace)))


def _marks(trace: Trace) -> list[Step]:
    """Slices such as ``ProfilerStep#7`` on host rows; of each process the row that has most of them."""
    is_mark = np.zeros(len(trace.strings), np.bool_)
    for index in np.flatnonzero(used_texts(trace.slices.name, len(trace.strings))).tolist():
        is_mark[index] = is_iteration_mark(trace.strings[index])
    rows = np.flatnonzero(is_mark[trace.slices.name] & ~device_slices(trace))
    rows = rows[[not trace.strings[int(c)].lower().startswith("gpu_") for c in trace.slices.cat[rows]]] if len(rows) else rows
    per_process: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for i in rows.tolist():
        track = int(trace.slices.track[i])
        per_process[trace.tracks[track].process][track].append(i)
    chosen = [max(tracks.values(), key=len) for tracks in per_process.values()]
    return _steps_of(trace, np.array([i for some in chosen for i in some], np.int64))


def _launches(trace: Trace) -> list[Step]:
    """From one launch of the most often launched recipe to the next, on the device where arrows lead there.

    The host launches ahead, so its own launch times say little about the iterations of the device.
    """
    is_launch = np.zeros(len(trace.strings), np.bool_)
    for index in np.flatnonzero(used_texts(trace.slices.name, len(trace.strings))).tolist():
        is_launch[index] = _LAUNCH.match(trace.strings[index]) is not None
    rows = np.flatnonzero(is_launch[trace.slices.name] & ~device_slices(trace))
    outer = trace.slices.parent[rows]
    rows = rows[(outer < 0) | ~is_launch[trace.slices.name[np.maximum(outer, 0)]]]
    rows = rows[np.argsort(trace.slices.start_ns[rows], kind="stable")]
    if len(rows) < 2:
        return []
    recipe = {i: handle[1] if (handle := _HANDLE.search(trace.name(i))) else "" for i in rows.tolist()}
    for i, args in read_args(trace, rows):
        recipe[i] = first_value(args, *RECIPE_KEYS) or recipe[i]
    # Of several recipes launched equally often the one launched first begins the step.
    leader, count = Counter(recipe[i] for i in rows.tolist()).most_common(1)[0]
    if count < 2:
        return []
    chosen = np.array([i for i in rows.tolist() if recipe[i] == leader], np.int64)
    first_work = _first_work(trace, chosen)
    end_ns = whole_extent(trace).end_ns
    if (first_work >= 0).all():
        starts = sorted(trace.slices.start_ns[first_work].tolist())
        end = int(end_ns[device_slices(trace)].max())
    else:
        starts = trace.slices.start_ns[chosen].tolist()
        end = int(end_ns.max())
    ends = [*starts[1:], max(end, starts[-1])]
    label = leader or "launch"
    return [Step(f"{label} #{n}", TimeRange(a, b)) for n, (a, b) in enumerate(zip(starts, ends, strict=True), 1)]


def _first_work(trace: Trace, launches: I8) -> I8:
    """For each launch the earliest device work that an arrow from it, or from a call inside it, leads to; -1 without one."""
    first = np.full(len(launches), -1, np.int64)
    if not len(trace.flows):
        return first
    is_launch = np.zeros(len(trace.slices), np.bool_)
    is_launch[launches] = True
    arrows = np.flatnonzero(device_slices(trace)[trace.flows.to_slice])
    source = enclosing(trace, trace.flows.from_slice[arrows].astype(np.int64), is_launch)
    arrows, source = arrows[source >= 0], source[source >= 0]
    target = trace.flows.to_slice[arrows].astype(np.int64)
    place = np.searchsorted(launches, source, sorter=np.argsort(launches))
    place = np.argsort(launches)[place]
    latest_first = np.argsort(-trace.slices.start_ns[target], kind="stable")
    first[place[latest_first]] = target[latest_first]
    return first


def part_activity(trace: Trace, within: TimeRange | None = None) -> Mapping[str, Intervals]:
    """When each kind of work was going on anywhere: kernel, memcpy, memset, communication, runtime, dataloader, cpu_op."""
    extent = slice_extent(trace, within)
    roles = slice_roles(trace).copy()
    roles[host_collectives(trace)] = Role.COMMUNICATION
    result = {}
    for role, name in PARTS:
        rows = np.flatnonzero((roles == role) & extent.is_inside)
        result[name] = merge(extent.start_ns[rows], extent.end_ns[rows])
    return result


def split_steps(trace: Trace, steps: tuple[Step, ...], within: TimeRange | None = None) -> list[dict[str, int]]:
    """For each step the time of each part where no earlier part is active, the rest as ``other``, and ``total``; in ns."""
    exclusive: dict[str, Intervals] = {}
    taken = NOTHING
    for name, busy in part_activity(trace, within).items():
        exclusive[name] = difference(busy, taken)
        taken = union(taken, busy)
    return [
        {**parts, "other": step.span.length_ns - sum(parts.values()), "total": step.span.length_ns}
        for step, parts in zip(steps, _cover(steps, exclusive), strict=True)
    ]


def _cover(steps: tuple[Step, ...], sets: Mapping[str, Intervals]) -> list[dict[str, int]]:
    """For each step the time that each set covers in it."""
    start = np.array([step.span.start_ns for step in steps], np.int64)
    end = np.array([step.span.end_ns for step in steps], np.int64)
    columns = {name: covered_within(busy, start, end).tolist() for name, busy in sets.items()}
    return [{name: column[i] for name, column in columns.items()} for i in range(len(steps))]


@register("steps", "Steps")
def steps(trace: Trace, within: TimeRange | None = None) -> Result:
    """The steps of the program and how the time of each divides; ``busy_ns`` has each engine class, and the device as a whole."""
    found = find_steps(trace)
    chosen = found.steps if within is None else tuple(s for s in found.steps if s.span.overlaps(within))
    activity = device_activity(trace)
    sets = dict(activity.device_engines)
    if activity.has_device:
        sets["device"] = activity.busy
    rows: list[dict[str, Any]] = []
    for index, (step, split, busy) in enumerate(zip(chosen, split_steps(trace, chosen), _cover(chosen, sets), strict=True)):
        times = {"start_ns": step.span.start_ns, "dur_ns": step.span.length_ns}
        rows.append({"index": index, "name": step.name, **times, "split_ns": split, "busy_ns": busy})
    return Result("steps", "Steps", COLUMNS, rows, {"source": found.source, "count": len(rows)})
