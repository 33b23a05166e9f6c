"""The order of the screen: the one place that decides which process and which track comes first.

Processes: file by file, where a trace is made of several; then by declared sort index (0 where none is declared). With equal index, in the
trace of an accelerator profiler (some process is named after an engine), DMA, MME, TPC, NIC, host, others; else in order of appearance.
Tracks of a process: threads, then asynchronous work, then counters. Threads by sort index; then the main thread (tid = pid); then
engines by class and by name with numbers as numbers (TPC 2 before TPC 10); then the rest by tid, numbers first.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from msgspec import Struct

from hlprof_core.trace.asynchronous import AsyncTrack
from hlprof_core.trace.engines import ACCELERATOR, CLASSES, class_of_name, engine_class
from hlprof_core.trace.owners import OpenProcess, Owners
from hlprof_core.trace.producers import engine_of_row, recognise
from hlprof_core.trace.series import CounterTrack
from hlprof_core.trace.table import I8
from hlprof_core.trace.tracks import Process, Track, TrackKind

_DIGITS = re.compile(r"(\d+)")


class Screen(Struct):
    """Finished owners; the arrays give the track id of each builder row, async track and counter track (-1: not on the screen)."""

    processes: tuple[Process, ...]
    tracks: tuple[Track, ...]
    track_of_row: I8
    track_of_async: I8
    track_of_counter: I8


class _Candidate(Struct):
    process: int
    kind: TrackKind
    source: int
    name: str
    pid: str
    tid: str
    engine: str
    sort_index: int
    key: tuple[object, ...]


def natural_key(text: str) -> tuple[tuple[int, int, str], ...]:
    """Sorts TPC 2 before TPC 10."""
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in _DIGITS.split(text) if part)


def order_screen(
    owners: Owners,
    shown_rows: set[int],
    asynchronous: list[AsyncTrack],
    counters: list[CounterTrack],
    rank: int,
    properties: Mapping[str, Any] | None = None,
) -> Screen:
    """``shown_rows``: builder rows with something to see; declared threads are shown too. ``properties``: top-level facts of the file."""
    names = [_name(process) for process in owners.processes]
    place = _order_processes(owners, names)
    candidates = [
        *_thread_candidates(owners, names, shown_rows, properties or {}),
        *_async_candidates(owners, asynchronous),
        *_counter_candidates(owners, names, counters),
    ]
    candidates.sort(key=lambda candidate: (place[candidate.process], candidate.key))
    where = {
        "thread": np.full(len(owners.rows), -1, np.int64),
        "async": np.full(len(asynchronous), -1, np.int64),
        "counter": np.full(len(counters), -1, np.int64),
    }
    tracks = []
    for number, c in enumerate(candidates):
        where[c.kind][c.source] = number
        own = owners.processes[c.process].rank
        tracks.append(Track(number, place[c.process], c.kind, c.name, c.pid, c.tid, c.engine, rank if own < 0 else own, c.sort_index))
    in_order = sorted(range(len(names)), key=place.__getitem__)
    processes = tuple(
        Process(number, str(owners.processes[p].pid), names[p], tuple(owners.processes[p].labels), owners.processes[p].sort_index)
        for number, p in enumerate(in_order)
    )
    return Screen(processes, tuple(tracks), where["thread"], where["async"], where["counter"])


def _name(process: OpenProcess) -> str:
    return str(process.pid) if process.name is None else process.name


def _order_processes(owners: Owners, names: list[str]) -> list[int]:
    """Screen position of each process number."""
    classes = [class_of_name(name) for name in names]
    is_accelerator = any(engine in ACCELERATOR for engine in classes)

    def key(number: int) -> tuple[int, int, int, int]:
        engine = classes[number]
        by_class = (CLASSES.index(engine) if engine else len(CLASSES)) if is_accelerator else 0
        process = owners.processes[number]
        return process.member, process.sort_index, by_class, number

    place = [0] * len(names)
    for position, number in enumerate(sorted(range(len(names)), key=key)):
        place[number] = position
    return place


def _thread_candidates(owners: Owners, names: list[str], shown_rows: set[int], properties: Mapping[str, Any]) -> list[_Candidate]:
    found = []
    declared = (process.name for process in owners.processes if process.name is not None)
    producer = recognise(properties, declared, (row.name for row in owners.rows if row.name is not None))
    for number, row in enumerate(owners.rows):
        if number not in shown_rows and not row.is_declared:
            continue
        process = owners.processes[row.process]
        tid = str(row.tid)
        name = tid if row.name is None else row.name
        engine = engine_class(names[row.process], row.name or "", tid=tid)
        engine = engine or engine_of_row(producer, names[row.process], process.labels, row.name or "")
        is_lane = engine in ACCELERATOR and row.name is not None
        by_tid = (0, row.tid, ()) if isinstance(row.tid, int) else (1, 0, natural_key(row.tid))
        key = (
            0,
            row.sort_index,
            row.tid != process.pid or is_lane,
            CLASSES.index(engine) if engine else len(CLASSES),
            natural_key(name) if is_lane else (),
            by_tid,
            number,
        )
        found.append(_Candidate(row.process, "thread", number, name, str(process.pid), tid, engine, row.sort_index, key))
    return found


def _async_candidates(owners: Owners, tracks: list[AsyncTrack]) -> list[_Candidate]:
    pids = [str(process.pid) for process in owners.processes]
    return [
        _Candidate(track.process, "async", number, track.name, pids[track.process], track.id_text, "", 0, (1, number))
        for number, track in enumerate(tracks)
    ]


def _counter_candidates(owners: Owners, names: list[str], counters: list[CounterTrack]) -> list[_Candidate]:
    found = []
    for number, counter in enumerate(counters):
        pid = str(owners.processes[counter.process].pid)
        name = f"{counter.name} [{counter.counter_id}]" if counter.counter_id else counter.name
        engine = engine_class(names[counter.process], counter.counter_id)
        found.append(_Candidate(counter.process, "counter", number, name, pid, counter.counter_id, engine, 0, (2, number)))
    return found
