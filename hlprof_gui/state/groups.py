"""What rows are grouped by, and what its groups are called: processes, engine classes, ranks. Derived from the trace; knows no Qt.

Groups of all ways have numbers of their own in one range, processes first, so that folded groups and orders of different ways never mix.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cached_property
from operator import attrgetter
from typing import Literal

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from hlprof_core.analysis.memo import per_trace
from hlprof_core.trace.engines import CLASSES
from hlprof_core.trace.model import Trace
from hlprof_core.trace.table import I1, I8, Lanes
from hlprof_core.trace.tracks import Process, Track

GroupBy = Literal["process", "engine", "rank"]
GROUP_WAYS: tuple[GroupBy, ...] = ("process", "engine", "rank")
ENGINES = (*CLASSES, "")
"""Engine classes in screen order; the last is that of rows of which the file tells none."""
ENGINE_TITLES = {"HOST": "Host", "OTHER": "Other engines", "": "No engine"}
OF_RANK, OF_PROCESS = 1, 2
"""What stands before a row's name so that it is the only one of its name in its group."""


def process_title(process: Process) -> str:
    """Name of a process as its header shows it."""
    return process.name or f"Process {process.pid}"


def track_title(track: Track) -> str:
    """Name of a track as its header shows it."""
    return track.name or (f"Thread {track.tid}" if track.kind == "thread" else f"{track.kind} {track.tid}")


class Columns(Struct, frozen=True, eq=False):
    """Of each track: its process, the place of its engine class, its rank (-1: none). ``ranks``: those there are, -1 last."""

    process: I8
    engine: I8
    rank: I8
    ranks: tuple[int, ...]
    has_outermost: npt.NDArray[np.bool_]
    """For each lane whether slices that lie in no other are on it: the first of a track, and where they overlap further ones too."""


class Groups(Struct, frozen=True, eq=False, dict=True):
    """``owner``: the group of each track. ``numbers``: groups of this way, in the order of the screen; ``total``: of all ways.

    It has parts of the trace, not the trace, which could not go away otherwise.
    """

    processes: tuple[Process, ...]
    models: tuple[Track, ...]
    lanes: Lanes
    columns: Columns
    by: GroupBy
    owner: I8
    numbers: range
    total: int

    def title(self, group: int) -> str:
        """What the header of a group says."""
        place = group - self.numbers.start
        if self.by == "process":
            return process_title(self.processes[place])
        if self.by == "engine":
            return ENGINE_TITLES.get(ENGINES[place], ENGINES[place])
        rank = self.columns.ranks[place]
        return f"Rank {rank}" if rank >= 0 else "No rank"

    def key(self, group: int) -> tuple[str, ...]:
        """What a group is called in a session: pid, name and labels of a process, ``engine:MME``, ``rank:3``."""
        place = group - self.numbers.start
        if self.by == "process":
            process = self.processes[place]
            return process.pid, process.name, *process.labels
        return (f"engine:{ENGINES[place]}",) if self.by == "engine" else (f"rank:{self.columns.ranks[place]}",)

    def tracks(self, group: int) -> I8:
        """Tracks of a group, in the order of the file."""
        return np.flatnonzero(self.owner == group).astype(np.int64)

    @cached_property
    def used(self) -> I8:
        """Groups that have tracks, in the order of the screen."""
        return np.flatnonzero(np.bincount(self.owner, minlength=self.total)).astype(np.int64)

    def outermost_of(self, group: int) -> I8:
        """The outermost lanes of a group: their average is its activity."""
        lanes, edges = self.outermost
        return lanes[edges[group] : edges[group + 1]]

    @cached_property
    def outermost(self) -> tuple[I8, I8]:
        """Outermost lanes, group by group, and where those of each group begin."""
        top = np.flatnonzero(self.columns.has_outermost).astype(np.int64)
        owner = self.owner[self.lanes.track[top]]
        order = np.argsort(owner, kind="stable")
        return top[order], np.searchsorted(owner[order], np.arange(self.total + 1)).astype(np.int64)

    @cached_property
    def lead(self) -> I1:
        """For each track what its name needs before it (``OF_RANK`` | ``OF_PROCESS``): 0 where it is the only one of its name, and for
        processes, whose rows have the names that the file gave them."""
        tracks = self.models
        found = np.zeros(len(tracks), np.uint8)
        if self.by == "process" or not tracks:
            return found
        name = np.fromiter(map(hash, map(attrgetter("name"), tracks)), np.int64, len(tracks))
        for track in np.flatnonzero(name == hash("")).tolist():
            name[track] = hash(track_title(tracks[track]))
        columns = self.columns
        order = np.lexsort((columns.rank, name, self.owner))
        owner, name, rank, process = (column[order] for column in (self.owner, name, columns.rank, columns.process))
        alike = _starts((owner[1:] != owner[:-1]) | (name[1:] != name[:-1]))
        of_one_rank = _starts((owner[1:] != owner[:-1]) | (name[1:] != name[:-1]) | (rank[1:] != rank[:-1]))
        found[order] = OF_RANK * _varies(rank, alike) + OF_PROCESS * _varies(process, of_one_rank)
        return found

    def track_title(self, track: int) -> str:
        """Name of a row in its group: ``rank 3 · TPC 0`` where several are called TPC 0."""
        model, lead = self.models[track], int(self.lead[track])
        parts = [f"rank {model.rank}" if model.rank >= 0 else "no rank"] if lead & OF_RANK else []
        title = track_title(model)
        if lead & OF_PROCESS:
            name, apart = process_title(self.processes[model.process]), self._apart(model.process)
            if apart:
                parts.append(apart)
            if not title.startswith(name):
                parts.append(name)
        return " · ".join((*parts, title))

    def _apart(self, process: int) -> str:
        """What tells a process from others of its name: its labels, else its pid; "" where it has the name alone."""
        model = self.processes[process]
        name, labels = process_title(model), ", ".join(model.labels)
        if self._named[name] < 2:
            return ""
        return labels if labels and self._named[name, model.labels] == 1 else f"pid {model.pid}"

    def apart(self, group: int) -> str:
        """What tells a group from others of its title; "" where it has the title alone."""
        return self._apart(group - self.numbers.start) if self.by == "process" else ""

    @cached_property
    def _named(self) -> Counter[object]:
        """How many processes have a title, and how many a title and labels."""
        titles = [process_title(process) for process in self.processes]
        return Counter(titles) + Counter((title, process.labels) for title, process in zip(titles, self.processes, strict=True))

    def pinned_title(self, track: int) -> str:
        """Name of a row that stands outside its group."""
        title = self.track_title(track)
        if self.by == "engine":
            place = process_title(self.processes[self.models[track].process])
            is_told = bool(self.lead[track])
        else:
            place, is_told = self.title(int(self.owner[track])), False
        whole = title if is_told or title.startswith(place) else f"{place} · {title}"
        apart = "" if is_told else self._apart(self.models[track].process) if self.by != "rank" else ""
        return f"{apart} · {whole}" if apart else whole

    def told_title(self, group: int) -> str:
        """What a group is called where its header does not stand beside: ``CPU · python``."""
        apart = self.apart(group)
        return f"{apart} · {self.title(group)}" if apart else self.title(group)


