"""Flow marks become arrows between slices.

A mark ``s`` binds to the slice around it, ``f`` to the next slice of its row unless it says ``bp: e``, ``t`` to the slice around it or
else the next. Marks of one id and category form a chain in time; an arrow goes from each start or step to what follows it, and a start
with many ends (one launch, many kernels) gives an arrow to each.
"""

from __future__ import annotations

import numpy as np

from hlprof_core._kernels import layout
from hlprof_core.trace.asynchronous import number_pairs
from hlprof_core.trace.events import ENCLOSING, EventBlock
from hlprof_core.trace.stacking import Places, group_by_row
from hlprof_core.trace.table import I8, U4

AROUND, NEXT, AROUND_OR_NEXT = 0, 1, 2
EARLIEST = np.iinfo(np.int64).min


def bind_arrows(events: EventBlock, select: U4, offsets: I8, start: I8, end: I8) -> tuple[I8, I8, U4, Places]:
    """``select``: numbers of the flow marks in file order; ``offsets``, ``start``, ``end``: slices row by row as they were nested.

    Returns from-slice, to-slice (positions in those columns), the event number of each arrow's second mark, and the marks without arrow.
    """
    if not len(select):
        empty = np.empty(0, np.int64)
        return empty, empty, np.empty(0, np.uint32), (0, [])
    phase, time = events.phase[select], events.ts_ns[select]
    wish = np.where(phase == ord("s"), AROUND, np.where(phase == ord("t"), AROUND_OR_NEXT, NEXT)).astype(np.uint8)
    wish[(events.flags[select] & ENCLOSING) != 0] = AROUND
    order, mark_offsets = group_by_row(events.row[select], len(offsets) - 1, time=time)
    bound_in_order = np.empty(len(select), np.int32)
    layout.bind(offsets, start, end, mark_offsets, time[order], wish[order], bound_in_order)
    bound = np.empty(len(select), np.int64)
    bound[order] = bound_in_order

    flow, flows = number_pairs(events.id[select], events.cat[select])
    # The start of a flow with one start is its first mark even where the clocks of two devices disagree.
    starts = np.bincount(flow[phase == ord("s")], minlength=flows)
    moment = np.where((phase == ord("s")) & (starts[flow] == 1), EARLIEST, time)
    rank = np.where(phase == ord("s"), 0, np.where(phase == ord("t"), 1, 2))
    chain = np.lexsort((np.arange(len(select)), rank, moment, flow))
    chain = chain[bound[chain] >= 0]
    chain_flow, chain_phase = flow[chain], phase[chain]
    position = np.arange(len(chain))
    source = np.maximum.accumulate(np.where(chain_phase != ord("f"), position, -1)) if len(chain) else position
    source = np.insert(source[:-1], 0, -1) if len(chain) else source
    has_arrow = (source >= 0) & (chain_phase != ord("s"))
    has_arrow &= chain_flow[np.maximum(source, 0)] == chain_flow
    targets, sources = chain[has_arrow], chain[source[has_arrow]]
    used = np.zeros(len(select), bool)
    used[targets] = used[sources] = True
    loose = select[~used]
    return bound[sources], bound[targets], select[targets], (len(loose), [int(i) for i in loose[:5]])
