"""Which operator launched which device work: by the id both carry, else by the launch call and what encloses it.

    operator  [aten::mm --------------------]    External id 4
    call          [cudaLaunchKernel]             correlation 334  (inside the operator)
    device                     [kernel]          correlation 334, External id 4
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from hlprof_core.analysis.argument import read_args
from hlprof_core.analysis.extent import Mask
from hlprof_core.analysis.memo import per_trace
from hlprof_core.analysis.role import Role, device_slices, is_iteration_mark, refine, slice_roles
from hlprof_core.trace.model import Trace
from hlprof_core.trace.table import I8

EXTERNAL_ID = ("External id", "external id")
CORRELATION = "correlation"


class Launches(Struct, frozen=True, eq=False):
    """``work[i]`` is a slice of the device, ``operator[i]`` the host operator that launched it, -1 when no link leads to one."""

    work: I8
    operator: I8


@per_trace
def find_launches(trace: Trace) -> Launches:
    """Links of all device work; reads the arguments of operators, launch calls and device work."""
    roles = slice_roles(trace)
    is_operator = (roles == Role.CPU_OP) | (roles == Role.DATALOADER)
    work = np.flatnonzero(device_slices(trace))
    operator = np.full(len(work), -1, np.int64)
    if not is_operator.any() or not len(work):
        return Launches(work, operator)
    by_external: dict[str, int] = {}
    for slice_id, args in read_args(trace, np.flatnonzero(is_operator)):
        if (external := _external_id(args)) is not None:
            by_external.setdefault(external, slice_id)
    call_of: dict[str, int] = {}
    for slice_id, args in read_args(trace, np.flatnonzero(roles == Role.RUNTIME)):
        if CORRELATION in args:
            call_of.setdefault(str(args[CORRELATION]), slice_id)
    place = {slice_id: i for i, slice_id in enumerate(work.tolist())}
    call = np.full(len(work), -1, np.int64)
    for slice_id, args in read_args(trace, work):
        i = place[slice_id]
        external = _external_id(args)
        if external is not None:
            operator[i] = by_external.get(external, -1)
        if CORRELATION in args:
            call[i] = call_of.get(str(args[CORRELATION]), -1)
    _follow_flows(trace, work, call)
    by_call = np.flatnonzero((operator < 0) & (call >= 0))
    operator[by_call] = enclosing(trace, call[by_call], is_operator)
    return Launches(work, operator)


def enclosing(trace: Trace, slice_ids: I8, accepted: Mask) -> I8:
    """For each slice the nearest accepted one around it (or itself); -1 when there is none."""
    current = slice_ids.astype(np.int64)
    open_rows = np.flatnonzero(current >= 0)
    open_rows = open_rows[~accepted[current[open_rows]]]
    while len(open_rows):
        current[open_rows] = trace.slices.parent[current[open_rows]]
        open_rows = open_rows[current[open_rows] >= 0]
        open_rows = open_rows[~accepted[current[open_rows]]]
    return current


def _external_id(args: object) -> str | None:
    if isinstance(args, dict):
        for key in EXTERNAL_ID:
            if key in args:
                return str(args[key])
    return None


def _follow_flows(trace: Trace, work: I8, call: I8) -> None:
    """Arrows from a host slice to device work tell the launch where no correlation does."""
    if not len(trace.flows):
        return
    missing = np.zeros(len(trace.slices), np.bool_)
    missing[work[call < 0]] = True
    is_device = device_slices(trace)
    arrows = np.flatnonzero(missing[trace.flows.to_slice] & ~is_device[trace.flows.from_slice])
    place = np.full(len(trace.slices), -1, np.int64)
    place[work] = np.arange(len(work))
    call[place[trace.flows.to_slice[arrows]]] = trace.flows.from_slice[arrows]


@per_trace
def operator_slices(trace: Trace) -> Mask:
    """Host operators of a framework trace, iteration marks left out."""
    roles = slice_roles(trace).copy()
    is_operator = (roles == Role.CPU_OP) | (roles == Role.DATALOADER)
    refine(trace, roles, is_operator, Role.NONE, is_iteration_mark)
    return np.asarray(is_operator & (roles != Role.NONE), np.bool_)
