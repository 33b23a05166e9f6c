"""First look at the events: what they are, which rows they are on, from when to when. In pieces, so that it can be followed and stopped."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct, field

from hlprof_core.diagnostics import FIRST_PLACES
from hlprof_core.trace.events import NO_TIME, EventBlock, SampleBlock
from hlprof_core.trace.feed import saturated_sum
from hlprof_core.trace.memory import new_column
from hlprof_core.trace.ranges import TimeRange
from hlprof_core.trace.stacking import Places
from hlprof_core.trace.table import I1, I8, U4

SLICE, INSTANT, ASYNC, FLOW, IGNORED = 1, 2, 3, 4, 5
CLASS_OF_PHASE = np.full(256, IGNORED, np.uint8)
for _kind, _phases in ((SLICE, b"BEX"), (INSTANT, b"iIR"), (ASYNC, b"bneSTpF"), (FLOW, b"stf")):
    CLASS_OF_PHASE[list(_phases)] = _kind
PIECE = 1 << 18
"""Events looked at in one step."""


class Survey(Struct):
    """``mask``: 1 where an event belongs to a slice of a thread; instants, asynchronous events and flow marks by number."""

    mask: I1
    events_of_row: I8
    """Events of slices."""
    begins_of_row: I8
    """Slices: of those events, all but the ends."""
    instants: U4
    asynchronous: U4
    flows: U4
    bad_times: Places = (0, [])
    ignored: int = 0
    ignored_phases: set[int] = field(default_factory=set)
    extent: TimeRange | None = None


def survey_events(events: EventBlock, samples: SampleBlock, rows: int, report: Callable[[int], None]) -> Survey:
    """``report`` is called with the number of events seen, at least every ``PIECE`` of them."""
    total = len(events)
    found: dict[int, list[U4]] = {INSTANT: [], ASYNC: [], FLOW: []}
    survey = Survey(new_column(total, np.uint8), np.zeros(rows, np.int64), np.zeros(rows, np.int64), *(np.empty(0, np.uint32),) * 3)
    moments: list[int] = []
    bad: list[int] = []
    for at in range(0, total, PIECE):
        report(at)
        end = min(at + PIECE, total)
        phase, time, dur, row = events.phase[at:end], events.ts_ns[at:end], events.dur_ns[at:end], events.row[at:end]
        kind = CLASS_OF_PHASE[phase]
        timeless = np.flatnonzero(time == NO_TIME)
        if len(timeless):
            survey.bad_times = (survey.bad_times[0] + len(timeless), bad)
            bad += [at + int(i) for i in timeless[: FIRST_PLACES - len(bad)]]
            kind[timeless] = 0
        counts = np.bincount(kind, minlength=IGNORED + 1)
        if counts[IGNORED]:
            survey.ignored += int(counts[IGNORED])
            survey.ignored_phases.update(np.unique(phase[kind == IGNORED]).tolist())
        for wanted, places in found.items():
            if counts[wanted]:
                places.append((np.flatnonzero(kind == wanted) + at).astype(np.uint32))
        mask = kind == SLICE
        survey.mask[at:end] = mask
        in_slices = row if counts[SLICE] == end - at else row[mask]
        ends = row[mask & (phase == ord("E"))]
        survey.events_of_row += np.bincount(in_slices, minlength=rows)
        survey.begins_of_row -= np.bincount(ends, minlength=rows)
        moments += _extent(time, dur, kind)
    survey.begins_of_row += survey.events_of_row
    survey.instants, survey.asynchronous, survey.flows = (_joined(found[kind]) for kind in (INSTANT, ASYNC, FLOW))
    sampled = samples.time_ns[samples.time_ns != NO_TIME]
    if len(sampled):
        moments += int(sampled.min()), int(sampled.max())
    if moments:
        survey.extent = TimeRange(min(moments), max(moments))
    return survey


def _extent(time: I8, dur: I8, kind: I1) -> list[int]:
    """First and last moment of all that can be placed in time, ends without a begin included."""
    placed = kind > 0
    if not placed.all():
        time, dur = time[placed], dur[placed]
    if not len(time):
        return []
    return [int(time.min()), int(saturated_sum(time, np.maximum(dur, 0)).max())]  # NO_TIME is negative


def _joined(parts: list[U4]) -> U4:
    return np.concatenate(parts) if parts else np.empty(0, np.uint32)
