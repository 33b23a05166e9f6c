"""What the counters say in a stretch of time: least, mean over time, most, and the value at a point. Knows no Qt."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from msgspec import Struct

from hlprof_core.trace.model import Trace
from hlprof_core.trace.ranges import TimeRange
from hlprof_core.trace.table import F8, I8

MOST_SUMMED = 1e250
"""Values below this can be multiplied by any time and summed."""
FEW = 4096
"""The mean of so many samples is summed up one by one."""


def compact(value: float, digits: int = 3) -> str:
    """A counter value in few letters: ``1.25 M``."""
    size = abs(float(f"{value:.{digits - 1}e}"))  # as it is written: 999.9 of three digits is 1 k
    for scale, suffix in ((1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k")):
        if scale <= size < 1e15:
            return f"{value / scale:.{digits}g}{suffix}"
    return f"{value:.{digits}g}"


def part_to_reckon_with(low: float, high: float) -> float:
    """Differences of values from ``low`` to ``high`` are numbers when all are multiplied by this: 1 but for the very largest."""
    return 1.0 if np.isfinite(high - low) else 0.25


def value_ticks(low: float, high: float, count: int) -> list[float]:
    """About ``count`` round values from ``low`` or below to ``high`` or above (as far as numbers go), evenly spaced."""
    if not high > low:
        return [low]
    if not np.isfinite(high - low):
        return [tick * 10 for tick in value_ticks(low / 10, high / 10, count) if np.isfinite(tick * 10)]
    rough = (high - low) / max(count, 1)
    size = 10.0 ** np.floor(np.log10(rough)) if rough > 0 else 0.0
    if not size:
        return [low]
    step = float(next(size * factor for factor in (1, 2, 5, 10) if size * factor >= rough * 0.999))
    first = int(np.floor(low / step + 1e-9))
    ticks = ((first + k) * step for k in range(int(np.ceil(high / step - 1e-9)) - first + 1))
    return [tick for tick in ticks if np.isfinite(tick)]


class CounterSummary(Struct, frozen=True, eq=False):
    """For each series; NaN where it has no value in that time. A counter keeps its value until the next sample."""

    samples: I8
    least: F8
    mean: F8
    most: F8
    last: F8


class CounterTable:
    """Prepared once for a trace, so that each summary costs what lies in its time."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        counters = trace.counters
        value = np.where(np.isfinite(counters.value), counters.value, 0.0)
        self._part = 1.0 if np.abs(value).max(initial=0.0) < MOST_SUMMED else 2.0**-300
        """Values are multiplied by this in sums, which would overflow otherwise."""
        length = np.diff(counters.time_ns, append=counters.time_ns[-1:]).astype(np.float64)
        last = counters.offsets[1:] - 1
        length[last[np.diff(counters.offsets) > 0]] = 0.0
        area = value * self._part * length
        # Each series for itself: what is small would be lost in the sum of what is large before it.
        for first, end in pairwise(counters.offsets.tolist()):
            np.cumsum(area[first:end], out=area[first:end])
        self._area = area
        """``_area[k]``: value times ns of the samples of a series up to row k and with it."""

    def names(self) -> list[tuple[str, str, str]]:
        """Counter, series and process of each series."""
        trace = self.trace
        return [(s.name, s.series, trace.processes[trace.tracks[s.track].process].name) for s in trace.series]

    def value_at(self, series: int, time_ns: int) -> float:
        """The value that holds at a time, NaN before the first sample."""
        counters = self.trace.counters
        first, last = (int(x) for x in counters.offsets[series : series + 2])
        place = first + int(np.searchsorted(counters.time_ns[first:last], time_ns, side="right")) - 1
        return float(counters.value[place]) if place >= first else float("nan")

    def summary(self, window: TimeRange, cursor_ns: int | None = None) -> CounterSummary:
        """All series in ``window``; ``last`` is the value at the cursor, else at the end of the window."""
        counters, count = self.trace.counters, len(self.trace.series)
        least, mean, most, last = (np.full(count, np.nan) for _ in range(4))
        samples = np.zeros(count, np.int64)
        at = window.end_ns if cursor_ns is None else cursor_ns
        for series in range(count):
            first, end = (int(x) for x in counters.offsets[series : series + 2])
            times = counters.time_ns[first:end]
            low, high = (first + int(np.searchsorted(times, t, side="right")) for t in (window.start_ns, window.end_ns))
            held = max(low - 1, first) if low > first else low
            samples[series] = high - low
            last[series] = self.value_at(series, at)
            values = counters.value[held:high]
            values = values[np.isfinite(values)]
            if len(values):
                least[series], most[series] = values.min(), values.max()
                # Where a small value follows large ones, the difference of sums may be a little outside of all values.
                mean[series] = min(max(self._mean(held, high, window), least[series]), most[series])
        return CounterSummary(samples, least, mean, most, last)

    def _mean(self, held: int, high: int, window: TimeRange) -> float:
        """Mean over the part of the window from the first known value on."""
        counters = self.trace.counters
        begin = max(int(counters.time_ns[held]), window.start_ns)
        if high - 1 == held or window.end_ns <= begin:
            return float(counters.value[held])
        length = window.end_ns - begin
        if high - held <= FEW:
            values = counters.value[held:high]
            edges = np.concatenate(([begin], counters.time_ns[held + 1 : high], [window.end_ns]))
            shares = np.diff(edges).astype(np.float64) / length
            return float((np.where(np.isfinite(values), values, 0.0) * shares).sum())
        inner = float(self._area[high - 2] - self._area[held])
        at_ends = (held, int(counters.time_ns[held + 1]) - begin), (high - 1, window.end_ns - int(counters.time_ns[high - 1]))
        ends = (float(counters.value[place]) * self._part * lasts for place, lasts in at_ends)
        return sum((part for part in ends if np.isfinite(part)), inner) / length / self._part
