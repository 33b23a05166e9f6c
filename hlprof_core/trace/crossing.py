"""Nodes that are under way on an engine at once: their begins and ends carry the id of the context, and cross instead of nesting.

    begin A 1, begin B 2, end A 1, end B 2      two slices that overlap

The first begin of a name and id belongs to its first end, as in the profiler's own software. Only pairs that nesting would pair otherwise
are taken out of the matching by nesting: they are whole slices from the start.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from hlprof_core.trace.asynchronous import number_pairs
from hlprof_core.trace.events import EventBlock
from hlprof_core.trace.table import I1, U4

Mask = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]


class Crossing(Struct, frozen=True):
    """Event numbers of begins, ascending, and of the end of each. ``ids``: how many slices have an id."""

    begin: U4
    end: U4
    ids: int

    def ends_of(self, source: U4, ended: U4) -> None:
        """Write into ``ended`` the ends of the slices whose events are ``source``."""
        if len(self.begin):
            at = np.minimum(np.searchsorted(self.begin, source), len(self.begin) - 1)
            found = self.begin[at] == source
            ended[found] = self.end[at[found]]


def take_crossing(events: EventBlock, mask: I1, is_engine: Mask) -> Crossing:
    """Make the begins of crossing pairs X events with their duration, and take their ends out of ``mask`` (events of slices).

    ``is_engine``: for each row, whether it is one of hardware.
    """
    among = np.flatnonzero((events.id != 0) & (mask != 0))
    phase = events.phase[among]
    ids = int(np.count_nonzero(phase != ord("E")))
    among = among[((phase == ord("B")) | (phase == ord("E"))) & is_engine[events.row[among]]]
    if not len(among):
        return Crossing(np.empty(0, np.uint32), np.empty(0, np.uint32), ids)
    begin, end = _first_to_first(events, among)
    crosses = _crosses(events, begin, end)
    begin, end = begin[crosses], end[crosses]
    order = np.argsort(begin)
    crossing = Crossing(begin[order].astype(np.uint32), end[order].astype(np.uint32), ids)
    events.phase[begin] = ord("X")
    events.dur_ns[begin] = events.ts_ns[end] - events.ts_ns[begin]
    mask[end] = 0
    return crossing


def _first_to_first(events: EventBlock, among: Numbers) -> tuple[Numbers, Numbers]:
    """Begins and ends of one row, name and id, the first to the first; what has no partner is left away."""
    node, _ = number_pairs(events.row[among], events.name[among])
    node, nodes = number_pairs(node, events.id[among])
    order = np.lexsort((events.ts_ns[among], node))
    at, node = among[order], node[order].astype(np.int64)
    is_end = events.phase[at] == ord("E")
    # Open slices of the node, each node far below the one before it: a new low is an end without a begin.
    under_way = np.cumsum(np.where(is_end, -1, 1))
    before = np.zeros(nodes, np.int64)
    first = np.searchsorted(node, np.arange(nodes))
    before[1:] = under_way[first[1:] - 1]
    ground = -node * (2 * len(at) + 2)
    level = under_way - before[node] + ground
    lowest = np.minimum(ground, np.concatenate((ground[:1], np.minimum.accumulate(level)[:-1])))
    ends = np.flatnonzero(is_end & (level >= lowest))
    begins = np.flatnonzero(~is_end)
    ended = np.bincount(node[ends], minlength=nodes)
    rank = np.arange(len(begins)) - np.searchsorted(node[begins], node[begins])
    return at[begins[rank < ended[node[begins]]]], at[ends]


def _crosses(events: EventBlock, begin: Numbers, end: Numbers) -> Mask:
    """Which pairs nesting would not make: the last begin of the row to the next end."""
    count = len(begin)
    at = np.concatenate((begin, end))
    order = np.lexsort((at, events.ts_ns[at], events.row[at]))
    pair = order % max(1, count)
    is_end = order >= count
    depth = np.cumsum(np.where(is_end, -1, 1)) + is_end
    nested = np.lexsort((np.arange(2 * count), depth))
    crosses = np.zeros(count, bool)
    inner, outer = pair[nested[0::2]], pair[nested[1::2]]
    crosses[inner[inner != outer]] = True
    crosses[outer[inner != outer]] = True
    return crosses
