"""What the user has chosen to see: trace, visible time, tool, selection, measure, marks, folds, search hits. Holds choices only."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from hlprof_core.levels.flow_levels import arrows_of
from hlprof_core.levels.pyramid import Levels
from hlprof_core.trace.model import Trace
from hlprof_core.trace.ranges import TimeRange
from hlprof_gui.state.arrangement import Arrangement
from hlprof_gui.state.groups import groups_of
from hlprof_gui.state.neighbours import Drawn, Ties
from hlprof_gui.state.signal import Signal

Tool = Literal["select", "pan", "zoom", "timing"]
if TYPE_CHECKING:
    from hlprof_core.analysis.steps import Step

ColourBy = Literal["name", "category", "engine", "rank", "duration", "argument"]
COLOUR_WAYS: tuple[ColourBy, ...] = ("name", "category", "engine", "rank", "duration")
TOOLS: tuple[Tool, ...] = ("select", "pan", "zoom", "timing")
MIN_WINDOW_NS = 10
MARGIN = 0.02
"""Free space at both ends of the full view, as a share of the span."""
FARTHEST_NS = 2**63 - 1
"""No time is farther from zero, and no window longer: kernels count both in int64."""


class Item(Struct, frozen=True):
    """Something on the timeline: ``kind`` slice, instant, counter, sample (of a profiler) or flow (an arrow) with its row in that table;
    or a track."""

    kind: Literal["slice", "instant", "counter", "sample", "flow", "track"]
    id: int


class Edge(Struct, frozen=True):
    """A point in time for measuring; ``item`` is the slice whose border it was snapped to."""

    time_ns: int
    item: Item | None = None


class Measure(Struct, frozen=True):
    """The distance between two points, exact to the nanosecond."""

    first: Edge
    second: Edge

    @property
    def length_ns(self) -> int:
        return abs(self.second.time_ns - self.first.time_ns)

    @property
    def range(self) -> TimeRange:
        a, b = sorted((self.first.time_ns, self.second.time_ns))
        return TimeRange(a, b)


class Mark(Struct, frozen=True):
    """A note: at a point in time, or on ``length_ns`` of it; a flag when it says nothing."""

    time_ns: int
    label: str = ""
    length_ns: int = 0

    @property
    def range(self) -> TimeRange:
        return TimeRange(self.time_ns, self.time_ns + self.length_ns)


class Fold(Struct, frozen=True):
    """What one pixel under the pointer stands for when its slices are too narrow to be drawn one by one."""

    count: int
    longest_ns: int
    busy_share: float
    """Share of the pixel's time that is covered, 0 to 1."""


class Bundle(Struct, frozen=True):
    """What one drawn arrow under the pointer stands for."""

    count: int
    flow: int
    """One of its arrows, a row of ``trace.flows``."""
    span: TimeRange
    """From the earliest to the latest end of them."""
    pairs: tuple[tuple[str, str, int], ...]
    """The names of the slices it leads from and to, with how many arrows do so, the most frequent first."""
    all_pairs: int
    """How many such pairs there are."""
    is_sampled: bool = False
    """Names and span are those of a part of very many."""


ArrowMode = Literal["none", "selection", "all"]
ARROW_MODES: tuple[ArrowMode, ...] = ("none", "selection", "all")


class ColourGroups(Struct, frozen=True, eq=False, weakref=True):
    """Slices told apart by an argument: ``keys`` gives each slice its place in ``labels``."""

    argument: str
    keys: np.ndarray
    labels: tuple[str, ...]


TimeScale = Literal["start", "file", "day", "selection"]
TIME_SCALES: tuple[TimeScale, ...] = ("start", "selection", "file", "day")
def sample_track(trace: Trace, sample: int) -> int:
    """The track on whose row a sample is shown."""
    order, offsets = trace.samples_by_track
    return int(np.searchsorted(offsets, int(np.flatnonzero(order == sample)[0]), side="right")) - 1


