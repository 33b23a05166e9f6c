"""Sets of time as sorted, disjoint, non-empty intervals: union, intersection, difference, gaps. Exact int64 nanoseconds.

    a  [--)   [-----)  [-)          a and b  overlap where both are; a - b is what b leaves;
    b     [-----)   [----)          gaps are what nothing covers.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from hlprof_core.trace.ranges import TimeRange
from hlprof_core.trace.table import I8

Keys = npt.NDArray[np.unsignedinteger | np.signedinteger]


class Intervals(Struct, frozen=True, eq=False):
    """Intervals ``[start_ns[i], end_ns[i])``, sorted; they neither overlap nor touch. Made by ``merge``."""

    start_ns: I8
    end_ns: I8

    def __len__(self) -> int:
        return len(self.start_ns)

    @property
    def length_ns(self) -> int:
        """Covered time."""
        return int((self.end_ns - self.start_ns).sum())

    @property
    def span(self) -> TimeRange:
        """First start to last end; empty at 0 when nothing is covered."""
        return TimeRange(int(self.start_ns[0]), int(self.end_ns[-1])) if len(self) else TimeRange(0, 0)

    def to_list(self) -> list[tuple[int, int]]:
        return list(zip(self.start_ns.tolist(), self.end_ns.tolist(), strict=True))


NOTHING = Intervals(np.zeros(0, np.int64), np.zeros(0, np.int64))


def merge(start_ns: I8, end_ns: I8) -> Intervals:
    """The union of any intervals, in any order; what overlaps or touches becomes one, empty ones vanish."""
    keep = end_ns > start_ns
    if not keep.all():
        start_ns, end_ns = start_ns[keep], end_ns[keep]
    if not len(start_ns):
        return NOTHING
    if (start_ns[1:] < start_ns[:-1]).any():
        order = np.argsort(start_ns, kind="stable")
        start_ns, end_ns = start_ns[order], end_ns[order]
    reach = np.maximum.accumulate(end_ns)
    begins = np.concatenate(([0], np.flatnonzero(start_ns[1:] > reach[:-1]) + 1))
    lasts = np.concatenate((begins[1:] - 1, [len(start_ns) - 1]))
    return Intervals(start_ns[begins], reach[lasts])


def of_range(stretch: TimeRange) -> Intervals:
    """One stretch of time as a set."""
    return merge(np.array([stretch.start_ns], np.int64), np.array([stretch.end_ns], np.int64))


def union(*sets: Intervals) -> Intervals:
    """Time in any of the sets."""
    filled = [s for s in sets if len(s)]
    if len(filled) <= 1:
        return filled[0] if filled else NOTHING
    return merge(np.concatenate([s.start_ns for s in filled]), np.concatenate([s.end_ns for s in filled]))


def intersection(a: Intervals, b: Intervals) -> Intervals:
    """Time in both sets."""
    low = np.searchsorted(b.end_ns, a.start_ns, "right")
    count = np.maximum(np.searchsorted(b.start_ns, a.end_ns, "left") - low, 0)
    total = int(count.sum())
    if not total:
        return NOTHING
    mine = np.repeat(np.arange(len(a)), count)
    first = np.cumsum(count) - count
    other = np.arange(total) - np.repeat(first - low, count)
    return Intervals(np.maximum(a.start_ns[mine], b.start_ns[other]), np.minimum(a.end_ns[mine], b.end_ns[other]))


def gaps(a: Intervals, stretch: TimeRange) -> Intervals:
    """Time of ``stretch`` in none of the intervals."""
    inner = clip(a, stretch)
    return merge(np.append(stretch.start_ns, inner.end_ns).astype(np.int64), np.append(inner.start_ns, stretch.end_ns).astype(np.int64))


def clip(a: Intervals, stretch: TimeRange) -> Intervals:
    """The part inside ``stretch``."""
    return intersection(a, of_range(stretch))


def difference(a: Intervals, b: Intervals) -> Intervals:
    """Time in ``a`` and not in ``b``."""
    if not len(a) or not len(b):
        return a
    return intersection(a, gaps(b, a.span))


def covered_within(a: Intervals, start_ns: I8, end_ns: I8) -> I8:
    """For each stretch ``[start_ns[i], end_ns[i])`` the time that the set covers in it."""
    return _covered_before(a, end_ns) - _covered_before(a, start_ns)


def _covered_before(a: Intervals, time_ns: I8) -> I8:
    if not len(a):
        return np.zeros(len(time_ns), np.int64)
    before = np.concatenate(([0], np.cumsum(a.end_ns - a.start_ns)))
    last = np.searchsorted(a.start_ns, time_ns, "right") - 1
    inside = np.minimum(time_ns, a.end_ns[last]) - a.start_ns[last]
    return np.where(last >= 0, before[last] + inside, 0)


def union_length_by_key(key: Keys, start_ns: I8, end_ns: I8, n_keys: int) -> I8:
    """For each key 0..n_keys-1 the time that its intervals cover together."""
    covered = np.zeros(n_keys, np.int64)
    if not len(start_ns):
        return covered
    key = key.astype(np.int64)
    origin = int(start_ns.min())
    span = int(end_ns.max()) - origin + 1
    if span * n_keys < 2**62:
        # Each key gets a stretch of time of its own, so that one running maximum serves all of them.
        shift = key * span - origin
        starts, ends = start_ns + shift, end_ns + shift
        order = np.argsort(starts, kind="stable")
        key, starts, ends = key[order], starts[order], ends[order]
        fresh = ends.copy()
        reach = np.maximum.accumulate(ends)
        fresh[0] -= starts[0]
        fresh[1:] = np.maximum(ends[1:] - np.maximum(starts[1:], reach[:-1]), 0)
        np.add.at(covered, key, np.maximum(fresh, 0))
        return covered
    for k in np.unique(key).tolist():
        covered[k] = merge(start_ns[key == k], end_ns[key == k]).length_ns
    return covered
