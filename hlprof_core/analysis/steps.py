"""What one step of the program is, and how its time divides: sessions, iteration marks, repeated launches, or the whole trace."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hlprof_core.analysis.argument import first_value, read_args
from hlprof_core.analysis.base import register
from hlprof_core.analysis.extent import slice_extent, whole_extent
from hlprof_core.analysis.intervals import NOTHING, Intervals, clip, difference, intersection, merge, of_range, union
from hlprof_core.analysis.memo import per_trace
from hlprof_core.analysis.result import Result
from hlprof_core.analysis.role import PARTS, Role, device_slices, host_collectives, is_iteration_mark, slice_roles, used_texts
from hlprof_core.trace.model import Trace
from hlprof_core.trace.ranges import TimeRange
from hlprof_core.trace.table import I8

SESSION_CATEGORY = "profiler_session"
_LAUNCH = re.compile(r"(synLaunch|enqueueWithExternalEvents)\w*")
_HANDLE = re.compile(r"recipeHandle\s+(0x[0-9a-fA-F]+)")
RECIPE_KEYS = ("Recipe name", "recipeName", "recipeHandle", "recipeId", "Recipe ID")
COLUMNS = ("index", "name", "start_ns", "dur_ns", "split_ns")


@dataclass(frozen=True, slots=True)
class Step:
    name: str
    span: TimeRange


@dataclass(frozen=True, slots=True)
class Steps:
    """``source``: session, mark, launch or trace; says what the steps were found by."""

    source: str
    steps: tuple[Step, ...]


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
    is_session = np.zeros(len(trace.strings), np.bool_)
    for index in np.flatnonzero(used_texts(trace.slices.cat, len(trace.strings))).tolist():
        is_session[index] = trace.strings[index] == SESSION_CATEGORY
    return _steps_of(trace, np.flatnonzero(is_session[trace.slices.cat]))


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
    """From one launch of the most often launched recipe to the next; the last one lasts until the end of the trace."""
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
    starts = [int(trace.slices.start_ns[i]) for i in rows.tolist() if recipe[i] == leader]
    ends = [*starts[1:], max(int(whole_extent(trace).end_ns.max()), starts[-1])]
    label = leader or "launch"
    return [Step(f"{label} #{n}", TimeRange(a, b)) for n, (a, b) in enumerate(zip(starts, ends, strict=True))]


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
    result = []
    for step in steps:
        stretch = of_range(step.span)
        parts = {name: intersection(busy, stretch).length_ns for name, busy in exclusive.items()}
        total = step.span.length_ns
        result.append({**parts, "other": total - sum(parts.values()), "total": total})
    return result


@register("steps", "Steps")
def steps(trace: Trace, within: TimeRange | None = None) -> Result:
    """The steps of the program and how the time of each divides."""
    found = find_steps(trace)
    chosen = found.steps if within is None else tuple(s for s in found.steps if s.span.overlaps(within))
    rows: list[dict[str, Any]] = []
    for index, (step, split) in enumerate(zip(chosen, split_steps(trace, chosen), strict=True)):
        rows.append(
            {"index": index, "name": step.name, "start_ns": step.span.start_ns, "dur_ns": step.span.length_ns, "split_ns": split}
        )
    return Result("steps", "Steps", COLUMNS, rows, {"source": found.source, "count": len(rows)})
