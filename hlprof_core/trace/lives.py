"""Objects that a program tells about: created (N), seen (O), deleted (D). What belongs to one life is found by process, id and name."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct, field

from hlprof_core.diagnostics import DiagnosticLog
from hlprof_core.trace.owners import Id
from hlprof_core.trace.table import NO_END, Objects

CREATED, SEEN, DELETED = "N", "O", "D"


class _Life(Struct):
    id: int
    name: int
    pid: int
    start_ns: int
    end_ns: int = NO_END
    snapshots: list[tuple[int, int, int]] = field(default_factory=list)
    """Time, offset and length of the arguments."""


class Lives:
    """Fed with events in file order; they are put in order of time before begin meets end."""

    def __init__(self, intern: Callable[[str], int]) -> None:
        self._intern = intern
        self._events: list[tuple[int, str, Id, str, str, bool, tuple[int, int]]] = []
        self.id_suffix = ""
        """Behind each id, where a trace is made of several files: objects of two files are never one."""

    def add(
        self, phase: str, pid: Id, object_id: str, name: str, time_ns: int, *, shared: bool = False, args: tuple[int, int] = (0, 0)
    ) -> None:
        """``phase``: N created, O snapshot, D deleted. ``shared``: the id is one for all processes. ``args``: offset and length."""
        self._events.append((time_ns, phase, pid, object_id + self.id_suffix, name, shared, args))

    def finish(self, log: DiagnosticLog) -> Objects:
        """The table; a snapshot of what was never created begins a life, a second creation ends the first one."""
        lives: list[_Life] = []
        open_lives: dict[tuple[Id | None, str, str], _Life] = {}
        stray = again = 0
        for time_ns, phase, pid, object_id, name, shared, args in sorted(self._events, key=lambda event: event[0]):
            key = (None if shared else pid, object_id, name)
            life = open_lives.get(key)
            if phase == DELETED:
                if life is None:
                    stray += 1
                else:
                    open_lives.pop(key).end_ns = time_ns
                continue
            if life is None or phase == CREATED:
                if life is not None:
                    life.end_ns = time_ns
                    again += 1
                life = open_lives[key] = _Life(self._intern(object_id), self._intern(name), self._intern(str(pid)), time_ns)
                lives.append(life)
            if phase == SEEN:
                life.snapshots.append((time_ns, *args))
        self._events = []
        log.add("layout.stray_delete", "notice", "Objects that are deleted, but were never there.", count=stray)
        log.add("layout.created_again", "notice", "Objects that are created anew while they live: the former life ends there.", count=again)
        return _table(lives)


def _table(lives: list[_Life]) -> Objects:
    offsets = np.zeros(len(lives) + 1, np.int64)
    np.cumsum([len(life.snapshots) for life in lives], out=offsets[1:])
    return Objects(
        np.array([life.id for life in lives], np.uint32),
        np.array([life.name for life in lives], np.uint32),
        np.array([life.pid for life in lives], np.uint32),
        np.array([life.start_ns for life in lives], np.int64),
        np.array([life.end_ns for life in lives], np.int64),
        offsets,
        np.array([time for life in lives for time, _, _ in life.snapshots], np.int64),
        np.array([offset for life in lives for _, offset, _ in life.snapshots], np.uint64),
        np.array([length for life in lives for _, _, length in life.snapshots], np.uint32),
    )
