"""How the user arranged the rows: pinned and hidden, by what they are grouped, in which order, how tall. Holds choices only."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field
from msgspec.structs import replace

from hlprof_core.analysis.memo import per_trace
from hlprof_core.trace.model import Trace
from hlprof_core.trace.table import I8
from hlprof_gui.state.groups import GroupBy, groups_of

SIZES = (0.6, 1.0, 1.6, 2.4)
"""Heights of a track, as factors of the usual one."""


class Arrangement(Struct, frozen=True):
    """Tracks by id, groups by number. ``groups``: these in this order first, the rest as in the file; of all ways to group.

    ``tracks``: those that change places among each other, in their new order; the others keep theirs. So a track that was moved in one
    way of grouping stands in the same order in every other.
    """

    pinned: tuple[int, ...] = ()
    hidden: frozenset[int] = frozenset()
    group_by: GroupBy = "process"
    groups: tuple[int, ...] = ()
    tracks: tuple[int, ...] = ()
    sizes: tuple[tuple[int, float], ...] = field(default=())
    """Track and factor of its height, sorted; tracks of the usual height are left out."""
    restacked: frozenset[int] = frozenset()
    """Tracks whose counters are drawn over each other where others would be stacked, or the other way round."""
    fitted: frozenset[int] = frozenset()
    """Tracks whose counters are scaled to what is visible."""

    def size_of(self, track: int) -> float:
        return dict(self.sizes).get(track, 1.0)

    def pin(self, tracks: Iterable[int]) -> Arrangement:
        """With these tracks above all others, in the order in which they were pinned; hidden ones are shown again."""
        known = set(self.pinned)
        added = tuple(t for t in dict.fromkeys(tracks) if t not in known)
        return replace(self, pinned=self.pinned + added, hidden=self.hidden - set(added))

    def unpin(self, tracks: Iterable[int]) -> Arrangement:
        gone = set(tracks)
        return replace(self, pinned=tuple(t for t in self.pinned if t not in gone))

    def hide(self, tracks: Iterable[int]) -> Arrangement:
        gone = set(tracks)
        return replace(self.unpin(gone), hidden=self.hidden | gone)

    def show(self, tracks: Iterable[int]) -> Arrangement:
        return replace(self, hidden=self.hidden - set(tracks))

    def resize(self, track: int, step: int) -> Arrangement:
        """The track one size larger (1) or smaller (-1)."""
        return self.resize_all((track,), step)

    def resize_all(self, tracks: Iterable[int], step: int) -> Arrangement:
        """Each of the tracks one size larger (1) or smaller (-1)."""
        sizes = dict(self.sizes)
        for track in tracks:
            place = SIZES.index(sizes.get(track, 1.0)) + step
            sizes[track] = SIZES[min(max(place, 0), len(SIZES) - 1)]
        return replace(self, sizes=tuple(sorted(pair for pair in sizes.items() if pair[1] != 1.0)))

    def restack(self, track: int) -> Arrangement:
        """The counters of a track drawn the other way."""
        return replace(self, restacked=self.restacked ^ {track})

    def fit(self, track: int) -> Arrangement:
        """The counters of a track scaled to what is visible, or again to all of the trace."""
        return replace(self, fitted=self.fitted ^ {track})

    def move_group(self, trace: Trace, group: int, step: int) -> Arrangement:
        """The group so many places further down (negative: up) among those of its way to group."""
        groups = groups_of(trace, self.group_by)
        used = set(np.unique(groups.owner[has_events(trace)]).tolist())
        if group not in used:
            return self
        order = [g for g in group_order(groups.total, self).tolist() if g in used]
        others = tuple(g for g in self.groups if g not in used)
        return replace(self, groups=(*others, *_moved(order, group, step)))

    def move_track(self, trace: Trace, track: int, step: int) -> Arrangement:
        """The track so many places further down within its group, or among the pinned ones."""
        if track in self.pinned:
            return replace(self, pinned=tuple(_moved(list(self.pinned), track, step)))
        if track in self.hidden or not has_events(trace)[track]:
            return self
        groups = groups_of(trace, self.group_by)
        own = groups.tracks(int(groups.owner[track]))
        rank = track_rank(len(trace.tracks), self)
        own = own[np.argsort(rank[own])]
        is_away = ~has_events(trace)
        is_away[[t for t in (*self.hidden, *self.pinned) if 0 <= t < len(rank)]] = True
        seen = own[~is_away[own]]
        places = rank[seen]
        rank[_moved(seen.tolist(), track, step)] = places
        changed = np.flatnonzero(rank != np.arange(len(rank)))
        return replace(self, tracks=tuple(changed[np.argsort(rank[changed])].tolist()))


@per_trace
def has_events(trace: Trace) -> npt.NDArray[np.bool_]:
    """For each track whether it has something to show: others have no row, and nothing can be moved past them."""
    series = np.zeros(len(trace.tracks), np.bool_)
    series[[s.track for s in trace.series if s.track >= 0]] = True
    marks = np.bincount(trace.instants.track, minlength=len(series))[: len(series)] > 0
    return (np.diff(trace.track_lanes) > 0) | marks | (np.diff(trace.samples_by_track[1]) > 0) | series


def _moved(order: list[int], item: int, step: int) -> list[int]:
    place = order.index(item)
    rest = order[:place] + order[place + 1 :]
    target = min(max(place + step, 0), len(rest))
    return [*rest[:target], item, *rest[target:]]


def group_order(total: int, arrangement: Arrangement) -> I8:
    """Groups of all ways to group, ``total`` of them, in screen order."""
    chosen = [g for g in dict.fromkeys(arrangement.groups) if 0 <= g < total]
    is_rest = np.ones(total, np.bool_)
    is_rest[chosen] = False
    return np.concatenate((np.array(chosen, np.int64), np.flatnonzero(is_rest))).astype(np.int64)


def track_rank(total: int, arrangement: Arrangement) -> I8:
    """A number for each of ``total`` tracks, which orders those of one group."""
    rank = np.arange(total, dtype=np.int64)
    chosen = np.array([t for t in dict.fromkeys(arrangement.tracks) if 0 <= t < total], np.int64)
    rank[chosen] = np.sort(chosen)
    return rank
