"""Flow marks become arrows between slices.

A mark ``s`` binds to the slice around it, ``f`` to the next slice of its row unless it says ``bp: e``, ``t`` to the slice around it or
else the next. Marks of one id and category form a chain in time; an arrow goes from each start or step to what follows it, and a start
with many ends (one launch, many kernels) gives an arrow to each.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from hlprof_core.trace.asynchronous import number_pairs
from hlprof_core.trace.events import ENCLOSING, EventBlock
from hlprof_core.trace.stacking import group_by_row
from hlprof_core.trace.table import I1, I8, U4, Flows

AROUND, NEXT, AROUND_OR_NEXT = 0, 1, 2
EARLIEST = np.iinfo(np.int64).min


class Marks(Struct):
    """Flow marks in file order. ``wish``: what they bind to; ``order``, ``offsets``: those on the screen, track by track, in time."""

    event: U4
    row: U4
    phase: I1
    time: I8
    name: U4
    cat: U4
    id: U4
    wish: I1
    order: U4
    offsets: I8

    def __len__(self) -> int:
        return len(self.event)


def gather_marks(events: EventBlock, select: U4, track_of_row: I8, tracks: int) -> Marks:
    """``select``: numbers of the flow marks in file order; ``track_of_row``: -1 for rows that are not on the screen."""
    phase, time, row = events.phase[select], events.ts_ns[select], events.row[select]
    wish = np.where(phase == ord("s"), AROUND, np.where(phase == ord("t"), AROUND_OR_NEXT, NEXT)).astype(np.uint8)
    wish[(events.flags[select] & ENCLOSING) != 0] = AROUND
    track = track_of_row[row] if len(row) else np.empty(0, np.int64)
    seen = (track >= 0).astype(np.uint8)
    order, offsets = group_by_row(track.astype(np.uint32), tracks, time=time, mask=seen, count=int(np.count_nonzero(seen)))
    return Marks(select, row, phase, time, events.name[select], events.cat[select], events.id[select], wish, order, offsets)


def draw_arrows(marks: Marks, bound_in_order: I8) -> tuple[Flows, U4]:
    """``bound_in_order``: the slice of each mark of ``marks.order``, -1 for none. Also returns which marks have no arrow."""
    if not len(marks):
        none = marks.event[:0]
        return Flows(none, none, none, none, none), none
    bound = np.full(len(marks), -1, np.int64)
    bound[marks.order] = bound_in_order
    phase = marks.phase
    flow, flows = number_pairs(marks.id, marks.cat)
    # The start of a flow with one start is its first mark even where the clocks of two devices disagree.
    starts = np.bincount(flow[phase == ord("s")], minlength=flows)
    moment = np.where((phase == ord("s")) & (starts[flow] == 1), EARLIEST, marks.time)
    rank = np.where(phase == ord("s"), 0, np.where(phase == ord("t"), 1, 2))
    chain = np.lexsort((np.arange(len(marks)), rank, moment, flow))
    chain = chain[bound[chain] >= 0]
    chain_flow, chain_phase = flow[chain], phase[chain]
    position = np.arange(len(chain))
    source = np.maximum.accumulate(np.where(chain_phase != ord("f"), position, -1)) if len(chain) else position
    source = np.insert(source[:-1], 0, -1) if len(chain) else source
    has_arrow = (source >= 0) & (chain_phase != ord("s"))
    has_arrow &= chain_flow[np.maximum(source, 0)] == chain_flow
    targets, sources = chain[has_arrow], chain[source[has_arrow]]
    used = np.zeros(len(marks), bool)
    used[targets] = used[sources] = True
    arrows = Flows(
        bound[sources].astype(np.uint32), bound[targets].astype(np.uint32), marks.name[targets], marks.cat[targets], marks.id[targets]
    )
    return arrows, np.flatnonzero(~used).astype(np.uint32)
