"""Which row of the timeline lies where: groups, lanes, instants and counters from top to bottom, in logical pixels. Knows no Qt.

Everything is columns, so that a hundred thousand tracks cost nothing to scroll: the view asks for the rows between two heights.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from hlprof_core.trace.model import Trace
from hlprof_core.trace.table import I1, I8
from hlprof_gui.state.arrangement import Arrangement, group_order, track_rank
from hlprof_gui.state.groups import Groups, groups_of

B1 = npt.NDArray[np.bool_]


class RowKind(IntEnum):
    GROUP, LANE, INSTANTS, COUNTER = range(4)


HEIGHTS = {RowKind.GROUP: 26, RowKind.LANE: 20, RowKind.INSTANTS: 14, RowKind.COUNTER: 40}
LEGEND = {1: 0, 2: 14, 3: 14, 4: 14}
MOST_LEGEND = 30
"""By how much a row of counters is taller for the names of its series, by their number; at most so much."""
AS_IN_THE_FILE = Arrangement()
MOST_MARKS = 2
"""So many rows of instants and samples at most lie above the lanes of a track."""
TRACK_GAP = 3
"""Free space below each track."""


class Layout(Struct, frozen=True, eq=False):
    """Rows in screen order. Row r: ``kind``, ``y`` .. ``y + height``, ``group``, ``track`` (-1 for groups) and ``source``:
    the lane (LANE), the track (INSTANTS, COUNTER), or the group (GROUP). Samples of a profiler are INSTANTS too: their source is
    the track plus the number of all tracks."""

    kind: I1
    y: I8
    height: I8
    group: I8
    track: I8
    source: I8
    collapsed: B1
    """For each group: folded to its header, which then shows a summary."""
    total_height: int
    pinned_rows: int
    """So many rows at the top stay in sight while the others scroll below them."""
    pinned_height: int
    track_first: I8
    """First row of each track, -1 when it has none on the screen."""
    group_row: I8
    """Header row of each group, -1 without one."""
    heads: I8
    """Rows of all headers in screen order."""
    arrangement: Arrangement
    """What it was made by."""
    groups: Groups
    filled: I8
    """For each group how many of its tracks have something to show."""
    hidden: I8
    """For each group how many of its tracks the user hid."""

    def __len__(self) -> int:
        return len(self.kind)

    def visible(self, top: float, height: float) -> I8:
        """Rows that have a part in a view of that height scrolled down by ``top``: the pinned ones, then those that scroll."""
        first = int(np.searchsorted(self.y, top + self.pinned_height, side="right")) - 1
        last = int(np.searchsorted(self.y, top + height, side="left"))
        pinned = int(np.searchsorted(self.y[: self.pinned_rows], height, side="left"))
        return np.concatenate((np.arange(pinned), np.arange(max(first, self.pinned_rows), last))).astype(np.int64)

    def offset_of(self, row: int, top: float) -> float:
        """How far a row is moved up by scrolling."""
        return 0.0 if row < self.pinned_rows else top

    def row_at(self, y: float, top: float = 0.0) -> int | None:
        """The row that covers that height of a view scrolled down by ``top``, None in a gap or below the last."""
        at = y if y < self.pinned_height else y + top
        row = int(np.searchsorted(self.y, at, side="right")) - 1
        return row if row >= 0 and at < self.y[row] + self.height[row] else None

    def track_extent(self, track: int) -> tuple[int, int] | None:
        """Top and bottom of a track, None when it is folded away or empty."""
        first = int(self.track_first[track])
        if first < 0:
            return None
        last = self._end_of(first) - 1
        return int(self.y[first]), int(self.y[last] + self.height[last])

    def _end_of(self, first: int) -> int:
        """The row behind the last of the track whose first row that is."""
        track, end, step = self.track[first], first + 1, 8
        while True:
            others = np.flatnonzero(self.track[end : end + step] != track)
            if len(others) or end + step >= len(self.track):
                return end + int(others[0]) if len(others) else len(self.track)
            end, step = end + step, 4 * step

    def rows_of(self, track: int, kind: RowKind) -> list[int]:
        """Rows of that kind of a track, none when it is folded away."""
        first = int(self.track_first[track])
        return [] if first < 0 else (first + np.flatnonzero(self.kind[first : self._end_of(first)] == kind)).tolist()

    def lane_row(self, trace: Trace, track: int, depth: int) -> int | None:
        """The row of a slice's lane, None when its group is folded."""
        first, lanes = int(self.track_first[track]), int(trace.track_lanes[track + 1] - trace.track_lanes[track])
        if first < 0 or depth >= lanes:
            return None
        marks = int((self.kind[first : first + MOST_MARKS] == RowKind.INSTANTS).sum())
        return first + marks + depth


