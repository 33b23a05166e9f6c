"""Memory of large columns: straight from the system, so that it is the system's again the moment a column is dropped."""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np
import numpy.typing as npt

from hlprof_core._kernels import budget

LARGE = 1 << 20
"""Bytes from which a column is a mapping of its own; smaller ones share the heap."""
HUGE = 4 << 20
"""Bytes from which large pages are asked for."""


def new_column(count: int, kind: npt.DTypeLike) -> npt.NDArray[Any]:
    """A writable column of any content. The heap would keep what was freed in it, in pieces that fit nothing else."""
    size = count * np.dtype(kind).itemsize
    if size < LARGE or budget.in_force() or not hasattr(mmap, "MAP_ANONYMOUS"):
        return np.empty(count, kind)  # with a budget, numpy takes its memory from there
    mapped = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if size >= HUGE and hasattr(mmap, "MADV_HUGEPAGE"):
        mapped.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(mapped, kind, count)
