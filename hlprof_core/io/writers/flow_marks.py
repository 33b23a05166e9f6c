"""Arrows as flow events: for each end a moment at which exactly its slice is the innermost one, and ids that keep chains apart."""

from __future__ import annotations

import numpy as np
from msgspec import Struct, field

from hlprof_core.trace.model import Trace
from hlprof_core.trace.table import I8


class FlowMarks(Struct):
    """One row a mark: ``phase`` s, t or f, the slice it belongs to, the flow it came from, and what to append to the id."""

    phase: list[bytes] = field(default_factory=list)
    slice: list[int] = field(default_factory=list)
    flow: list[int] = field(default_factory=list)
    suffix: list[str] = field(default_factory=list)
    time_ns: I8 = field(default_factory=lambda: np.empty(0, np.int64))

    def add(self, phase: bytes, slice_id: int, flow: int, suffix: str = "") -> None:
        self.phase.append(phase)
        self.slice.append(slice_id)
        self.flow.append(flow)
        self.suffix.append(suffix)


def plan_marks(trace: Trace) -> FlowMarks:
    """Marks of all arrows. Chains and fans keep one id; other arrows that share an id get a number behind it."""
    flows, marks = trace.flows, FlowMarks()
    if not len(flows.id):
        return marks
    quiet = _quiet_moments(trace)
    key = (flows.id.astype(np.uint64) << np.uint64(32)) | flows.cat
    order = np.lexsort((quiet[flows.from_slice], key))
    borders = np.flatnonzero(np.diff(key[order])) + 1
    source, target = flows.from_slice.tolist(), flows.to_slice.tolist()
    for group in np.split(order, borders):
        numbers = group.tolist()
        sources, targets = [source[n] for n in numbers], [target[n] for n in numbers]
        moments = [int(quiet[sources[0]]), *(int(quiet[t]) for t in targets)]
        if len(set(sources)) == 1:
            marks.add(b"s", sources[0], numbers[0])
            for number, end in zip(numbers, targets, strict=True):
                marks.add(b"f", end, number)
        elif sorted(set(moments)) == moments and sources[1:] == targets[:-1]:
            marks.add(b"s", sources[0], numbers[0])
            for number, end in zip(numbers[:-1], targets[:-1], strict=True):
                marks.add(b"t", end, number)
            marks.add(b"f", targets[-1], numbers[-1])
        else:
            for position, (number, start, end) in enumerate(zip(numbers, sources, targets, strict=True)):
                marks.add(b"s", start, number, f".{position}")
                marks.add(b"f", end, number, f".{position}")
    marks.time_ns = quiet[np.array(marks.slice)]
    return marks


def _quiet_moments(trace: Trace) -> I8:
    """For each slice a moment without a child: its start, or just behind a child where children stand at the start."""
    s = trace.slices
    quiet = s.start_ns.copy()
    children = np.flatnonzero(s.parent >= 0)
    children = children[np.lexsort((s.start_ns[children], s.parent[children]))]
    parents = s.parent[children]
    heads = np.flatnonzero(np.diff(parents, prepend=-1))
    blocked = heads[s.start_ns[children[heads]] == s.start_ns[parents[heads]]]
    ends = np.append(heads[1:], len(children))[np.searchsorted(heads, blocked)]
    for begin, end in zip(blocked.tolist(), ends.tolist(), strict=True):
        parent = int(parents[begin])
        last = int(s.start_ns[parent] + s.dur_ns[parent])
        moment = int(s.start_ns[parent])
        for child in children[begin:end].tolist():
            if int(s.start_ns[child]) > moment:
                break
            moment = max(moment, int(s.start_ns[child] + s.dur_ns[child]) + 1)
        quiet[parent] = moment if moment <= last else int(s.start_ns[parent])
    return quiet
