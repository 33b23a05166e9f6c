"""The first look at events against a plain one, event by event."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hlprof_core._kernels import layout as kernel
from hlprof_core.trace import survey
from hlprof_core.trace.events import NO_TIME, EventBlock, SampleBlock
from hlprof_core.trace.feed import COLUMNS, SAMPLE_COLUMNS
from hlprof_core.trace.ranges import TimeRange

MOST = np.iinfo(np.int64).max
EVENT = st.tuples(
    st.sampled_from("BEXiIRbneSTpFstfCMZ"),
    st.one_of(st.integers(-50, 50), st.just(NO_TIME), st.just(MOST - 3)),
    st.one_of(st.integers(-5, 50), st.just(NO_TIME)),
    st.integers(0, 2),
)


def block(events: list[tuple[str, int, int, int]]) -> EventBlock:
    columns = [np.zeros(len(events), kind) for kind in COLUMNS]
    columns[0][:] = [ord(phase) for phase, *_ in events]
    for number in (1, 2, 3):
        columns[number][:] = [event[number] for event in events]
    return EventBlock(*columns)


@settings(max_examples=150)
@given(st.lists(EVENT, max_size=30))
def test_each_event_is_seen_once(events: list[tuple[str, int, int, int]]) -> None:
    samples = SampleBlock(*(np.empty(0, kind) for kind in SAMPLE_COLUMNS))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(survey, "PIECE", 7)
        found = survey.survey_events(block(events), samples, 3, lambda _done: None)
    timed = [(k, *event) for k, event in enumerate(events) if event[1] != NO_TIME]
    slices = [event for event in timed if event[1] in "BEX"]
    assert np.flatnonzero(found.mask).tolist() == [event[0] for event in slices]
    assert found.events_of_row.tolist() == [sum(event[4] == row for event in slices) for row in range(3)]
    assert found.begins_of_row.tolist() == [sum(event[4] == row and event[1] != "E" for event in slices) for row in range(3)]
    for numbers, phases in ((found.instants, "iIR"), (found.asynchronous, "bneSTpF"), (found.flows, "stf")):
        assert numbers.tolist() == [event[0] for event in timed if event[1] in phases]
    ignored = [event[1] for event in timed if event[1] in "CMZ"]
    assert (found.ignored, found.ignored_phases) == (len(ignored), set(map(ord, ignored)))
    missing = [k for k, event in enumerate(events) if event[1] == NO_TIME]
    assert found.bad_times == (len(missing), missing[:5])
    ends = [min(time + max(dur, 0), MOST) for _, _, time, dur, _ in timed]
    assert found.extent == (TimeRange(min(event[2] for event in timed), max(ends)) if timed else None)


def test_what_does_not_fit_is_refused() -> None:
    byte, long, word = np.full(2, ord("X"), np.uint8), np.zeros(2, np.int64), np.zeros(2, np.uint32)
    classes, phases, rows = survey.CLASS_OF_PHASE, np.zeros(256, np.int64), np.zeros(1, np.int64)
    for wrong in (
        (byte, long[:1], long, word, classes, byte.copy(), rows, rows.copy(), phases),
        (byte, long, long, word + 1, classes, byte.copy(), rows, rows.copy(), phases),
        (byte, long, long, word, classes + 3, byte.copy(), rows, rows.copy(), phases),
        (byte, long, long, word, classes, byte.copy(), rows, np.zeros(2, np.int64), phases),
    ):
        with pytest.raises(ValueError, match="survey"):
            kernel.survey(*wrong)
