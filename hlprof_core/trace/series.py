"""Counter samples sorted into series; a counter belongs to a process, and each of its ids is a track."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct

from hlprof_core.trace.asynchronous import number_pairs
from hlprof_core.trace.events import NO_TIME, SampleBlock
from hlprof_core.trace.stacking import group_by_row
from hlprof_core.trace.table import F8, I8, U4


class CounterTrack(Struct):
    """A counter of a process: its name, and its id where the file gives one."""

    process: int
    name: str
    counter_id: str


class CounterSeries(Struct):
    """Samples by (series, time); ``track`` and ``name`` for each series, series of one track are neighbours."""

    tracks: list[CounterTrack]
    track: list[int]
    name: list[str]
    time_ns: I8
    value: F8
    offsets: I8
    bad_times: int


def gather_series(
    samples: SampleBlock, row_process: U4, text: Callable[[int], str], check: Callable[[], None] = lambda: None
) -> CounterSeries:
    """Tracks in order of appearance, series within a track likewise. Samples without a time or a number are left out.

    ``check`` is called between the steps and may raise.
    """
    usable = samples.time_ns != NO_TIME
    bad = int(len(samples) - np.count_nonzero(usable))
    usable &= np.isfinite(samples.value)  # not a number is a gap, no point
    if not usable.all():
        samples = SampleBlock(*(getattr(samples, field)[usable] for field in SampleBlock.__struct_fields__))
    time, row, name, series, ids, value = samples.time_ns, samples.row, samples.name, samples.series, samples.id, samples.value
    if not len(time):
        return CounterSeries([], [], [], time[:0].copy(), value[:0].copy(), np.zeros(1, np.int64), bad)
    process = row_process[row]
    track, _ = number_pairs(process, name)
    track, tracks = number_pairs(track, ids)
    check()
    track, first_of_track = _renumber(track, tracks)
    line, lines = number_pairs(track, series)
    check()
    first_of_line = np.empty(lines, np.int64)
    first_of_line[line[::-1]] = np.arange(len(line))[::-1]
    by_track = np.lexsort((first_of_line, track[first_of_line]))
    rank = np.empty(lines, np.uint32)
    rank[by_track] = np.arange(lines, dtype=np.uint32)
    order, offsets = group_by_row(rank[line], lines, time=time)
    heads = first_of_line[by_track]
    return CounterSeries(
        [CounterTrack(int(process[i]), text(int(name[i])), text(int(ids[i]))) for i in first_of_track],
        [int(track[i]) for i in heads],
        [text(int(series[i])) for i in heads],
        time[order],
        value[order],
        offsets,
        bad,
    )


def _renumber(number: U4, count: int) -> tuple[U4, I8]:
    """The same grouping numbered in order of appearance, and where each number appears first."""
    first = np.empty(count, np.int64)
    first[number[::-1]] = np.arange(len(number))[::-1]
    order = np.argsort(first, kind="stable")
    rank = np.empty(count, np.uint32)
    rank[order] = np.arange(count, dtype=np.uint32)
    return rank[number], first[order]
