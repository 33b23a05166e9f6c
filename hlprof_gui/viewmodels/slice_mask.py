"""Some slices on some rows as a mask over all slices. Knows no Qt."""

from __future__ import annotations

import numpy as np

from hlprof_core.levels.text_set import Mask
from hlprof_core.trace.model import Trace


def slice_mask(trace: Trace, slice_ids: np.ndarray | None, tracks: tuple[int, ...] | None) -> Mask | None:
    """What is counted: these slices on these rows; None for all."""
    if slice_ids is None and tracks is None:
        return None
    mask = np.full(len(trace.slices), slice_ids is None)
    if slice_ids is not None:
        mask[slice_ids] = True
    if tracks is not None:
        is_wanted = np.zeros(len(trace.tracks), np.bool_)
        is_wanted[list(tracks)] = True
        mask &= is_wanted[trace.slices.track]
    return mask