FilterMode = Literal["dim", "hide", "list"]
FILTER_MODES: tuple[FilterMode, ...] = ("dim", "hide", "list")


class FilterChoice(Struct, frozen=True):
    """``text`` in the language of filters; ``mode``: what the timeline does with slices that do not pass (``list``: nothing).

    ``in_args``: plain words search arguments too.
    """

    text: str = ""
    mode: FilterMode = "dim"
    in_args: bool = False


class ViewState:
    """One open trace and the view on it. Setters clamp, then tell their signal once; setting the same value tells nothing."""

    def __init__(self) -> None:
        self.trace: Trace | None = None
        self.levels: Levels | None = None
        self.steps: tuple[Step, ...] = ()
        """The steps that the trace marks, in time order; they are worked out after it is shown."""
        self.ties: Ties | None = None
        """For each slice what can be reached from it, see ``neighbours.find_ties``; None while that is looked up."""
        self.window = TimeRange(0, 1_000_000)
        self.tool: Tool = "select"
        self.drawn: Drawn = None
        """Ids of the slices that are drawn while a filter hides the others, ascending; None: every one. Who draws tells."""
        self.drag: object = None
        """Stands for the press of a button under way: what changes meanwhile is one step."""
        self.selection: Item | None = None
        self.range: TimeRange | None = None
        self.range_tracks: tuple[int, ...] | None = None
        """The rows that the chosen time is about, None: all."""
        self.hover: Item | None = None
        self.hover_fold: Fold | None = None
        self.hover_bundle: Bundle | None = None
        self.cursor_ns: int | None = None
        self.measures: tuple[Measure, ...] = ()
        self.marks: tuple[Mark, ...] = ()
        self.collapsed: frozenset[int] = frozenset()
        self.arrangement = Arrangement()
        self.colour_by: ColourBy = "name"
        self.colour_groups: ColourGroups | None = None
        """What ``argument`` tells apart."""
        self._awaited_argument = ""
        self.arrows: ArrowMode = "selection"
        """Which flows are drawn; kept when another trace is opened."""
        self.time_scale: TimeScale = "start"
        """What the ruler counts from; kept when another trace is opened."""
        self.row_target: tuple[int, int] | None = None
        """Group and track (-1: the whole group) that an open menu is about."""
        self.bundle_target: Bundle | None = None
        """Arrows that an open menu is about."""
        self.time_target: int | None = None
        """Time where an open menu was asked for."""
        self.filter = FilterChoice()
        self.matches: np.ndarray = np.empty(0, np.int64)
        self.match_index = -1
        self.is_matched = False
        """Whether ``matches`` answers something; without matches nothing passed then."""
        self.is_part = False
        """Whether a search is still adding to ``matches``."""
        self.highlight: np.ndarray | None = None
        """Slices that stand out on the timeline for the moment, instead of the matches."""
        self.gathering = Signal()
        """The notes are about to be saved or to go: what is being written belongs into them first."""
        self.trace_changed = Signal()
        self.window_changed = Signal()
        self.tool_changed = Signal()
        self.selection_changed = Signal()
        self.range_changed = Signal()
        self.hover_changed = Signal()
        self.measures_changed = Signal()
        self.marks_changed = Signal()
        self.folds_changed = Signal()
        self.arrangement_changed = Signal()
        self.colours_changed = Signal()
        self.colour_argument_wanted = Signal()
        """Argument: the key of an argument whose values should be looked up for ``set_colour_groups``."""
        self.arrows_changed = Signal()
        self.steps_changed = Signal()
        self.time_scale_changed = Signal()
        self.filter_changed = Signal()
        self.matches_changed = Signal()
        self.highlight_changed = Signal()
        self.drawn_changed = Signal()
        self.reveal_wanted = Signal()
        """Argument: the Item whose row the timeline should scroll to."""
        self.scroll_wanted = Signal()
        """Argument: by how many heights of the timeline its rows should move up."""
        self.row_step_wanted = Signal()
        """Argument: 1 to select on the row below, -1 above, 0 anywhere in sight."""

    @property
    def bounds(self) -> TimeRange:
        """The farthest the window may reach: the span of the trace with a margin.

        Of events over 292 years apart, those nearer to the zero of the clock than 146 years are in reach.
        """
        if self.trace is None:
            return TimeRange(0, 1_000_000)
        span = self.trace.span
        margin = max(1000, int(span.length_ns * MARGIN))
        start, end = max(span.start_ns - margin, -FARTHEST_NS), min(span.end_ns + margin, FARTHEST_NS)
        half = FARTHEST_NS // 2
        return TimeRange(start, end) if end - start <= FARTHEST_NS else TimeRange(max(start, -half), min(end, half))

    def open(self, trace: Trace, levels: Levels) -> None:
        """Show another trace; everything chosen for the former one is forgotten, the tool stays."""
        self._replace(trace, levels)

    def close(self) -> None:
        """Show no trace."""
        if self.trace is not None:
            self._replace(None, None)

    def _replace(self, trace: Trace | None, levels: Levels | None) -> None:
        self.trace, self.levels, self.steps, self.ties = trace, levels, (), None
        self.window = self.bounds
        self.selection = self.range = self.range_tracks = self.cursor_ns = None
        self.hover = self.hover_fold = self.hover_bundle = self.drawn = None
        self.measures, self.marks, self.collapsed, self.arrangement = (), (), frozenset(), Arrangement()
        if self.colour_by == "argument":
            self.colour_by, self.colour_groups = "name", None
        self._awaited_argument = ""
        self.filter, self.highlight = replace(self.filter, text=""), None
        self.matches, self.match_index, self.is_matched = np.empty(0, np.int64), -1, False
        self.trace_changed.emit()

    def set_steps(self, trace: Trace, steps: tuple[Step, ...]) -> None:
        """The steps of a trace are known; of no account when another one is open by now."""
        if trace is self.trace:
            self.steps = steps
            self.steps_changed.emit()

    def set_ties(self, trace: Trace, ties: Ties) -> None:
        """What the slices of a trace lead to is known; of no account when another one is open by now."""
        if trace is self.trace:
            self.ties = ties

    def set_drawn(self, slice_ids: Drawn) -> None:
        """A filter hides all others from now on; None: nothing is hidden."""
        if slice_ids is not self.drawn:
            self.drawn = slice_ids
            self.drawn_changed.emit()

    def set_window(self, window: TimeRange) -> None:
        """Show that time, kept inside ``bounds`` and at least ``MIN_WINDOW_NS`` long."""
        bounds = self.bounds
        length = min(max(window.length_ns, MIN_WINDOW_NS), bounds.length_ns)
        start = min(max(window.start_ns, bounds.start_ns), bounds.end_ns - length)
        clamped = TimeRange(int(start), int(start + length))
        if clamped != self.window:
            self.window = clamped
            self.window_changed.emit()

    def zoom(self, factor: float, at_ns: int | None = None) -> None:
        """Make the window ``factor`` times as long, keeping ``at_ns`` (default: the middle) where it is."""
        w = self.window
        at = (w.start_ns + w.end_ns) // 2 if at_ns is None else at_ns
        length = max(MIN_WINDOW_NS, min(round(w.length_ns * factor), self.bounds.length_ns))
        start = at - round((at - w.start_ns) * (length / w.length_ns))
        self.set_window(TimeRange(start, start + length))

    def pan(self, delta_ns: int) -> None:
        self.set_window(TimeRange(self.window.start_ns + delta_ns, self.window.end_ns + delta_ns))

    def set_tool(self, tool: Tool) -> None:
        if tool != self.tool:
            self.tool = tool
            self.tool_changed.emit()

    def select(self, item: Item | None, *, reveal: bool = False) -> None:
        """Choose an item; ``reveal`` also scrolls to it and brings it into the window."""
        if item != self.selection:
            self.selection = item
            self.selection_changed.emit()
        if reveal and item is not None:
            where = self.item_range(item)
            if where is not None and not self.window.overlaps(TimeRange(where.start_ns, max(where.end_ns, where.start_ns + 1))):
                half = self.window.length_ns // 2
                middle = (where.start_ns + where.end_ns) // 2
                self.set_window(TimeRange(middle - half, middle + half))
            self.reveal_wanted.emit(item)

    def item_range(self, item: Item) -> TimeRange | None:
        """The time an item covers, None for a track."""
        if self.trace is None or item.kind == "track":
            return None
        if item.kind == "slice":
            start = int(self.trace.slices.start_ns[item.id])
            return TimeRange(start, start + int(self.trace.slices.dur_ns[item.id]))
        if item.kind == "flow":
            ends = arrows_of(self.trace, np.array([item.id], np.int64))
            first, last = sorted((int(ends.from_ns[0]), int(ends.to_ns[0])))
            return TimeRange(first, last)
        trace = self.trace
        times = {"instant": trace.instants.time_ns, "counter": trace.counters.time_ns, "sample": trace.stack_samples.time_ns}[item.kind]
        return TimeRange(int(times[item.id]), int(times[item.id]))

    @property
    def pointed_ns(self) -> int | None:
        """The time that a command at the pointer means: where a menu was opened, else where the pointer is."""
        return self.time_target if self.time_target is not None else self.cursor_ns

    def selected_name(self) -> str:
        """Name of the selected slice or instant, "" for anything else."""
        item, trace = self.selection, self.trace
        if trace is None or item is None or item.kind not in ("slice", "instant"):
            return ""
        return trace.strings[int((trace.slices if item.kind == "slice" else trace.instants).name[item.id])]

    def focus_range(self) -> None:
        """Fill the window with the chosen time, leaving a little of it free on both sides."""
        if self.range is not None:
            margin = max(self.range.length_ns // 20, MIN_WINDOW_NS)
            self.set_window(TimeRange(self.range.start_ns - margin, self.range.end_ns + margin))

    def focus(self, item: Item | None = None) -> None:
        """Fill the window with the selection (or ``item``), leaving a quarter of its length free on both sides."""
        target = item or self.selection
        where = self.item_range(target) if target is not None else self.range
        if where is None:
            return
        margin = max(where.length_ns // 4, MIN_WINDOW_NS)
        self.set_window(TimeRange(where.start_ns - margin, where.end_ns + margin))

    def set_range(self, chosen: TimeRange | None, tracks: tuple[int, ...] | None = None) -> None:
        """Choose a time within ``bounds``, on some rows or on all."""
        tracks = tracks if chosen is not None else None
        chosen = chosen.clip(self.bounds) if chosen is not None else None
        if (chosen, tracks) != (self.range, self.range_tracks):
            self.range, self.range_tracks = chosen, tracks
            self.range_changed.emit()

    def set_hover(self, item: Item | None, cursor_ns: int | None, fold: Fold | None = None, bundle: Bundle | None = None) -> None:
        """The pointer is over ``item`` at ``cursor_ns``; ``fold`` when that pixel holds more than the item, ``bundle`` over an arrow."""
        if (item, cursor_ns, fold, bundle) != (self.hover, self.cursor_ns, self.hover_fold, self.hover_bundle):
            self.hover, self.cursor_ns, self.hover_fold, self.hover_bundle = item, cursor_ns, fold, bundle
            self.hover_changed.emit()

    def set_arrows(self, mode: ArrowMode) -> None:
        """Which flows are drawn: none, those of the selection, or all."""
        if mode != self.arrows:
            self.arrows = mode
            self.arrows_changed.emit()

    def set_measures(self, measures: Iterable[Measure]) -> None:
        measures = tuple(measures)
        if measures != self.measures:
            self.measures = measures
            self.measures_changed.emit()

    def set_marks(self, marks: Iterable[Mark]) -> None:
        marks = tuple(sorted(marks, key=lambda m: (m.time_ns, m.length_ns)))
        if marks != self.marks:
            self.marks = marks
            self.marks_changed.emit()

    def add_mark(self, time_ns: int, label: str = "", length_ns: int = 0) -> None:
        self.set_marks((*self.marks, Mark(time_ns, label, length_ns)))

    def set_collapsed(self, groups: Iterable[int]) -> None:
        """Fold these groups (numbers) to one summary row each."""
        folded = frozenset(groups)
        if folded != self.collapsed:
            self.collapsed = folded
            self.folds_changed.emit()

    def set_arrangement(self, arrangement: Arrangement) -> None:
        """Pin, hide, group, order and size rows."""
        if arrangement != self.arrangement:
            self.arrangement = arrangement
            self.arrangement_changed.emit()

    def set_colour_by(self, by: ColourBy) -> None:
        """What slices of one colour have in common; kept when another trace is opened."""
        self._awaited_argument = ""
        if by != self.colour_by:
            self.colour_by, self.colour_groups = by, None
            self.colours_changed.emit()

    def set_colour_groups(self, trace: Trace, groups: ColourGroups) -> None:
        """Colour by an argument that was looked up; of no account when another trace is open by now."""
        if trace is self.trace:
            self._awaited_argument = ""
            self.colour_by, self.colour_groups = "argument", groups
            self.colours_changed.emit()

    def want_colour_argument(self, key: str) -> None:
        """Colour by an argument as soon as its values are known."""
        self._awaited_argument = key
        self.colour_argument_wanted.emit(key)

    @property
    def colour_argument(self) -> str:
        """The argument that colours are by, or will be as soon as its values are known; "" for none."""
        return self._awaited_argument or (self.colour_groups.argument if self.colour_groups is not None else "")

    def target(self) -> tuple[int, int] | None:
        """Group and track that a command about rows means: the open menu's, else the selection's."""
        trace, item = self.trace, self.selection
        if trace is None or self.row_target is not None or item is None:
            return self.row_target
        if item.kind == "track":
            track = item.id
        elif item.kind == "counter":
            track = trace.series[int(np.searchsorted(trace.counters.offsets, item.id, side="right")) - 1].track
        elif item.kind == "flow":
            track = int(trace.slices.track[trace.flows.to_slice[item.id]])
        elif item.kind == "sample":
            track = sample_track(trace, item.id)
        else:
            track = int((trace.slices if item.kind == "slice" else trace.instants).track[item.id])
        return int(groups_of(trace, self.arrangement.group_by).owner[track]), track

    def set_time_scale(self, scale: TimeScale) -> None:
        """Let the ruler count from elsewhere."""
        if scale != self.time_scale:
            self.time_scale = scale
            self.time_scale_changed.emit()

    def set_filter(self, choice: FilterChoice) -> None:
        """Which slices count, instead of what stands out for the moment; who knows the language answers with ``set_matches``."""
        if choice != self.filter:
            self.filter = choice
            self.set_highlight(None)
            self.filter_changed.emit()

    def set_matches(self, slice_ids: np.ndarray, index: int = -1, *, is_answer: bool = False, is_part: bool = False) -> None:
        """Slices found, sorted by start time; ``index`` is the one being looked at, -1 none. ``is_answer``: none means nothing passed.
        ``is_part``: more are to come."""
        self.matches, self.match_index, self.is_part = slice_ids, index, is_part
        self.is_matched = is_answer or len(slice_ids) > 0
        self.matches_changed.emit()

    def set_highlight(self, slice_ids: np.ndarray | None) -> None:
        """Let these slices stand out; None: what the filter found does again."""
        if slice_ids is not None or self.highlight is not None:
            self.highlight = slice_ids
            self.highlight_changed.emit()
