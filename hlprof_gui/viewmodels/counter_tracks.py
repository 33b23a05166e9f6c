"""The series of each counter: their values and sums at any time, and whether they are usually stacked. Knows no Qt.

A stack is a sum at every moment, so its borders are summed before they are folded to pixels: adding up what each series has
in a pixel would show peaks that never were.
"""

from __future__ import annotations

import re
import sys
from weakref import WeakKeyDictionary

import numpy as np

from hlprof_core.levels.viewport import CounterLevels
from hlprof_core.trace.model import Trace
from hlprof_core.trace.table import F8, I8

STATISTIC = re.compile(r"min|max|avg|mean|med(ian)?|p\d+|std|least|most|total|sum|limit|peak|capacity", re.IGNORECASE)
"""Series of such names tell the same thing in different ways: their sum means nothing."""
MOST = sys.float_info.max
"""Sums are cut to this."""
LARGE = 100_000
"""Counters of more samples are prepared while the file is read."""


class TrackCounters:
    """The series of one track, ready to be drawn; ``ids`` are rows of ``trace.series``."""

    def __init__(self, trace: Trace, ids: list[int]) -> None:
        self.ids = ids
        self.names = tuple(trace.series[i].series for i in ids)
        counters = trace.counters
        ends = [(int(counters.offsets[i]), int(counters.offsets[i + 1])) for i in ids]
        self.times = [counters.time_ns[a:b] for a, b in ends]
        self.values = [counters.value[a:b] for a, b in ends]
        limits = [_limits(value) for value in self.values]
        self.limits = min((0.0, *(low for low, _ in limits))), max((0.0, *(high for _, high in limits)))
        is_sum = not any(STATISTIC.fullmatch(name) for name in self.names)
        self.stacks_at_first = len(ids) > 1 and self.limits[0] == 0.0 and is_sum
        self._levels: dict[bool, list[CounterLevels]] = {}
        self._most: float | None = None

    def is_stacked(self, is_changed: bool) -> bool:
        """Whether the series lie on top of each other; ``is_changed``: the user wants it the other way."""
        return len(self.ids) > 1 and self.stacks_at_first != is_changed

    def levels(self, *, is_stacked: bool) -> list[CounterLevels]:
        """Of each line from the lowest up: the series, or the sums up to it."""
        if is_stacked not in self._levels:
            pairs = self._sums() if is_stacked else zip(self.times, self.values, strict=True)
            self._levels[is_stacked] = [CounterLevels(time, value) for time, value in pairs]
        return self._levels[is_stacked]

    def _sums(self) -> list[tuple[I8, F8]]:
        first = self.times[0]
        if all(len(t) == len(first) and np.array_equal(t, first) for t in self.times[1:]):
            times, held = first, self.values
        else:
            times = np.unique(np.concatenate(self.times))
            held = [_hold(t, v, times) for t, v in zip(self.times, self.values, strict=True)]
        total, sums = np.zeros(len(times)), []
        for value in held:
            with np.errstate(over="ignore"):
                total = np.clip(total + np.where(np.isfinite(value), value, 0.0), -MOST, MOST)
            sums.append((times, total))
        return sums

    def scale(self, *, is_stacked: bool) -> tuple[float, float]:
        """Lowest and highest value there is, zero included."""
        if not is_stacked:
            return self.limits
        if self._most is None:
            value = self.levels(is_stacked=True)[-1].value
            self._most = float(value.max()) if len(value) else 0.0
        return min(0.0, self.limits[0]), max(0.0, self._most)

    def at(self, time_ns: int) -> list[float]:
        """The value of each series at a time, NaN before its first sample."""
        places = [int(np.searchsorted(times, time_ns, side="right")) - 1 for times in self.times]
        return [float(v[p]) if p >= 0 else float("nan") for v, p in zip(self.values, places, strict=True)]


def _hold(times: I8, values: F8, at: I8) -> F8:
    """The value in effect at each of those times, 0 before the first."""
    place = np.searchsorted(times, at, side="right") - 1
    return np.where(place >= 0, values[np.maximum(place, 0)], 0.0)


def _limits(values: F8) -> tuple[float, float]:
    """Least and most of what is a number."""
    if not len(values):
        return 0.0, 0.0
    low, high = float(np.fmin.reduce(values)), float(np.fmax.reduce(values))
    if not (np.isfinite(low) and np.isfinite(high)):
        values = values[np.isfinite(values)]
        return (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)
    return low, high


class Counters:
    """All counters of a trace by track, each prepared when it is first seen."""

    def __init__(self, trace: Trace) -> None:
        # Not the trace itself: it is what this is kept by.
        self._series: dict[int, list[int]] = {}
        for series in trace.series:
            self._series.setdefault(series.track, []).append(series.id)
        self._tracks: dict[int, TrackCounters] = {}
        self.tracks = tuple(sorted(self._series))

    def of(self, trace: Trace, track: int) -> TrackCounters:
        """The series of a track; a track without any has none."""
        if track not in self._tracks:
            self._tracks[track] = TrackCounters(trace, self.ids(track))
        return self._tracks[track]

    def ids(self, track: int) -> list[int]:
        """Rows of ``trace.series`` of a track."""
        return self._series.get(track, [])

    def prepare_large(self, trace: Trace) -> None:
        """What would take longer than a frame."""
        for track, ids in self._series.items():
            if sum(int(trace.counters.offsets[i + 1] - trace.counters.offsets[i]) for i in ids) > LARGE:
                counters = self.of(trace, track)
                counters.scale(is_stacked=counters.stacks_at_first)
                counters.levels(is_stacked=counters.stacks_at_first)


_KNOWN: WeakKeyDictionary[Trace, Counters] = WeakKeyDictionary()


def known_counters(trace: Trace) -> Counters:
    """Kept for the trace's life; any thread may ask for it ahead."""
    if trace not in _KNOWN:
        _KNOWN[trace] = Counters(trace)
    return _KNOWN[trace]
