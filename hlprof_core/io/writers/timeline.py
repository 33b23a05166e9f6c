"""All that happens in a trace in the order in which a file tells it, so that reading it again nests it in the same way.

At one moment: ends of what began before (inner first), then beginnings (outer first), then marks, samples and arrows.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from hlprof_core.trace.model import Trace
from hlprof_core.trace.table import BEGIN_END, I1, I8, UNFINISHED

END, BEGIN, MARK, SAMPLE, ARROW = range(5)


class Timeline(Struct):
    """``kind`` of each entry, and the row of its table: slice for END and BEGIN, instant, sample, or flow mark."""

    time_ns: I8
    kind: I1
    number: I8
    stays_open: npt.NDArray[np.bool_]
    """Slices written without an end, as they were recorded: reading draws them to the last moment again. Where nothing else is
    written at that moment (only an end without a begin reached so far) they get an end, so that they keep their length."""

    def __len__(self) -> int:
        return len(self.kind)


def order_timeline(trace: Trace, flow_times: I8 | None = None, *, split_all: bool = False) -> Timeline:
    """Slices recorded as begin and end give two entries, others one (``split_all``: two as well).

    A slice of both without duration gives one BEGIN entry: its end belongs right behind. ``flow_times``: moment of each flow mark.
    """
    s = trace.slices
    end_ns = s.start_ns + s.dur_ns
    pairs = np.ones(len(s), bool) if split_all else (s.flags & BEGIN_END) != 0
    flow_times = np.empty(0, np.int64) if flow_times is None else flow_times
    is_open = (s.flags & UNFINISHED) != 0
    others = (end_ns[~is_open], s.start_ns, trace.instants.time_ns, trace.counters.time_ns, flow_times)
    last = max((int(times.max()) for times in others if len(times)), default=0)
    stays_open = is_open & (end_ns <= last)
    ended = np.flatnonzero(pairs & (s.dur_ns > 0) & ~stays_open)
    depth = s.depth.astype(np.int64)
    marks, samples = len(trace.instants), len(trace.counters)
    time = np.concatenate((end_ns[ended], s.start_ns, trace.instants.time_ns, trace.counters.time_ns, flow_times))
    sizes = (len(ended), len(s), marks, samples, len(flow_times))
    kind = np.repeat(np.array((END, BEGIN, MARK, SAMPLE, ARROW), np.uint8), sizes)
    number = np.concatenate((ended, np.arange(len(s)), np.arange(marks), np.arange(samples), np.arange(len(flow_times))))
    rank = np.concatenate((-depth[ended], depth, np.zeros(marks + samples + len(flow_times), np.int64)))
    order = np.lexsort((rank, kind, time))
    return Timeline(time[order], kind[order], number[order], stays_open)