def build_layout(
    trace: Trace,
    collapsed: frozenset[int] = frozenset(),
    arrangement: Arrangement = AS_IN_THE_FILE,
    passing: npt.NDArray[np.bool_] | None = None,
) -> Layout:
    """Rows of a trace: pinned tracks, then for each group a header and its tracks unless it is folded.

    Hidden tracks and those without events take no room; a group without any gets no header. ``passing``: for each track whether
    some of its slices are drawn; a track with slices of which none is counts as one without events.
    """
    grouping = groups_of(trace, arrangement.group_by)
    tracks, groups, owner = len(trace.tracks), grouping.total, grouping.owner
    lanes = np.diff(trace.track_lanes)
    marks = np.diff(np.searchsorted(trace.instants.track, np.arange(tracks + 1)))
    has_samples = (np.diff(trace.samples_by_track[1]) > 0).astype(np.int64)
    series_track = np.fromiter((s.track for s in trace.series), np.int64, len(trace.series))
    series = np.bincount(series_track, minlength=tracks)[:tracks] if tracks else np.empty(0, np.int64)
    has_series = (series > 0).astype(np.int64)
    folded = np.zeros(groups, np.bool_)
    folded[[g for g in collapsed if 0 <= g < groups]] = True
    content = lanes + (marks > 0) + has_samples + has_series
    if passing is not None:
        content = np.where((lanes > 0) & ~passing, 0, content)

    # Items in screen order: pinned tracks, and for each group its header (numbered behind the tracks) and its tracks.
    pinned = np.array([t for t in arrangement.pinned if 0 <= t < tracks], np.int64)
    is_hidden = np.zeros(tracks, np.bool_)
    is_hidden[[t for t in arrangement.hidden if 0 <= t < tracks]] = True
    place_of_group = np.empty(groups, np.int64)
    place_of_group[group_order(groups, arrangement)] = np.arange(groups)
    block = np.concatenate((2 * place_of_group[owner] + 1, 2 * place_of_group)) if tracks else 2 * place_of_group
    rank = np.concatenate((track_rank(tracks, arrangement), np.zeros(groups, np.int64)))
    block[pinned], rank[pinned] = -1, np.arange(len(pinned))
    items = np.lexsort((rank, block))
    shown = content * ~(is_hidden | folded[owner]) if tracks else content
    shown[pinned] = content[pinned]
    filled = np.bincount(owner[content > 0], minlength=groups)
    rows_of_item = np.concatenate((shown, filled > 0))[items]

    item = np.repeat(items, rows_of_item)
    total = len(item)
    first_of = np.cumsum(rows_of_item) - rows_of_item
    place = np.arange(total) - np.repeat(first_of, rows_of_item)
    is_head = item >= tracks
    track = np.where(is_head, -1, item)
    group = np.where(is_head, item - tracks, owner[np.minimum(item, max(tracks - 1, 0))] if tracks else 0)
    first_row = np.full(tracks + groups, -1, np.int64)
    seen = rows_of_item > 0
    first_row[items[seen]] = first_of[seen]

    body = np.flatnonzero(~is_head)
    of = track[body]
    has_marks = (marks > 0).astype(np.int64)[of]
    at = place[body] - has_marks - has_samples[of]
    is_mark, is_series = at < 0, at >= lanes[of]
    kind = np.full(total, RowKind.GROUP, np.uint8)
    kind[body] = np.where(is_mark, RowKind.INSTANTS, np.where(is_series, RowKind.COUNTER, RowKind.LANE))
    source = group.copy()
    is_sample = is_mark & (place[body] >= has_marks)
    source[body] = np.where(is_mark | is_series, of + tracks * is_sample, trace.track_lanes[of] + at)

    height = np.array([HEIGHTS[k] for k in RowKind], np.int64)[kind]
    if len(series_track):
        of_count = np.array([0, *(LEGEND.get(n, MOST_LEGEND) for n in range(1, int(series.max()) + 1))], np.int64)
        height[body[is_series]] += of_count[series[of[is_series]]]
    only_marks = (kind == RowKind.INSTANTS) & (content[track] == 1) if tracks else kind == RowKind.INSTANTS
    height[only_marks] = HEIGHTS[RowKind.LANE]
    if arrangement.sizes:
        factor = np.ones(tracks)
        for number, size in arrangement.sizes:
            factor[number : number + 1] = size
        height[body] = np.round(height[body] * factor[of]).astype(np.int64)
    gap = np.zeros(total, np.int64)
    is_track = seen & (items < tracks)
    gap[first_of[is_track] + rows_of_item[is_track] - 1] = TRACK_GAP
    y = np.cumsum(height + gap) - (height + gap)
    bottom = int(y[-1] + height[-1] + gap[-1]) if total else 0
    pinned_rows = int(shown[pinned].sum())
    pinned_height = (int(y[pinned_rows]) if pinned_rows < total else bottom) if pinned_rows else 0
    return Layout(
        kind, y, height, group, track, source, folded, bottom, pinned_rows, pinned_height, first_row[:tracks], first_row[tracks:],
        np.flatnonzero(is_head), arrangement, grouping, filled, np.bincount(owner[is_hidden], minlength=groups),
    )  # fmt: skip
