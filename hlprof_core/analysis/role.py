"""What kind of work a slice is: kernel, copy, communication, host call ... read off its row, category and name."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from hlprof_core.analysis.memo import per_trace
from hlprof_core.trace.model import Trace
from hlprof_core.trace.table import U4

Roles = npt.NDArray[np.uint8]


class Role(IntEnum):
    """In the order in which the parts of a step are counted: a later one counts only where no earlier one is active."""

    NONE = 0
    KERNEL = 1
    MEMCPY = 2
    MEMSET = 3
    COMMUNICATION = 4
    RUNTIME = 5
    DATALOADER = 6
    CPU_OP = 7


PARTS = tuple((role, role.name.lower()) for role in Role if role is not Role.NONE)
DEVICE_ENGINES = {"MME": Role.KERNEL, "TPC": Role.KERNEL, "DMA": Role.MEMCPY, "NIC": Role.COMMUNICATION}
CATEGORIES = {
    "kernel": Role.KERNEL,
    "gpu_memcpy": Role.MEMCPY,
    "memcpy": Role.MEMCPY,
    "gpu_memset": Role.MEMSET,
    "memset": Role.MEMSET,
    "runtime": Role.RUNTIME,
    "cuda_runtime": Role.RUNTIME,
    "cuda_driver": Role.RUNTIME,
    "hip_runtime": Role.RUNTIME,
    "xpu_runtime": Role.RUNTIME,
    "mtia_runtime": Role.RUNTIME,
    "mtia_ccp_events": Role.KERNEL,
    "privateuse1_runtime": Role.RUNTIME,
    "privateuse1_driver": Role.RUNTIME,
    "operator": Role.CPU_OP,
    "cpu_op": Role.CPU_OP,
    "hpu_op": Role.CPU_OP,
}
"""Categories as the PyTorch profiler has written them over the years, in lower case."""

SESSION_CATEGORY = "profiler_session"
"""Slices that say when the recorder was on."""
ANNOTATIONS = frozenset(("python_function", "user_annotation", "gpu_user_annotation", "trace", SESSION_CATEGORY))
"""Categories of slices that describe other slices; they are no work on whichever row they stand."""

ITERATION_MARK = re.compile(r"(profilerstep|(train(ing)?|eval|global)?[_ ]?(step|iteration|iter|batch))\s*[#:_ ]?\s*\d+", re.IGNORECASE)
_COLLECTIVE_KERNEL = re.compile(r"nccl|rccl|hccl|oneccl|msccl", re.IGNORECASE)
_COLLECTIVE_OP = re.compile(r"(nccl|gloo|mpi|ucc|hccl):|c10d::|_?all_?(reduce|gather|to_?all)", re.IGNORECASE)
_MEMSET = re.compile(r"memset", re.IGNORECASE)
_DATALOADER = "enumerate(DataLoader)"


def is_iteration_mark(name: str) -> bool:
    """Whether a slice of that name stands for one iteration of the program, e.g. ``ProfilerStep#7``."""
    return ITERATION_MARK.fullmatch(name) is not None


@per_trace
def slice_roles(trace: Trace) -> Roles:
    """A ``Role`` for each slice."""
    slices = trace.slices
    if not len(slices):
        return np.zeros(0, np.uint8)
    by_category = np.zeros(len(trace.strings), np.uint8)
    is_annotation = np.zeros(len(trace.strings), np.bool_)
    for index in np.flatnonzero(used_texts(slices.cat, len(trace.strings))).tolist():
        category = trace.strings[index].lower()
        by_category[index] = CATEGORIES.get(category, Role.NONE)
        is_annotation[index] = category in ANNOTATIONS
    by_track = np.zeros(len(trace.tracks), np.uint8)
    is_engine = np.zeros(len(trace.tracks), np.bool_)
    for track in trace.tracks:
        by_track[track.id] = DEVICE_ENGINES.get(track.engine, Role.RUNTIME if track.engine == "HOST" else Role.NONE)
        is_engine[track.id] = track.engine in DEVICE_ENGINES
    # A row of an engine says it all; on a host row the category knows more than the row, where it says anything.
    roles = by_category[slices.cat]
    roles = np.where(is_engine[slices.track] | (roles == Role.NONE), by_track[slices.track], roles)
    roles[is_annotation[slices.cat]] = Role.NONE
    is_host_call = (roles == Role.RUNTIME) | (roles == Role.CPU_OP)
    refine(trace, roles, roles == Role.KERNEL, Role.COMMUNICATION, lambda name: _COLLECTIVE_KERNEL.search(name) is not None)
    refine(trace, roles, roles == Role.MEMCPY, Role.MEMSET, lambda name: _MEMSET.search(name) is not None)
    refine(trace, roles, is_host_call, Role.NONE, is_iteration_mark)
    refine(trace, roles, roles == Role.CPU_OP, Role.DATALOADER, lambda name: name.startswith(_DATALOADER))
    return roles


@per_trace
def device_slices(trace: Trace) -> npt.NDArray[np.bool_]:
    """Slices that are work of an accelerator: rows of its engines, and kernels, copies and fills by category."""
    roles = slice_roles(trace)
    return np.isin(roles, (Role.KERNEL, Role.MEMCPY, Role.MEMSET, Role.COMMUNICATION))


@per_trace
def session_slices(trace: Trace) -> npt.NDArray[np.bool_]:
    """Recording sessions that the program opened."""
    is_session = np.zeros(len(trace.strings), np.bool_)
    for index in np.flatnonzero(used_texts(trace.slices.cat, len(trace.strings))).tolist():
        is_session[index] = trace.strings[index] == SESSION_CATEGORY
    return is_session[trace.slices.cat]


@per_trace
def host_collectives(trace: Trace) -> npt.NDArray[np.bool_]:
    """Host operators that stand for communication (``nccl:all_reduce``, ``c10d::...``)."""
    roles = slice_roles(trace).copy()
    is_operator = roles == Role.CPU_OP
    refine(trace, roles, is_operator, Role.COMMUNICATION, lambda name: _COLLECTIVE_OP.match(name) is not None)
    return np.asarray(is_operator & (roles == Role.COMMUNICATION), np.bool_)


def refine(trace: Trace, roles: Roles, candidates: npt.NDArray[np.bool_], role: Role, accept: Callable[[str], bool]) -> None:
    """Give the candidates whose name is accepted another role; each distinct name is looked at once."""
    rows = np.flatnonzero(candidates)
    if not len(rows):
        return
    names = trace.slices.name[rows]
    accepted = np.zeros(len(trace.strings), np.bool_)
    for index in np.flatnonzero(used_texts(names, len(trace.strings))).tolist():
        accepted[index] = accept(trace.strings[index])
    roles[rows[accepted[names]]] = role


def used_texts(column: U4, size: int) -> npt.NDArray[np.bool_]:
    """Which string ids occur in a column."""
    used = np.zeros(size, np.bool_)
    used[column] = True
    return used
