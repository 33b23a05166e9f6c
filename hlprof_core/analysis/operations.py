"""Which operations cost the time: by operator where a framework recorded them, else by the name of the work itself."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import Struct

from hlprof_core.analysis.argument import first_value, read_args
from hlprof_core.analysis.base import SLICES, register
from hlprof_core.analysis.extent import Extent, Mask, slice_extent
from hlprof_core.analysis.intervals import union_length_by_key
from hlprof_core.analysis.launch import find_launches, operator_slices
from hlprof_core.analysis.result import Result
from hlprof_core.analysis.role import DEVICE_ENGINES, Role, device_slices, slice_roles
from hlprof_core.analysis.self_time import exclusive_ns, self_ns
from hlprof_core.trace.model import Trace
from hlprof_core.trace.ranges import TimeRange
from hlprof_core.trace.table import I8

COLUMNS = ("name", "count", "total_ns", "self_ns", "device_ns", "self_device_ns", "busy_ns", "engine", "op", "dtype")
DESCRIBED = 5000
"""So many operations, the costliest, are looked up for kernel guid and data type."""
OP_KEYS, DTYPE_KEYS = ("op", "Operation", "operation"), ("dtype", "Data Type", "dataType")


class Population(Struct, frozen=True, eq=False):
    """The slices that count as operations, and the device time of each: of all it launched, and launched by itself."""

    is_operation: Mask
    device_ns: I8
    self_device_ns: I8


@register("operations", "Top operations", needs=(SLICES,))
def operations(trace: Trace, within: TimeRange | None = None) -> Result:
    """Operations by the device time they cost, then by their own time; ``busy_ns`` is the time in which the device worked on them.

    An operation that ran on n lanes at once counts n times in ``count``, ``total_ns`` and ``device_ns``, once in ``busy_ns``.
    """
    extent = slice_extent(trace, within)
    own = self_ns(trace) if within is None else exclusive_ns(trace, extent)
    population = _population(trace, extent)
    rows_of = np.flatnonzero(population.is_operation & extent.is_inside)
    name = trace.slices.name[rows_of]
    used, key = np.unique(name, return_inverse=True)
    columns: dict[str, I8] = {"count": np.bincount(key, minlength=len(used)).astype(np.int64)}
    for column, values in (
        ("total_ns", extent.end_ns - extent.start_ns),
        ("self_ns", own),
        ("device_ns", population.device_ns),
        ("self_device_ns", population.self_device_ns),
    ):
        columns[column] = np.zeros(len(used), np.int64)
        np.add.at(columns[column], key, values[rows_of])
    is_device = device_slices(trace)[rows_of]
    columns["busy_ns"] = union_length_by_key(
        key[is_device], extent.start_ns[rows_of[is_device]], extent.end_ns[rows_of[is_device]], len(used)
    )
    cost = np.where(columns["busy_ns"] > 0, columns["busy_ns"], columns["self_device_ns"])
    order = np.lexsort((-columns["total_ns"], -columns["self_ns"], -cost))
    first = np.zeros(len(used), np.int64)
    first[key[::-1]] = rows_of[::-1]
    described = _describe(trace, first[order[:DESCRIBED]])
    rows: list[dict[str, Any]] = []
    for place, i in enumerate(order.tolist()):
        row: dict[str, Any] = {"name": trace.strings[int(used[i])]}
        row |= {column: int(values[i]) for column, values in columns.items()}
        row["engine"] = trace.tracks[int(trace.slices.track[first[i]])].engine
        row["op"], row["dtype"] = described[place] if place < len(described) else ("", "")
        rows.append(row)
    return Result("operations", "Top operations", COLUMNS, rows, {"slices": len(rows_of)})


def _population(trace: Trace, extent: Extent) -> Population:
    length = np.where(extent.is_inside, extent.end_ns - extent.start_ns, 0)
    is_device, is_operator = device_slices(trace), operator_slices(trace)
    zeros = np.zeros(len(trace.slices), np.int64)
    has_engines = any(t.engine in DEVICE_ENGINES for t in trace.tracks)
    if is_operator.any() and not has_engines:
        launches = find_launches(trace)
        linked = launches.operator >= 0
        alone = zeros.copy()
        np.add.at(alone, launches.operator[linked], length[launches.work[linked]])
        subtree = _sum_subtrees(trace, alone)
        # Work that nobody is known to have launched stands under its own name.
        orphans = launches.work[~linked]
        alone[orphans] = subtree[orphans] = length[orphans]
        is_operation = is_operator.copy()
        is_operation[orphans] = True
        return Population(is_operation, subtree, alone)
    if is_device.any():
        device = np.where(is_device, length, 0)
        own = np.where(is_device, exclusive_ns(trace, extent), 0)
        is_host = (slice_roles(trace) == Role.RUNTIME) | is_operator
        return Population(is_device | is_host if has_engines else is_device, device, own)
    if is_operator.any():
        return Population(is_operator, zeros, zeros)
    return Population(np.ones(len(trace.slices), np.bool_), zeros, zeros)


def _sum_subtrees(trace: Trace, values: I8) -> I8:
    """Each slice's value plus those of everything inside it."""
    total: I8 = values.copy()
    depth, parent = trace.slices.depth, trace.slices.parent
    inner = np.flatnonzero(parent >= 0)
    order = inner[np.argsort(-depth[inner].astype(np.int64), kind="stable")]
    levels = np.flatnonzero(np.diff(depth[order].astype(np.int64))) + 1
    for rows in np.split(order, levels):
        np.add.at(total, parent[rows], total[rows])
    return total


def _describe(trace: Trace, examples: I8) -> list[tuple[str, str]]:
    """Kernel guid and data type of one slice of each operation; a node of a recipe has the same in every run."""
    found = {
        slice_id: (first_value(args, *OP_KEYS), first_value(args, *DTYPE_KEYS)) for slice_id, args in read_args(trace, np.unique(examples))
    }
    return [found.get(slice_id, ("", "")) for slice_id in examples.tolist()]
