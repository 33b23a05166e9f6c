"""A slice among those of its name: how its duration compares, how they are spread, and whether they repeat in time. Knows no Qt."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from hlprof_core.trace.model import Trace
from hlprof_core.trace.table import I8

BINS = 48
LEAST = 3
"""Fewer slices of a name are no crowd to compare with."""
REGULAR = 0.25
"""Starts repeat when the middle half of their distances differs by at most this share of the median."""


class Spread(Struct, frozen=True, eq=False):
    """``counts[k]`` durations lie in [``edges[k]``, ``edges[k + 1]``), the last bin includes its end; edges in ns grow geometrically."""

    edges: I8
    counts: I8

    def bin_of(self, value_ns: int) -> int:
        """The bin of a value, the nearest one outside."""
        return int(np.clip(np.searchsorted(self.edges, value_ns, side="right") - 1, 0, len(self.counts) - 1))


class Peers(Struct, frozen=True, eq=False):
    """``shorter`` of the ``count`` slices of that name, this one included, last less long than it. Times in ns."""

    count: int
    shorter: int
    median_ns: int
    p95_ns: int
    least_ns: int
    most_ns: int
    total_ns: int
    spread: Spread
    period_ns: int | None
    """Median distance between starts on this row, None where they do not come regularly."""
    row_count: int


def spread_of(durations: I8, bins: int = BINS) -> Spread:
    """A histogram with geometric bins from the shortest to the longest; at least one bin, none empty of width."""
    low, high = max(int(durations.min()), 1), max(int(durations.max()), 1)
    edges = np.unique(np.round(np.geomspace(low, high, bins + 1)).astype(np.int64)) if high > low else np.array([low, low + 1], np.int64)
    edges[0], edges[-1] = min(edges[0], int(durations.min())), max(edges[-1], high)
    counts, _ = np.histogram(durations, edges)
    return Spread(edges, counts.astype(np.int64))


def find_peers(trace: Trace, slice_id: int) -> Peers | None:
    """Slices of the same name in the whole trace; None where there are too few. Costs one look at all names."""
    s = trace.slices
    same = np.flatnonzero(s.name == s.name[slice_id])
    if len(same) < LEAST:
        return None
    durations = s.dur_ns[same]
    own = int(s.dur_ns[slice_id])
    on_row = same[s.track[same] == s.track[slice_id]]
    starts = np.sort(s.start_ns[on_row])
    return Peers(
        count=len(same),
        shorter=int((durations < own).sum()),
        median_ns=int(np.percentile(durations, 50, method="lower")),
        p95_ns=int(np.percentile(durations, 95, method="lower")),
        least_ns=int(durations.min()),
        most_ns=int(durations.max()),
        total_ns=int(durations.sum()),
        spread=spread_of(durations),
        period_ns=_period(starts),
        row_count=len(on_row),
    )


def _period(starts: I8) -> int | None:
    distances = np.diff(starts)
    if len(distances) < LEAST - 1:
        return None
    low, middle, high = (int(x) for x in np.percentile(distances, (25, 50, 75), method="lower"))
    return middle if middle > 0 and high - low <= REGULAR * middle else None
