"""One frame of the timeline as lines of pixels: what each scanline shows, where labels go, and what lies under each pixel. Knows no Qt.

A frame holds each distinct line once (one for a whole lane) and a map from scanline to line; both back ends draw from that.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from msgspec import Struct

from hlprof_core.levels.pyramid import Levels
from hlprof_core.levels.viewport import Columns, Ink, Strips, draw_strips
from hlprof_core.levels.window import first_not
from hlprof_core.trace.model import Trace
from hlprof_core.trace.ranges import TimeRange
from hlprof_core.trace.table import I4, I8, NO_FRAME, U4
from hlprof_gui.state.view_state import ColourBy, ColourGroups
from hlprof_gui.theme.palette import Palette
from hlprof_gui.timeline import colours
from hlprof_gui.timeline.counter_rows import CounterRows
from hlprof_gui.timeline.found import Found
from hlprof_gui.timeline.layout import Layout, RowKind
from hlprof_gui.timeline.ticks import build_ruler

CANVAS, EVEN, ODD, GROUP, EDGE = range(5)
"""Lines that every frame starts with: free space, row backgrounds, group header and its lower border."""
GROUP_ROW, LANE_ROW, INSTANTS_ROW, COUNTER_ROW = (int(k) for k in RowKind)
FAINTEST = {True: 0.4, False: 0.6}
"""Ink of a slice that is much narrower than its pixel, on a dark and on a light background."""
DIMMED = 0.28
"""Ink of slices that a search did not find."""
MIN_LABEL = 26
MOST_LANES = 5000
"""So many lanes of a folded group are looked through for the longest slice under the pointer."""
INSET = 1
"""Free space above and below a slice within its row, logical pixels."""


class View(Struct, frozen=True):
    """What part is wanted: time, vertical offset in logical pixels, picture size in device pixels, device pixels per logical one."""

    window: TimeRange
    top: float
    width: int
    height: int
    scale: float = 1.0
    zero_ns: int | None = None
    """What the ruler counts from; None: the start of the trace."""

    @property
    def ns_per_pixel(self) -> float:
        return self.window.length_ns / self.width

    def x_of(self, time_ns: int) -> float:
        """Device pixel of a time; may lie outside."""
        return (time_ns - self.window.start_ns) / self.ns_per_pixel

    def time_at(self, x: float) -> int:
        """Time at a device pixel, to the nanosecond."""
        return self.window.start_ns + int(x * self.ns_per_pixel)


class Frame(Struct, frozen=True, eq=False):
    """``lines`` (n x width, 0xffRRGGBB), ``line_map`` the line of each scanline; ``boxes`` (strip, left, right, slice) want labels."""

    view: View
    lines: U4
    line_map: I8
    strip_rows: I8
    """Layout row of each slice strip."""
    strip_columns: Callable[[int], Columns]
    """What lies under the pixels of a strip (1 x width), worked out when somebody points there."""
    longest_beyond: Callable[[int, int], int]
    """Of the slices of a strip that reach out of a pixel the longest, its duration: within the pixel it may cover the least."""
    mark_rows: I8
    mark_columns: Callable[[int], Columns]
    boxes: I4
    found: np.ndarray | None
    """For each box whether the search found it; None without a search."""

    def strip_of(self, row: int) -> int | None:
        """Strip that shows a layout row, None when it shows something else."""
        place = int(np.searchsorted(self.strip_rows, row))
        return place if place < len(self.strip_rows) and self.strip_rows[place] == row else None

    def mark_strip_of(self, row: int) -> int | None:
        place = int(np.searchsorted(self.mark_rows, row))
        return place if place < len(self.mark_rows) and self.mark_rows[place] == row else None


class Plan(Struct, frozen=True, eq=False):
    """What a frame shows from top to bottom, whatever the time."""

    strip_rows: I8
    strips: Strips
    strip_backgrounds: I8
    mark_rows: I8
    mark_tracks: I8
    mark_backgrounds: I8
    counter_rows: I8
    line_map: I8
    picture_lines: int


class FrameMaker:
    """Makes frames of one trace in one theme; holds only what can be derived again."""

    def __init__(self, levels: Levels, palette: Palette, by: ColourBy = "name", groups: ColourGroups | None = None) -> None:
        self.levels, self.palette = levels, palette
        self.trace: Trace = levels.trace
        colouring = colours.build_colouring(self.trace, palette, by, groups)
        self.ink = colouring.ink
        self.fills = colours.fill_palette(palette)
        self._mark_ink: Ink | None = None
        self.counters = CounterRows(self.trace, palette)
        self._found: Found | None = None
        self._found_ink: Ink | None = None
        self._is_hiding = False
        self._planned: tuple[Layout, tuple[float, int, float], Plan] | None = None
        self.text_colours = colouring.text
        """For each number of ``ink`` the colour of a text on that fill."""
        p = palette
        self._backgrounds = np.array([colours.argb(c) for c in (p.canvas, p.row_even, p.row_odd, p.group, p.border)], np.uint32)
        self._grid = np.uint32(colours.argb(p.grid))

    def set_found(self, found: Found | None, *, is_hiding: bool = False) -> None:
        """Slices that stand out: the others are drawn dim or not at all. None: all alike."""
        if found is not self._found:
            self._found = found
            self._found_ink = Ink(self.ink.index[found.ids], self.ink.palette) if found is not None else None
        self._is_hiding = is_hiding

    def make(self, view: View, layout: Layout) -> Frame:
        """Draw what is visible; cost depends on the pixels."""
        zero = self.trace.span.start_ns if view.zero_ns is None else view.zero_ns
        ruler = build_ruler(view.window, zero, round(view.width / view.scale), is_clock=False)  # asked as the ruler asks: made once
        plan = self._plan(view, layout)
        base = np.repeat(self._backgrounds[:, None], view.width, axis=1)
        start, per_ns = view.window.start_ns, view.width / view.window.length_ns
        grid = np.array([x for time, _ in ruler.ticks if 0 <= (x := int((time - start) * per_ns)) < view.width], np.int64)
        base[: GROUP + 1, grid] = self._grid
        strips, marks = len(plan.strip_rows), len(plan.mark_rows)
        lines = np.empty((EDGE + 1 + strips + marks + plan.picture_lines, view.width), np.uint32)
        lines[: EDGE + 1] = base
        under = lines[EDGE + 1 : EDGE + 1 + strips]
        np.take(base, plan.strip_backgrounds, axis=0, out=under, mode="clip")
        boxes, found = self._draw_slices(view, plan, under)
        if marks:
            under = lines[EDGE + 1 + strips : EDGE + 1 + strips + marks]
            np.take(base, plan.mark_backgrounds, axis=0, out=under, mode="clip")
            self._draw_marks(view, plan.mark_tracks, under)
        place = EDGE + 1 + strips + marks
        for row in plan.counter_rows:
            picture = self._draw_counter(view, layout, int(row), base)
            lines[place : place + len(picture)] = picture
            place += len(picture)
        strip_columns = _once(partial(self._strip_columns, view, plan))
        mark_columns = _once(partial(self._mark_columns, view, plan))
        longest = partial(self._longest_beyond, view, plan)
        return Frame(view, lines, plan.line_map, plan.strip_rows, strip_columns, longest, plan.mark_rows, mark_columns, boxes, found)

    def _plan(self, view: View, layout: Layout) -> Plan:
        """What the vertical position alone decides; kept while only the time changes."""
        key = (view.top, view.height, view.scale)
        if self._planned is None or self._planned[0] is not layout or self._planned[1] != key:
            self._planned = (layout, key, self._make_plan(view, layout))
        return self._planned[2]

    def _make_plan(self, view: View, layout: Layout) -> Plan:
        rows = layout.visible(view.top, view.height / view.scale)
        kind = layout.kind[rows]
        is_strip = (kind == LANE_ROW) | ((kind == GROUP_ROW) & layout.collapsed[layout.group[rows]])
        strip_rows, mark_rows, counter_rows = rows[is_strip], rows[kind == INSTANTS_ROW], rows[kind == COUNTER_ROW]
        line_map, picture_lines = self._map_lines(view, layout, rows, len(strip_rows), len(mark_rows), is_strip.tolist())
        return Plan(
            strip_rows,
            self._strips(layout, strip_rows),
            self._background(layout, strip_rows),
            mark_rows,
            layout.source[mark_rows],
            self._background(layout, mark_rows),
            counter_rows,
            line_map,
            picture_lines,
        )

    def _background(self, layout: Layout, rows: I8) -> I8:
        """Background line of each row: tracks alternate."""
        return np.where(layout.kind[rows] == GROUP_ROW, GROUP, EVEN + (layout.track[rows] & 1))

    def _strip_columns(self, view: View, plan: Plan, strip: int) -> Columns:
        found = self._found if self._is_hiding else None
        pyramid = found.pyramid if found is not None else self.levels.slices
        ink = self._found_ink if found is not None and self._found_ink is not None else self.ink
        columns, pixels = Columns.empty(1, view.width), np.zeros((1, view.width), np.uint32)
        draw_strips(pyramid, plan.strips.only(strip), view.window, ink, pixels, columns=columns)
        if found is not None:
            found.name_slices(columns.best)
        return columns

    def _longest_beyond(self, view: View, plan: Plan, strip: int, column: int) -> int:
        """In each lane only the first and the last slice of a pixel can reach out of it."""
        found = self._found if self._is_hiding else None
        level = (found.pyramid if found is not None else self.levels.slices).levels[0]
        lanes = plan.strips.only(strip).lanes[:MOST_LANES]
        low, high, start, per_ns = level.offsets[lanes], level.offsets[lanes + 1], view.window.start_ns, 1 / view.ns_per_pixel
        first = first_not(low, high, lambda rows: (level.start_ns[rows] - start + level.length_ns[rows]) * per_ns <= column)
        stop = first_not(low, high, lambda rows: (level.start_ns[rows] - start) * per_ns < column + 1)
        is_any = first < stop
        rows = np.concatenate((first[is_any], stop[is_any] - 1))
        return int(level.length_ns[rows].max(initial=0))

    def _mark_columns(self, view: View, plan: Plan, mark: int) -> Columns:
        columns, pixels = Columns.empty(1, view.width), np.zeros((1, view.width), np.uint32)
        self._draw_marks(view, plan.mark_tracks[mark : mark + 1], pixels, columns)
        return columns

    def _draw_slices(self, view: View, plan: Plan, pixels: U4) -> tuple[I4, np.ndarray | None]:
        strips = plan.strips
        if not len(strips):
            return np.empty((0, 4), np.int32), None
        min_label = MIN_LABEL * view.scale
        found, ink = self._found, self._found_ink
        if found is not None and ink is not None and self._is_hiding:
            faintest = FAINTEST[self.palette.is_dark]
            boxes = draw_strips(found.pyramid, strips, view.window, ink, pixels, faintest=faintest, min_label=min_label)
            found.name_slices(boxes[:, 3].view(np.uint32))
            return boxes, None
        strength = DIMMED if found is not None else 1.0
        boxes = draw_strips(
            self.levels.slices,
            strips,
            view.window,
            self.ink,
            pixels,
            strength=strength,
            faintest=FAINTEST[self.palette.is_dark],
            min_label=min_label,
        )
        if found is None or ink is None:
            return boxes, None
        draw_strips(found.pyramid, strips, view.window, ink, pixels, faintest=0.85)
        return boxes, found.holds(boxes[:, 3].view(np.uint32))

    def _strips(self, layout: Layout, rows: I8) -> Strips:
        groups = layout.kind[rows] == GROUP_ROW
        if not groups.any():
            return Strips.single(layout.source[rows])
        outermost = layout.groups.outermost_of
        parts = [outermost(int(layout.source[r])) if g else layout.source[r : r + 1] for r, g in zip(rows, groups, strict=True)]
        offsets = np.concatenate(([0], np.cumsum([len(p) for p in parts]))).astype(np.int64)
        return Strips(offsets, np.ascontiguousarray(np.concatenate(parts), np.int64))

    def _draw_marks(self, view: View, tracks: I8, pixels: U4, columns: Columns | None = None) -> None:
        if self._mark_ink is None:
            trace = self.trace
            names = np.concatenate((trace.instants.name, sample_names(trace)))
            index = colours.string_colours(trace.strings, len(self.palette.slices))[names]
            self._mark_ink = Ink(index, self.fills)
        strips = Strips.single(tracks)
        draw_strips(self.levels.marks, strips, view.window, self._mark_ink, pixels, columns=columns, faintest=0.9, bordered=False)

    def _draw_counter(self, view: View, layout: Layout, row: int, base: U4) -> U4:
        """The picture of one counter row."""
        track = int(layout.track[row])
        height = round((layout.y[row] + layout.height[row]) * view.scale) - round(layout.y[row] * view.scale)
        look = self.counters.look(track, layout.arrangement)
        return self.counters.draw(track, look, view.window, height, base[EVEN + (track & 1)], view.scale)

    def _map_lines(self, view: View, layout: Layout, rows: I8, strips: int, marks: int, is_strip: list[bool]) -> tuple[I8, int]:
        """The line of each scanline, and how many lines the pictures of counters take."""
        line_map = np.zeros(view.height, np.int64)
        strip, mark = EDGE + 1, EDGE + 1 + strips
        first_picture = picture = mark + marks
        inset = max(1, round(INSET * view.scale))
        fixed, scrolled = round(layout.pinned_height * view.scale), round(view.top * view.scale)

        def clip(y: int) -> int:
            return min(max(y, ceiling), view.height)

        for place, row in enumerate(rows.tolist()):
            ceiling, offset = (0, 0) if row < layout.pinned_rows else (fixed, scrolled)
            y0 = round(int(layout.y[row]) * view.scale) - offset
            y1 = round(int(layout.y[row] + layout.height[row]) * view.scale) - offset
            top, bottom = clip(y0), clip(y1)
            kind = int(layout.kind[row])
            line_map[top:bottom] = GROUP if kind == GROUP_ROW else EVEN + (int(layout.track[row]) & 1)
            if is_strip[place]:
                free = 4 * inset if kind == GROUP_ROW else inset
                line_map[clip(y0 + free) : clip(y1 - free)] = strip
                strip += 1
            elif kind == INSTANTS_ROW:
                line_map[clip(y0 + inset) : clip(y1 - inset)] = mark
                mark += 1
            elif kind == COUNTER_ROW:
                line_map[top:bottom] = picture + np.arange(top - y0, bottom - y0)
                picture += y1 - y0
            if kind == GROUP_ROW and ceiling < y1 <= view.height:
                line_map[y1 - 1] = EDGE
        return line_map, picture - first_picture


def _once(make: Callable[[int], Columns]) -> Callable[[int], Columns]:
    """Remember what was made for each number. (A cache of functools takes ten times as long to set up, for each frame.)"""
    known: dict[int, Columns] = {}

    def look_up(number: int) -> Columns:
        if number not in known:
            known[number] = make(number)
        return known[number]

    return look_up


def sample_names(trace: Trace) -> U4:
    """What tells samples apart, in the order of ``trace.samples_by_track``: the innermost frame, else what was sampled."""
    samples, order = trace.stack_samples, trace.samples_by_track[0]
    frame, name = samples.frame[order], samples.name[order]
    return np.where(frame == NO_FRAME, name, trace.frames.name[np.maximum(frame, 0)]) if len(trace.frames) else name
