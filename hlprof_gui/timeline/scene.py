"""What the canvas shows: keeps layout, frame and labels of the state up to date and answers what lies at a point."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from hlprof_core.levels.pyramid import Levels
from hlprof_core.levels.viewport import NO_SLICE
from hlprof_core.trace.model import Trace
from hlprof_core.trace.table import I4, U4
from hlprof_gui.state.signal import Signal
from hlprof_gui.state.view_state import Bundle, Edge, Fold, Item, ViewState, sample_track
from hlprof_gui.theme.theme import Theme
from hlprof_gui.timeline import colours
from hlprof_gui.timeline.flow_view import FlowView
from hlprof_gui.timeline.found import Found, build_found
from hlprof_gui.timeline.frame import Frame, FrameMaker, View
from hlprof_gui.timeline.labels import LabelAtlas, frequent_names
from hlprof_gui.timeline.layout import Layout, RowKind, build_layout
from hlprof_gui.timeline.render.raster import compose
from hlprof_gui.timeline.snapping import nearest_edge
from hlprof_gui.viewmodels.time_scale import zero_ns
from hlprof_gui.viewmodels.work import AtOnce, Work

MOST_PINNED = 0.7
"""Share of the height that pinned rows may take."""
ON_ITEM, BESIDE = 0.5, 4.0
"""Pixels beside an arrow that still count as on it: few where a slice could be meant, more where nothing else is."""
FOUND, FEW_FOUND = "found", 20_000
"""Work on more slices that stand out than these is sent away, under this key."""
NO_QUADS = np.empty((0, 6), np.int32)


class StickyGroup(Struct, frozen=True):
    """A group's header row, drawn at ``top`` instead of its own place."""

    row: int
    top: float


class Print(Struct, frozen=True):
    """Something drawn into the pixels of a picture: the same for equal keys."""

    key: object
    onto: Callable[[U4], None]


