"""Who events belong to, while a trace is built: processes and rows by their literal ids, with what was declared about them."""

from __future__ import annotations

from msgspec import Struct, field

Id = str | int
"""A pid or tid as the file has it: opaque, 1 is not "1"."""


class OpenProcess(Struct):
    """A process that was declared or seen; the last name in the file wins."""

    pid: Id
    name: str | None = None
    labels: list[str] = field(default_factory=list)
    sort_index: int = 0
    member: int = 0
    """Number of the file it comes from, where a trace is made of several."""
    rank: int = -1


class OpenRow(Struct):
    """One (pid, tid); ``process`` is a number of ``Owners.processes``."""

    process: int
    tid: Id
    name: str | None = None
    sort_index: int = 0
    is_declared: bool = False


class Owners:
    """Numbers processes and rows in order of appearance."""

    def __init__(self) -> None:
        self.processes: list[OpenProcess] = []
        self.rows: list[OpenRow] = []
        self._process_of: dict[Id, int] = {}
        self._row_of: dict[tuple[Id, Id], int] = {}
        self._member, self._label, self._rank = 0, "", -1

    def begin_member(self, label: str, rank: int) -> None:
        """What follows comes from another file: its ids are its own. Its processes get the label, and the rank where it is known."""
        self._process_of, self._row_of = {}, {}
        self._member, self._label, self._rank = self._member + 1, label, rank

    def process(self, pid: Id) -> int:
        number = self._process_of.get(pid)
        if number is None:
            number = self._process_of[pid] = len(self.processes)
            labels = [self._label] if self._label else []
            self.processes.append(OpenProcess(pid, labels=labels, member=self._member, rank=self._rank))
        return number

    def row(self, pid: Id, tid: Id) -> int:
        number = self._row_of.get((pid, tid))
        if number is None:
            number = self._row_of[pid, tid] = len(self.rows)
            self.rows.append(OpenRow(self.process(pid), tid))
        return number

    def only_processes(self) -> dict[Id, Id]:
        """For each tid of this file that only one of its processes has, that process."""
        found: dict[Id, set[Id]] = {}
        for pid, tid in self._row_of:
            found.setdefault(tid, set()).add(pid)
        return {tid: next(iter(pids)) for tid, pids in found.items() if len(pids) == 1}

    def declare_process(self, pid: Id, name: str | None, labels: tuple[str, ...], sort_index: int | None) -> None:
        entry = self.processes[self.process(pid)]
        if name is not None:
            entry.name = name
        if labels:
            entry.labels = list(dict.fromkeys([*entry.labels, *labels]))
        if sort_index is not None:
            entry.sort_index = sort_index

    def declare_thread(self, pid: Id, tid: Id, name: str | None, sort_index: int | None) -> None:
        entry = self.rows[self.row(pid, tid)]
        entry.is_declared = True
        if name is not None:
            entry.name = name
        if sort_index is not None:
            entry.sort_index = sort_index
