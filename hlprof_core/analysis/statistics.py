"""How long slices last, group by group: count, total, self time, mean, median, 95th percentile, extremes, for any time and any slices."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from hlprof_core.analysis.argument_values import argument_values
from hlprof_core.analysis.filter.fields import fields
from hlprof_core.analysis.group_label import NO_VALUE, label_of
from hlprof_core.analysis.self_time import self_ns
from hlprof_core.errors import UnknownName
from hlprof_core.levels.text_set import Mask
from hlprof_core.levels.window import Touched, touched
from hlprof_core.progress import Progress
from hlprof_core.trace.model import Trace
from hlprof_core.trace.ranges import TimeRange
from hlprof_core.trace.table import F8, I8

Keys = npt.NDArray[np.signedinteger | np.unsignedinteger]
GROUPINGS = ("name", "cat", "process", "thread", "track", "engine", "rank", "depth", "parent")
"""Columns to group by; ``args.KEY`` groups by an argument."""


class Statistics(Struct, frozen=True, eq=False):
    """One row a group, the weightiest first. Times in ns. ``clipped_ns`` counts only the part inside the window; all else is about
    whole slices. ``median_ns`` and ``p95_ns`` are durations that occur: at least so many slices last no longer."""

    by: str
    labels: tuple[str, ...]
    count: I8
    total_ns: I8
    clipped_ns: I8
    self_ns: I8
    median_ns: I8
    p95_ns: I8
    min_ns: I8
    max_ns: I8

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def mean_ns(self) -> F8:
        return self.total_ns / np.maximum(self.count, 1)

    def head(self, most: int) -> Statistics:
        """The weightiest groups."""
        if len(self) <= most:
            return self
        cut = {name: getattr(self, name)[:most] for name in self.__struct_fields__ if name != "by"}
        return Statistics(self.by, **cut)

    def row(self, place: int) -> dict[str, Any]:
        """One group as plain values."""
        columns = ("count", "total_ns", "clipped_ns", "self_ns", "median_ns", "p95_ns", "min_ns", "max_ns")
        return {"group": self.labels[place]} | {c: int(getattr(self, c)[place]) for c in columns} | {"mean_ns": float(self.mean_ns[place])}


def statistics(
    trace: Trace, window: TimeRange | None = None, *, mask: Mask | None = None, by: str = "name", progress: Progress | None = None
) -> Statistics:
    """Statistics of the slices that touch the window and are marked in ``mask``, in groups of one value of ``by``.

    Costs a sort of their durations; for names and any window ``NameStatistics`` answers in milliseconds.
    """
    progress = progress or Progress()
    near = touched(trace, window or whole(trace))
    rows = near.rows()
    if mask is not None:
        rows = rows[mask[rows]]
    progress.check()
    key, labels = group_keys(trace, rows, by, progress)
    progress.check()
    return _of_rows(trace, rows, key, labels, by, near, window)


def group_rows(
    trace: Trace,
    label: str,
    window: TimeRange | None = None,
    *,
    mask: Mask | None = None,
    by: str = "name",
    progress: Progress | None = None,
) -> I8:
    """The slices that ``statistics`` counts in the group of that label, ascending."""
    progress = progress or Progress()
    rows = touched(trace, window or whole(trace)).rows()
    if mask is not None:
        rows = rows[mask[rows]]
    key, labels = group_keys(trace, rows, by, progress)
    return rows[key == labels.index(label)] if label in labels else rows[:0]


def whole(trace: Trace) -> TimeRange:
    """A window that every slice lies in."""
    return TimeRange(trace.span.start_ns, trace.span.end_ns + 1)


def _of_rows(
    trace: Trace, rows: I8, key: Keys, labels: tuple[str, ...], by: str, near: Touched, window: TimeRange | None
) -> Statistics:
    size = len(labels)
    count = np.bincount(key, minlength=size).astype(np.int64)
    stop = np.cumsum(count)
    first = stop - count
    durations = sorted_by_group(key, trace.slices.dur_ns[rows], count)
    used = np.flatnonzero(count)
    before = np.concatenate(([0], np.cumsum(durations)))
    total = before[stop[used]] - before[first[used]]
    own = sums(key, self_ns(trace)[rows], size)[used]
    clipped = total - sums(*overhang(trace, near, window, rows, key), size)[used]
    order = np.lexsort((used, -total))
    used, total, own, clipped = used[order], total[order], own[order], clipped[order]
    low, n = first[used], count[used]
    return Statistics(
        by, tuple(labels[i] for i in used.tolist()), n, total, clipped, own,
        durations[low + quantile_place(n, 50)], durations[low + quantile_place(n, 95)], durations[low], durations[low + n - 1],
    )  # fmt: skip


def quantile_place(count: I8, percent: int) -> I8:
    """Which of ``count`` sorted values: the last that at most that share lies below, as ``numpy.percentile(method="lower")``."""
    return (count - 1) * percent // 100


def sorted_by_group(key: Keys, durations: I8, count: I8) -> I8:
    """The durations of each group in ascending order, group after group."""
    if not len(key):
        return durations
    longest = int(durations.max())
    bits = max(longest.bit_length(), 1)
    if bits + len(count).bit_length() < 63:
        # Group and duration in one number: sorting plain numbers is several times faster than sorting by two keys.
        joined = (key.astype(np.int64) << bits) | durations
        joined.sort()
        return joined & ((1 << bits) - 1)
    return durations[np.lexsort((durations, key))]


def sums(key: Keys, values: I8, size: int) -> I8:
    """Exact sum of the values of each group."""
    if len(values) and float(np.abs(values).max()) * len(values) < 2**53:
        return np.bincount(key, weights=values, minlength=size).astype(np.int64)
    total = np.zeros(size, np.int64)
    np.add.at(total, key, values)
    return total


def overhang(trace: Trace, near: Touched, window: TimeRange | None, rows: I8, key: Keys) -> tuple[I8, I8]:
    """Groups and the time outside the window, of the slices that reach out: at most two of a lane."""
    if window is None or not len(rows):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    used = near.first < near.stop
    edge = np.unique(np.concatenate((near.first[used], near.stop[used] - 1)))
    place = np.searchsorted(rows, edge).clip(0, len(rows) - 1)
    kept = rows[place] == edge
    return key[place[kept]].astype(np.int64), outside_ns(trace, edge[kept], window)


def outside_ns(trace: Trace, rows: I8, window: TimeRange) -> I8:
    """How long each of these slices lasts outside the window."""
    start, dur = trace.slices.start_ns[rows], trace.slices.dur_ns[rows]
    inside = np.minimum(start + dur, window.end_ns) - np.maximum(start, window.start_ns)
    outside: I8 = dur - np.maximum(inside, 0)
    return outside


# -- groups -------------------------------------------------------------------------------------------------------------


def group_keys(trace: Trace, rows: I8, by: str, progress: Progress) -> tuple[Keys, tuple[str, ...]]:
    """A number for each of the rows, and the label of each number. ``UnknownName`` for a grouping that is none."""
    if by.startswith("args.") and len(by) > 5:
        return argument_values(trace, rows, by[5:], progress)
    if by not in GROUPINGS:
        raise UnknownName("grouping", by, GROUPINGS, hint=f"Group by {', '.join(GROUPINGS)} or args.KEY.")
    slices, field = trace.slices, fields.get(by)
    if field.of_track is not None:
        texts = [label_of(str(field.of_track(trace, track))) for track in trace.tracks]
        labels = tuple(dict.fromkeys(texts)) or (NO_VALUE,)
        place = {text: i for i, text in enumerate(labels)}
        return np.array([place[text] for text in texts] or [0], np.int32)[slices.track[rows]], labels
    if by == "depth":
        depth = slices.depth[rows]
        return depth, tuple(str(d) for d in range(int(depth.max()) + 1 if len(rows) else 0))
    assert field.strings is not None
    column = field.strings(trace)
    if by == "parent":
        parent = slices.parent[rows]
        ids = np.where(parent >= 0, column[parent], 0)
    else:
        ids = column[rows]
    used = np.zeros(len(trace.strings), np.bool_)
    used[ids] = True
    place_of = np.cumsum(used) - 1
    return place_of.astype(np.int32)[ids], tuple(label_of(trace.strings[i]) for i in np.flatnonzero(used).tolist())