class Scene:
    """Derived from ``ViewState``, a size and a scroll offset; everything is made when it is asked for."""

    def __init__(self, state: ViewState, theme: Theme) -> None:
        self.state, self.theme = state, theme
        self.top = 0.0
        """Logical pixels scrolled down."""
        self.width, self.height, self.scale = 1, 1, 1.0
        self.quads: I4 = NO_QUADS
        self.missing_labels = 0
        self._maker: FrameMaker | None = None
        self._layout: Layout | None = None
        self._loose: Layout | None = None
        self._atlas: LabelAtlas | None = None
        self._frame: Frame | None = None
        self._labels_of: Frame | None = None
        self._picture: U4 = np.empty((1, 1), np.uint32)
        self._picture_of: Frame | None = None
        self._shown: Frame | None = None
        self._printed: object = None
        self._warm_names = np.empty(0, np.int64)
        self.work: Work = AtOnce()
        """Prepares what takes longer than a frame; ``found_changed`` tells when it is there, ``rows_changed`` when rows come or go too."""
        self.found_changed, self.rows_changed = Signal(), Signal()
        self.flows = FlowView(self)
        self._found: Found | None = None
        self._found_of: np.ndarray | None = None
        self._awaited: np.ndarray | None = None
        self._layout_hides = False
        for signal in (state.trace_changed, theme.changed, state.colours_changed):
            signal.connect(self.forget)
        state.folds_changed.connect(self.forget_layout)
        state.arrangement_changed.connect(self.forget_layout)
        for signal in (state.matches_changed, state.highlight_changed, state.filter_changed):
            signal.connect(self._apply_matches)
        if state.trace is not None:
            self._apply_matches()

    # -- derived things ---------------------------------------------------------------------------------------------

    def forget(self) -> None:
        """Trace or theme changed: everything is made anew."""
        new_trace = self._maker is None or self._maker.levels is not self.state.levels
        self._maker = self._frame = None
        if new_trace:
            if self._awaited is not None:
                self.work.cancel(FOUND)
            self._layout = self._loose = self._atlas = None
            self._found = self._found_of = self._awaited = None
            self.flows.forget()
            self.top = 0.0

    def forget_layout(self) -> None:
        self._layout = self._loose = self._frame = None
        self.scroll_to(self.top)

    @property
    def trace(self) -> Trace | None:
        return self.state.trace

    @property
    def maker(self) -> FrameMaker | None:
        levels: Levels | None = self.state.levels
        if self._maker is None and levels is not None:
            self._maker = FrameMaker(levels, self.theme.palette, self.state.colour_by, self.state.colour_groups)
            self._maker.set_found(self._found, is_hiding=self._is_hiding)
        return self._maker

    @property
    def layout(self) -> Layout | None:
        if self._layout is None and self.state.trace is not None:
            self._layout = build_layout(self.state.trace, self.state.collapsed, self.state.arrangement, self._passing())
        layout = self._layout
        if layout is not None and layout.pinned_height > MOST_PINNED * self.height:
            # Too many to stay in sight: they scroll like the others.
            if self._loose is None:
                self._loose = replace(layout, pinned_rows=0, pinned_height=0)
            return self._loose
        return layout

    @property
    def atlas(self) -> LabelAtlas | None:
        trace, atlas = self.state.trace, self._atlas
        if trace is not None and (atlas is None or (atlas.scale, atlas.strings) != (self.scale, trace.strings)):
            self._atlas = LabelAtlas(trace.strings, self.theme.small_font, self.scale)
            self._warm_names = frequent_names(trace)
        return self._atlas

    @property
    def _is_hiding(self) -> bool:
        return self.state.highlight is None and self.state.filter.mode == "hide"

    @property
    def hiding(self) -> Found | None:
        """The slices that are drawn at all, None: every one."""
        return self._found if self._is_hiding else None

    def _passing(self) -> np.ndarray | None:
        """For each track whether it has slices to draw; None where nothing is hidden."""
        trace, found = self.state.trace, self._found
        self._layout_hides = self._is_hiding and found is not None
        if trace is None or found is None or not self._layout_hides:
            return None
        return np.diff(np.searchsorted(found.ids, trace.lanes.offsets[trace.track_lanes])) > 0

    def _standing_out(self) -> np.ndarray | None:
        """The slices that stand out, None when all are alike."""
        state = self.state
        if state.highlight is not None:
            return state.highlight
        return state.matches if state.is_matched and state.filter.mode != "list" else None

    def _apply_matches(self) -> None:
        trace, wanted = self.state.trace, self._standing_out()
        if wanted is None or trace is None:
            self._take_found(None, None)
        elif wanted is self._found_of:
            self._take_found(wanted, self._found)
        elif len(wanted) <= FEW_FOUND:
            self._take_found(wanted, build_found(trace, wanted))
        elif self.state.is_part and self._found_of is not None and len(self._found_of):
            return  # of many that grow, the first and the last are drawn: each time costs as much as the search itself
        elif wanted is not self._awaited:
            self._awaited = wanted
            title = "Preparing the view"
            self.work.start(FOUND, title, lambda p: build_found(trace, wanted, p), lambda found: self._take_found(wanted, found))

    def _take_found(self, wanted: np.ndarray | None, found: Found | None) -> None:
        if self._awaited is not None:
            self._awaited = None
            self.work.cancel(FOUND)
        self._found, self._found_of = found, wanted
        hiding = self.hiding
        self.state.set_drawn(None if hiding is None else hiding.ids)
        if self._maker is not None:
            self._maker.set_found(found, is_hiding=self._is_hiding)
        self._frame = None
        if self._layout_hides or (self._is_hiding and found is not None):
            self.forget_layout()
            self.rows_changed.emit()
        self.found_changed.emit()

    # -- size and scrolling -----------------------------------------------------------------------------------------

    def resize(self, width: int, height: int, scale: float) -> None:
        """Logical size and device pixels per logical one."""
        self.width, self.height, self.scale = max(width, 1), max(height, 1), scale
        self.scroll_to(self.top)

    @property
    def max_top(self) -> float:
        layout = self.layout
        return float(max(0, (layout.total_height if layout else 0) - self.height))

    def scroll_to(self, top: float) -> None:
        self.top = float(min(max(top, 0.0), self.max_top))

    # -- frames -----------------------------------------------------------------------------------------------------

    @property
    def view(self) -> View:
        # A widget may end within a device pixel, which is drawn too.
        width, height = (max(1, ceil(length * self.scale - 1e-6)) for length in (self.width, self.height))
        return View(self.state.window, self.top, width, height, self.scale, zero_ns(self.state))

    def frame(self) -> Frame | None:
        """The frame of the present state; the same object as long as nothing changed."""
        maker, layout = self.maker, self.layout
        if maker is None or layout is None:
            return None
        view = self.view
        if self._frame is None or self._frame.view != view:
            self._frame = maker.make(view, layout)
        return self._frame

    def place_labels(self, frame: Frame, limit: int | None = None) -> None:
        """Fill ``quads`` for a frame; ``missing_labels`` tells how many names the next call will add."""
        if self._labels_of is frame and not self.missing_labels:
            return
        atlas, layout, trace = self.atlas, self.layout, self.state.trace
        self._labels_of, self.quads, self.missing_labels = frame, NO_QUADS, 0
        if atlas is None or layout is None or trace is None or not len(frame.boxes):
            return
        rows, view = frame.strip_rows, frame.view
        is_pinned = rows < layout.pinned_rows
        moved = np.where(is_pinned, 0, round(view.top * view.scale))
        middle = np.round((layout.y[rows] + layout.height[rows] / 2) * view.scale) - moved
        tops = (middle - atlas.height / 2).astype(np.int64)
        boxes, text = frame.boxes, self.label_colours(frame)
        if layout.pinned_rows:
            # No name of a row that is about to vanish under the pinned ones may stick out over them.
            is_whole = (is_pinned | (tops >= round(layout.pinned_height * view.scale)))[boxes[:, 0]]
            boxes, text = boxes[is_whole], text[is_whole]
        names = trace.slices.name[boxes[:, 3].view(np.uint32)]
        placed = atlas.place(boxes, names, tops, text, **({} if limit is None else {"limit": limit}))
        self.quads, self.missing_labels = placed.quads, placed.missing
        self._picture_of = None

    def warm_labels(self) -> bool:
        """Render some frequent names ahead of their use; False when all are there."""
        atlas = self.atlas
        return atlas is not None and atlas.warm(self._warm_names) > 0

    def picture(self, *, all_labels: bool = False, printed: Print | None = None) -> U4 | None:
        """The frame with its labels as pixels (height x width, 0xffRRGGBB), and what is ``printed`` onto it; the array is reused."""
        frame = self.frame()
        if frame is None:
            return None
        self.place_labels(frame, 1 << 30 if all_labels else None)
        key = printed.key if printed is not None else None
        if self._picture_of is not frame or self._printed != key:
            view = frame.view
            if self._picture.shape != (view.height, view.width):
                self._picture = np.empty((view.height, view.width), np.uint32)
            self._compose(frame, printed, self._picture)
            self._picture_of, self._printed = frame, key
        return self._picture

    def picture_onto(self, pixels: U4, frame: Frame, printed: Print | None = None) -> bool:
        """Make a frame's picture where it is shown; False for one that was made before, which is worth keeping: it is quicker copied."""
        if frame is self._shown or pixels.shape != (frame.view.height, frame.view.width):
            return False
        self.place_labels(frame)
        self._compose(frame, printed, pixels)
        self._shown = frame
        return True

    def _compose(self, frame: Frame, printed: Print | None, pixels: U4) -> None:
        atlas = self.atlas
        assert atlas is not None
        compose(frame, self.quads, atlas.cover, atlas.height, pixels)
        if printed is not None:
            printed.onto(pixels)

    def bare_picture(self) -> U4 | None:
        """The frame without labels, in an array of its own."""
        frame = self.frame()
        if frame is None:
            return None
        pixels = np.empty((frame.view.height, frame.view.width), np.uint32)
        compose(frame, NO_QUADS, np.zeros((1, 1), np.uint8), 1, pixels)
        return pixels

    def label_colours(self, frame: Frame) -> U4:
        """Text colour for each of the frame's boxes."""
        maker = self.maker
        assert maker is not None
        text = maker.text_colours[maker.ink.index[frame.boxes[:, 3].view(np.uint32)]]
        if frame.found is None:
            return text
        return np.where(frame.found, text, np.uint32(colours.argb(self.theme.palette.text_dim))).astype(np.uint32)

    # -- what lies where (logical pixels) ---------------------------------------------------------------------------

    def time_at(self, x: float) -> int:
        return self.view.time_at(x * self.scale)

    def x_of(self, time_ns: int) -> float:
        """Logical pixel of a time; may lie outside the canvas."""
        return (time_ns - self.state.window.start_ns) * self.width / self.state.window.length_ns

    def row_at(self, y: float) -> int | None:
        return self.layout.row_at(y, self.top) if self.layout is not None and 0 <= y < self.height else None

    def row_box(self, row: int) -> tuple[float, float] | None:
        """Top and bottom of the part of a row that is in sight, logical pixels; None when all of it is scrolled away."""
        layout = self.layout
        assert layout is not None
        top = float(layout.y[row]) - layout.offset_of(row, self.top)
        ceiling = 0.0 if row < layout.pinned_rows else float(layout.pinned_height)
        bottom = top + float(layout.height[row])
        return (max(top, ceiling), bottom) if bottom > ceiling and top < self.height else None

    def item_at(self, x: float, y: float) -> Item | None:
        """The slice, instant, counter sample drawn there; else the track of the row."""
        frame, layout, row, trace = self.frame(), self.layout, self.row_at(y), self.state.trace
        if frame is None or layout is None or row is None or trace is None:
            return None
        column = min(max(int(x * self.scale), 0), frame.view.width - 1)
        strip = frame.strip_of(row)
        if strip is not None:
            best = int(frame.strip_columns(strip).best[0, column])
            return Item("slice", best) if best != NO_SLICE else None
        mark = frame.mark_strip_of(row)
        if mark is not None:
            reach = range(max(0, column - 2), min(frame.view.width, column + 3))
            best_mark = frame.mark_columns(mark).best[0]
            hits = [c for c in sorted(reach, key=lambda c: abs(c - column)) if best_mark[c] != NO_SLICE]
            return mark_item(trace, int(best_mark[hits[0]])) if hits else None
        if layout.kind[row] == RowKind.COUNTER:
            sample = self._sample_at(row, self.time_at(x), y)
            return Item("counter", sample) if sample is not None else None
        return None

    def _sample_at(self, row: int, time_ns: int, y: float) -> int | None:
        """The sample of a row of counters that is meant at a time and height."""
        layout, maker = self.layout, self.maker
        assert layout is not None
        assert maker is not None
        track, height = int(layout.track[row]), float(layout.height[row])
        share = 1.0 - (y + layout.offset_of(row, self.top) - float(layout.y[row])) / height
        view, rows = self.view, maker.counters
        return rows.sample_at(track, rows.look(track, layout.arrangement), time_ns, share, view.window, view.width)

    def fold_at(self, x: float, y: float) -> Fold | None:
        """Count, longest and busy share of a pixel that stands for several slices."""
        frame, row, trace = self.frame(), self.row_at(y), self.state.trace
        strip = frame.strip_of(row) if frame is not None and row is not None else None
        if frame is None or strip is None or trace is None:
            return None
        column = min(max(int(x * self.scale), 0), frame.view.width - 1)
        under = frame.strip_columns(strip)
        count, best = int(under.count[0, column]), int(under.best[0, column])
        if count < 2 or best == NO_SLICE:
            return None
        longest_ns = max(int(trace.slices.dur_ns[best]), frame.longest_beyond(strip, column))
        return Fold(count=count, longest_ns=longest_ns, busy_share=float(under.share[0, column]))

    def bundle_at(self, x: float, y: float) -> Bundle | None:
        """The arrow drawn there, or what several drawn as one stand for."""
        if not self.flows.shown():
            return None
        return self.flows.bundle_at(x, y, ON_ITEM if self.item_at(x, y) is not None else BESIDE)

    def edge_near(self, x: float, y: float, reach: float) -> Edge | None:
        """What a measure snaps to at a point, within ``reach`` pixels in time."""
        layout, row, trace, maker = self.layout, self.row_at(y), self.state.trace, self.maker
        if layout is None or row is None or trace is None or maker is None:
            return None
        reach_ns = reach * self.state.window.length_ns / self.width
        return nearest_edge(trace, layout, row, self.time_at(x), reach_ns, self.state.drawn, self.state.marks)

    def scroll_by(self, pixels: float) -> None:
        self.scroll_to(self.top + pixels)

    # -- where a slice is drawn -------------------------------------------------------------------------------------

    def slice_box(self, slice_id: int) -> tuple[float, float, float, float] | None:
        """Left, top, right, bottom of a slice in logical pixels, None when its row is folded away; may lie outside."""
        layout, trace = self.layout, self.state.trace
        if layout is None or trace is None:
            return None
        s = trace.slices
        row = layout.lane_row(trace, int(s.track[slice_id]), int(s.depth[slice_id]))
        if row is None:
            return None
        start = int(s.start_ns[slice_id])
        left, right = self.x_of(start), self.x_of(start + int(s.dur_ns[slice_id]))
        y = float(layout.y[row]) - layout.offset_of(row, self.top)
        if row >= layout.pinned_rows > 0 and y < layout.pinned_height:
            # Under the pinned rows, wholly or in part.
            top = float(layout.pinned_height)
            return left, top, max(right, left + 1), max(top, y + float(layout.height[row]) - 1)
        return left, y + 1, max(right, left + 1), y + float(layout.height[row]) - 1

    def tracks_between(self, top: float, bottom: float) -> tuple[int, ...]:
        """Tracks with a row between two heights of the canvas, in screen order."""
        layout = self.layout
        if layout is None:
            return ()
        found: dict[int, None] = {}
        for row in layout.visible(self.top, self.height).tolist():
            box = self.row_box(row)
            if box is not None and box[0] < bottom and box[1] > top and layout.track[row] >= 0:
                found[int(layout.track[row])] = None
        return tuple(found)

    def sticky_group(self) -> StickyGroup | None:
        """The header to keep at the top: that of the group whose rows are there while its own place is scrolled away."""
        layout = self.layout
        if layout is None:
            return None
        ceiling = float(layout.pinned_height)
        row = layout.row_at(ceiling + 1, self.top) if self.top else None
        if row is None or layout.kind[row] == RowKind.GROUP:
            return None
        head = int(layout.group_row[int(layout.group[row])])
        following = int(np.searchsorted(layout.heads, head)) + 1
        if following < len(layout.heads):
            # The next group's header pushes it out.
            ceiling = min(ceiling, float(layout.y[layout.heads[following]]) - self.top - float(layout.height[head]))
        return StickyGroup(head, ceiling)

    def hidden_of(self, group: int) -> int:
        """How many tracks of a group the user hid."""
        layout = self.layout
        return int(layout.hidden[group]) if layout is not None else 0

    def reveal(self, item: Item) -> None:
        """Scroll so that the row of an item can be seen."""
        layout, trace = self.layout, self.state.trace
        if layout is None or trace is None:
            return
        if item.kind == "counter":
            series = int(np.searchsorted(trace.counters.offsets, item.id, side="right")) - 1
            track, depth = trace.series[series].track, None
        elif item.kind == "track":
            track, depth = item.id, None
        elif item.kind == "sample":
            track, depth = sample_track(trace, item.id), None
        elif item.kind == "flow":
            target = int(trace.flows.to_slice[item.id])
            track, depth = int(trace.slices.track[target]), int(trace.slices.depth[target])
        else:
            table = trace.slices if item.kind == "slice" else trace.instants
            track, depth = int(table.track[item.id]), int(trace.slices.depth[item.id]) if item.kind == "slice" else None
        row = layout.lane_row(trace, track, depth) if depth is not None else None
        extent = (int(layout.y[row]), int(layout.y[row] + layout.height[row])) if row is not None else layout.track_extent(track)
        if extent is None:
            head = int(layout.group_row[layout.groups.owner[track]])
            if head < 0:
                return  # a filter hides the whole group
            extent = (int(layout.y[head]), int(layout.y[head] + layout.height[head]))
        if extent[0] < layout.pinned_height:
            return
        margin = min(40.0, self.height / 4)
        if extent[0] < self.top + layout.pinned_height + margin / 2:
            self.scroll_to(extent[0] - layout.pinned_height - margin)
        elif extent[1] > self.top + self.height - margin / 2:
            self.scroll_to(extent[1] + margin - self.height)


def mark_item(trace: Trace, mark: int) -> Item:
    """What a row of the pyramid of marks is: an instant, or behind those a sample."""
    instants = len(trace.instants)
    return Item("instant", mark) if mark < instants else Item("sample", int(trace.samples_by_track[0][mark - instants]))
