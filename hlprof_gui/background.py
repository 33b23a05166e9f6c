"""What the window has worked out about a trace in working threads. Heavy parts are loaded there, not when the window opens."""

from __future__ import annotations

import importlib
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from hlprof_core.errors import UsageError
from hlprof_core.levels.kept import open_levels
from hlprof_core.levels.pyramid import Levels
from hlprof_core.progress import Progress
from hlprof_core.services import open_trace
from hlprof_core.trace.model import Trace
from hlprof_gui.read_ahead import ReadAhead
from hlprof_gui.state.groups import prepare_groups
from hlprof_gui.state.session import known_fingerprint, known_groups, known_tracks, session_path
from hlprof_gui.state.view_state import ColourBy, ColourGroups
from hlprof_gui.timeline.colours import known_colours, known_group_colours
from hlprof_gui.timeline.labels import frequent_names
from hlprof_gui.timeline.overlay import has_unfinished
from hlprof_gui.viewmodels.counter_tracks import known_counters

if TYPE_CHECKING:
    from hlprof_core.analysis.steps import Step


def colour_groups(trace: Trace, key: str, progress: Progress) -> ColourGroups:
    """The values of an argument for all slices."""
    from hlprof_core.analysis.statistics import group_keys

    keys, labels = group_keys(trace, np.arange(len(trace.slices), dtype=np.int64), f"args.{key}", progress)
    groups = ColourGroups(key, keys, labels)
    known_group_colours(groups)
    return groups


def work_out_colours(trace: Trace, by: ColourBy) -> ColourBy:
    """So that choosing them later takes no time in the window's thread."""
    known_colours(trace, by)
    return by


def known_steps(trace: Trace) -> tuple[Step, ...]:
    """The steps that the trace marks."""
    from hlprof_core.analysis.steps import marked_steps

    return marked_steps(trace)


def load(path: Path, by: ColourBy, progress: Progress, ahead: ReadAhead | None = None, is_again: bool = False) -> tuple[Trace, Levels]:
    """Read a trace, or take it from who reads it already, and make it ready for drawing in these colours and for what is restored."""
    trace = ahead.take(progress) if ahead is not None else open_trace(path, progress)
    if trace.origin.path is not None:
        with suppress(UsageError):  # it is gone again: told by who needs it
            known_fingerprint(trace)
    progress.report("preparing the view", 0, 0)
    levels = open_levels(trace, progress)
    prepare(trace, levels, by)
    if is_again or session_path(path).is_file():
        known_tracks(trace)
        known_groups(trace)
    importlib.import_module("numpy.ma")  # np.unique loads it at its first call, which would be in the window's thread
    return trace, levels


def prepare(trace: Trace, levels: Levels, by: ColourBy = "name") -> None:
    """Work out what the first frame would else wait for."""
    known_colours(trace, by if by != "argument" else "name")
    frequent_names(trace)
    has_unfinished(trace)
    prepare_groups(trace)
    _ = trace.track_lanes, trace.samples_by_track, levels.marks
    known_counters(trace).prepare_large(trace)
