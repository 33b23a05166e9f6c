"""How the user arranged the rows: pinned and hidden tracks, the order of groups and tracks, and how tall rows are. Holds choices only."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from hlprof_core.trace.model import Trace
from hlprof_core.trace.table import I8

SIZES = (0.6, 1.0, 1.6, 2.4)
"""Heights of a track, as factors of the usual one."""


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Tracks and processes by id. ``processes``: groups in this order first, the rest as in the file.

    ``tracks``: for each process that has one of its tracks here, all of them in this order.
    """

    pinned: tuple[int, ...] = ()
    hidden: frozenset[int] = frozenset()
    processes: tuple[int, ...] = ()
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

    def move_process(self, trace: Trace, process: int, step: int) -> Arrangement:
        """The group so many places further down (negative: up) among those on the screen."""
        order = process_order(trace, self).tolist()
        return replace(self, processes=tuple(_moved(order, process, step)))

    def move_track(self, trace: Trace, track: int, step: int) -> Arrangement:
        """The track so many places further down within its group, or among the pinned ones."""
        if track in self.pinned:
            return replace(self, pinned=tuple(_moved(list(self.pinned), track, step)))
        owner = trace.tracks[track].process
        rank = track_rank(trace, self)
        own = sorted((t.id for t in trace.tracks if t.process == owner), key=lambda t: int(rank[t]))
        seen = [t for t in own if t not in self.hidden and t not in self.pinned]
        moved = iter(_moved(seen, track, step))
        visible = set(seen)
        fixed = [next(moved) if t in visible else t for t in own]
        others = [t for t in self.tracks if trace.tracks[t].process != owner]
        return replace(self, tracks=(*others, *fixed))


def _moved(order: list[int], item: int, step: int) -> list[int]:
    place = order.index(item)
    rest = order[:place] + order[place + 1 :]
    target = min(max(place + step, 0), len(rest))
    return [*rest[:target], item, *rest[target:]]


def process_order(trace: Trace, arrangement: Arrangement) -> I8:
    """All processes in screen order."""
    chosen = [p for p in dict.fromkeys(arrangement.processes) if 0 <= p < len(trace.processes)]
    is_rest = np.ones(len(trace.processes), np.bool_)
    is_rest[chosen] = False
    return np.concatenate((np.array(chosen, np.int64), np.flatnonzero(is_rest))).astype(np.int64)


def track_rank(trace: Trace, arrangement: Arrangement) -> I8:
    """A number for each track that orders the tracks of one process."""
    rank = np.arange(len(trace.tracks), dtype=np.int64)
    chosen = [t for t in dict.fromkeys(arrangement.tracks) if 0 <= t < len(rank)]
    rank[chosen] = np.arange(len(chosen))
    return rank
