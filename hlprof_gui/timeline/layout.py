"""Which row of the timeline lies where: groups, lanes, instants and counters from top to bottom, in logical pixels. Knows no Qt.

Everything is columns, so that a hundred thousand tracks cost nothing to scroll: the view asks for the rows between two heights.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from hlprof_core.trace.model import Trace
from hlprof_core.trace.table import I1, I8

B1 = npt.NDArray[np.bool_]


class RowKind(IntEnum):
    GROUP, LANE, INSTANTS, COUNTER = range(4)


HEIGHTS = {RowKind.GROUP: 26, RowKind.LANE: 20, RowKind.INSTANTS: 14, RowKind.COUNTER: 40}
TRACK_GAP = 3
"""Free space below each track."""


@dataclass(frozen=True, eq=False, slots=True)
class Layout:
    """Rows in screen order. Row r: ``kind``, ``y`` .. ``y + height``, ``process``, ``track`` (-1 for groups) and ``source``:
    the lane (LANE), the series (COUNTER), the track (INSTANTS), or the process (GROUP)."""

    kind: I1
    y: I8
    height: I8
    process: I8
    track: I8
    source: I8
    collapsed: B1
    """For each process: folded to its header, which then shows a summary."""
    total_height: int
    track_first: I8
    """First row of each track, -1 when it has none on the screen."""
    group_row: I8
    """Header row of each process."""

    def __len__(self) -> int:
        return len(self.kind)

    def between(self, top: float, bottom: float) -> range:
        """Rows that have a part in [top, bottom)."""
        first = int(np.searchsorted(self.y, top, side="right")) - 1
        return range(max(first, 0), int(np.searchsorted(self.y, bottom, side="left")))

    def row_at(self, y: float) -> int | None:
        """The row that covers that height, None in a gap or below the last."""
        row = int(np.searchsorted(self.y, y, side="right")) - 1
        return row if row >= 0 and y < self.y[row] + self.height[row] else None

    def track_extent(self, track: int) -> tuple[int, int] | None:
        """Top and bottom of a track, None when it is folded away or empty."""
        first = int(self.track_first[track])
        if first < 0:
            return None
        last = first
        while last + 1 < len(self.track) and self.track[last + 1] == track:
            last += 1
        return int(self.y[first]), int(self.y[last] + self.height[last])

    def lane_row(self, trace: Trace, track: int, depth: int) -> int | None:
        """The row of a slice's lane, None when its process is folded."""
        lane = int(trace.track_lanes[track]) + depth
        first = int(self.track_first[track])
        if first < 0:
            return None
        rows = range(first, min(first + 2 + int(trace.track_lanes[track + 1] - trace.track_lanes[track]), len(self)))
        return next((r for r in rows if self.kind[r] == RowKind.LANE and self.source[r] == lane), None)


def build_layout(trace: Trace, collapsed: frozenset[int] = frozenset()) -> Layout:
    """Rows of a trace: for each process a header, then its tracks unless it is folded; tracks without events take no room."""
    tracks, processes = len(trace.tracks), len(trace.processes)
    owner = np.fromiter((t.process for t in trace.tracks), np.int64, tracks)
    lanes = np.diff(trace.track_lanes)
    marks = np.diff(np.searchsorted(trace.instants.track, np.arange(tracks + 1)))
    series_track = np.fromiter((s.track for s in trace.series), np.int64, len(trace.series))
    series = np.bincount(series_track, minlength=tracks)[:tracks] if tracks else np.empty(0, np.int64)
    folded = np.zeros(processes, np.bool_)
    folded[[p for p in collapsed if 0 <= p < processes]] = True
    content = lanes + (marks > 0) + series
    shown = content * ~folded[owner] if tracks else content
    has_content = np.bincount(owner, weights=content, minlength=processes)[:processes] > 0 if tracks else np.zeros(processes, np.bool_)
    per_process = np.zeros(processes, np.int64)
    if tracks:
        per_process[:] = np.bincount(owner, weights=shown, minlength=processes)[:processes]
    groups = has_content.astype(np.int64)
    total = int(per_process.sum() + groups.sum())

    before = np.concatenate(([0], np.cumsum(groups + per_process)))[:-1]
    group_row = np.where(has_content, before, -1)
    kind = np.full(total, RowKind.LANE, np.uint8)
    process, track, source = np.zeros(total, np.int64), np.full(total, -1, np.int64), np.zeros(total, np.int64)
    heads = group_row[has_content]
    kind[heads], process[heads], source[heads] = RowKind.GROUP, np.flatnonzero(has_content), np.flatnonzero(has_content)

    visible = np.flatnonzero(shown)
    count = shown[visible]
    body = np.ones(total, np.bool_)
    body[heads] = False
    rows = np.flatnonzero(body)
    first_of = np.cumsum(count) - count
    track_first = np.full(tracks, -1, np.int64)
    track_first[visible] = rows[first_of] if len(visible) else 0
    owner_of_row = np.repeat(visible, count)
    track[rows], process[rows] = owner_of_row, owner[owner_of_row]
    place = np.arange(len(rows)) - np.repeat(first_of, count)
    has_marks, of_lanes = (marks > 0).astype(np.int64)[owner_of_row], lanes[owner_of_row]
    series_order = np.argsort(series_track, kind="stable")
    series_first = np.searchsorted(series_track[series_order], np.arange(tracks))
    is_mark = (place == 0) & (has_marks == 1)
    is_series = place >= has_marks + of_lanes
    kind[rows[is_mark]], kind[rows[is_series]] = RowKind.INSTANTS, RowKind.COUNTER
    values = trace.track_lanes[owner_of_row] + place - has_marks
    values[is_mark] = owner_of_row[is_mark]
    if is_series.any():
        values[is_series] = series_order[series_first[owner_of_row[is_series]] + (place - has_marks - of_lanes)[is_series]]
    source[rows] = values

    height = np.array([HEIGHTS[k] for k in RowKind], np.int64)[kind]
    only_marks = (kind == RowKind.INSTANTS) & (track >= 0)
    if only_marks.any():
        height[only_marks & (content[track] == 1)] = HEIGHTS[RowKind.LANE]
    gap = np.zeros(total, np.int64)
    if len(visible):
        gap[track_first[visible] + count - 1] = TRACK_GAP
    y = np.cumsum(height + gap) - (height + gap)
    total_height = int(y[-1] + height[-1] + gap[-1]) if total else 0
    return Layout(kind, y, height, process, track, source, folded, total_height, track_first, group_row)
