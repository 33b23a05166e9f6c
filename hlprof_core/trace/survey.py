"""First look at the events: what they are, which rows they are on, from when to when. In pieces, so that it can be followed and stopped."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct, field

from hlprof_core._kernels import layout as kernel
from hlprof_core.diagnostics import FIRST_PLACES
from hlprof_core.trace.events import NO_TIME, EventBlock, SampleBlock
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
    ends, phases = np.zeros(rows, np.int64), np.zeros(256, np.int64)
    for at in range(0, total, PIECE):
        report(at)
        piece = slice(at, min(at + PIECE, total))
        phase, time, dur, row = events.phase[piece], events.ts_ns[piece], events.dur_ns[piece], events.row[piece]
        kind = survey.mask[piece]
        counts, first, last, (missing, places) = kernel.survey(
            phase, time, dur, row, CLASS_OF_PHASE, kind, survey.events_of_row, ends, phases
        )
        bad += [at + place for place in places[: FIRST_PLACES - len(bad)]]
        survey.bad_times = (survey.bad_times[0] + missing, bad)
        for wanted, numbers in found.items():
            if counts[wanted]:
                numbers.append((np.flatnonzero(kind == wanted) + at).astype(np.uint32))
        if first <= last:
            moments += first, last
        if counts[SLICE] < len(kind):
            np.equal(kind, SLICE, out=kind)
    ignored = np.flatnonzero((CLASS_OF_PHASE == IGNORED) & (phases > 0))
    survey.ignored, survey.ignored_phases = int(phases[ignored].sum()), set(ignored.tolist())
    survey.begins_of_row = survey.events_of_row - ends
    survey.instants, survey.asynchronous, survey.flows = (_joined(numbers) for numbers in found.values())
    sampled = samples.time_ns[samples.time_ns != NO_TIME]
    if len(sampled):
        moments += int(sampled.min()), int(sampled.max())
    if moments:
        survey.extent = TimeRange(min(moments), max(moments))
    return survey


def _joined(parts: list[U4]) -> U4:
    return np.concatenate(parts) if parts else np.empty(0, np.uint32)