def groups_of(trace: Trace, by: GroupBy = "process") -> Groups:
    """The groups of one way, kept for the trace's life."""
    return _MADE[by](trace)


def prepare_groups(trace: Trace) -> None:
    """Make what a change of grouping would else wait for; it takes its time where there are very many rows."""
    for way in GROUP_WAYS:
        groups = groups_of(trace, way)
        _ = groups.lead, groups.outermost, groups.used


def groups_with(trace: Trace, group: int) -> Groups:
    """The groups of the way that a number belongs to."""
    processes = len(trace.processes)
    return groups_of(trace, "process" if group < processes else "engine" if group < processes + len(ENGINES) else "rank")


@per_trace
def _columns(trace: Trace) -> Columns:
    place = {engine: number for number, engine in enumerate(ENGINES)}
    count = len(trace.tracks)
    process = np.fromiter(map(attrgetter("process"), trace.tracks), np.int64, count)
    engine = np.fromiter((place.get(t.engine, len(CLASSES)) for t in trace.tracks), np.int64, count)
    rank = np.fromiter(map(attrgetter("rank"), trace.tracks), np.int64, count)
    known = sorted(set(rank.tolist()))
    ranks = (*(r for r in known if r >= 0), *(r for r in known if r < 0))
    return Columns(process, engine, rank, ranks, _with_outermost(trace))


def _with_outermost(trace: Trace) -> npt.NDArray[np.bool_]:
    starts, ends = trace.lanes.offsets[:-1], trace.lanes.offsets[1:]
    found = np.asarray(trace.lanes.depth == 0)
    used = starts < ends
    if used.any():
        found[used] |= np.logical_or.reduceat(trace.slices.parent < 0, starts[used])
    return found


def has_engines(trace: Trace) -> bool:
    """Whether the file tells the engine of some row."""
    return bool((_columns(trace).engine < len(CLASSES)).any())


def has_ranks(trace: Trace) -> bool:
    """Whether the file tells the rank of some row."""
    return any(rank >= 0 for rank in _columns(trace).ranks)


@per_trace
def _by_process(trace: Trace) -> Groups:
    return _make(trace, "process", 0, _columns(trace).process)


@per_trace
def _by_engine(trace: Trace) -> Groups:
    return _make(trace, "engine", len(trace.processes), _columns(trace).engine)


@per_trace
def _by_rank(trace: Trace) -> Groups:
    ranks = _columns(trace).ranks
    known = np.array(sorted(ranks), np.int64)
    place = np.array([ranks.index(rank) for rank in known.tolist()], np.int64)
    owner = place[np.searchsorted(known, _columns(trace).rank)] if ranks else np.empty(0, np.int64)
    return _make(trace, "rank", len(trace.processes) + len(ENGINES), owner)


_MADE: dict[GroupBy, Callable[[Trace], Groups]] = {"process": _by_process, "engine": _by_engine, "rank": _by_rank}


def _make(trace: Trace, by: GroupBy, first: int, place: I8) -> Groups:
    columns = _columns(trace)
    counts = {"process": len(trace.processes), "engine": len(ENGINES), "rank": len(columns.ranks)}
    numbers = range(first, first + counts[by])
    return Groups(trace.processes, trace.tracks, trace.lanes, columns, by, place + first, numbers, sum(counts.values()))


def _starts(is_other: npt.NDArray[np.bool_]) -> I8:
    """Where runs of equals begin; ``is_other``: whether each but the first differs from the one before."""
    return np.concatenate(([0], np.flatnonzero(is_other) + 1)).astype(np.int64)


def _varies(values: I8, starts: I8) -> npt.NDArray[np.bool_]:
    """For each value whether its run has different ones."""
    differs = np.maximum.reduceat(values, starts) != np.minimum.reduceat(values, starts)
    return np.asarray(np.repeat(differs, np.diff(np.concatenate((starts, [len(values)])))), np.bool_)
