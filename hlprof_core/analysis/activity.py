"""When each part of the machine worked: engine classes, and computing, copying, communicating, as sets of time."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from msgspec import Struct

from hlprof_core.analysis.extent import root_slices, slice_extent
from hlprof_core.analysis.intervals import Intervals, difference, merge, union
from hlprof_core.analysis.memo import per_trace
from hlprof_core.analysis.role import Role, device_slices, session_slices, slice_roles
from hlprof_core.trace.engines import CLASSES
from hlprof_core.trace.model import Trace
from hlprof_core.trace.ranges import TimeRange
from hlprof_core.trace.tracks import Track


class Activity(Struct, frozen=True, eq=False):
    """``engines``: busy time of each engine class, its lanes together; ``lanes``: how many rows a class has."""

    engines: Mapping[str, Intervals]
    lanes: Mapping[str, int]
    compute: Intervals
    """Kernels and fills that are no communication; on Gaudi the MME and the TPCs."""
    copy: Intervals
    comm: Intervals

    @property
    def busy(self) -> Intervals:
        """The device does anything at all."""
        return union(self.compute, self.copy, self.comm)

    @property
    def has_device(self) -> bool:
        return bool(len(self.compute) or len(self.copy) or len(self.comm))

    @property
    def device_engines(self) -> dict[str, Intervals]:
        """Engine classes of the device, without the host."""
        return {name: busy for name, busy in self.engines.items() if name not in ("HOST", "OTHER")}

    def exposed(self, name: str) -> Intervals:
        """Time in which this class worked and no other class of the device did; for the host: no class of the device."""
        return difference(self.engines[name], union(*(busy for other, busy in self.device_engines.items() if other != name)))


def engine_lanes(trace: Trace, engine: str) -> list[Track]:
    """Rows of an engine class; the row of the recording sessions is none."""
    sessions = set(trace.slices.track[session_slices(trace)].tolist())
    return [t for t in trace.tracks if t.engine == engine and t.kind == "thread" and t.id not in sessions]


def device_activity(trace: Trace, within: TimeRange | None = None) -> Activity:
    """Busy time by engine class and by kind of work, cut to ``within``."""
    return _whole_activity(trace) if within is None else _find_activity(trace, within)


@per_trace
def _whole_activity(trace: Trace) -> Activity:
    return _find_activity(trace, None)


def _find_activity(trace: Trace, within: TimeRange | None) -> Activity:
    extent = slice_extent(trace, within)
    rows = np.flatnonzero(root_slices(trace) & extent.is_inside & ~session_slices(trace))
    starts, ends, tracks = extent.start_ns[rows], extent.end_ns[rows], trace.slices.track[rows]
    class_of = np.array([CLASSES.index(t.engine) if t.engine else len(CLASSES) for t in trace.tracks] or [0], np.uint8)
    owner = class_of[tracks] if len(rows) else np.zeros(0, np.uint8)
    engines, lanes = {}, {}
    for index, name in enumerate(CLASSES):
        busy_rows = owner == index
        if busy_rows.any():
            engines[name] = merge(starts[busy_rows], ends[busy_rows])
        if count := len(engine_lanes(trace, name)):
            lanes[name] = count
    roles = slice_roles(trace)
    # Annotations may lie over the kernels of a stream, so a kernel counts at any depth.
    work = np.flatnonzero(device_slices(trace) & extent.is_inside)
    kind, starts, ends = roles[work], extent.start_ns[work], extent.end_ns[work]
    is_copy, is_comm = kind == Role.MEMCPY, kind == Role.COMMUNICATION
    is_compute = ~(is_copy | is_comm)
    return Activity(
        {name: engines.get(name, merge(starts[:0], ends[:0])) for name in CLASSES if name in lanes or name in engines},
        {name: lanes.get(name, 0) for name in CLASSES if name in lanes or name in engines},
        merge(starts[is_compute], ends[is_compute]),
        merge(starts[is_copy], ends[is_copy]),
        merge(starts[is_comm], ends[is_comm]),
    )
