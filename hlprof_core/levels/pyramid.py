"""Levels of detail: for each lane, runs of slices merged so that a frame costs what its pixels cost."""

from __future__ import annotations

from dataclasses import dataclass

from hlprof_core.progress import Progress
from hlprof_core.trace.model import Trace


@dataclass(frozen=True, eq=False)
class Levels:
    """The pyramid over one trace."""

    trace: Trace


def build_levels(trace: Trace, progress: Progress | None = None) -> Levels:
    """Make the pyramid; cost grows with the slices, memory is about 23 bytes a slice."""
    raise NotImplementedError
