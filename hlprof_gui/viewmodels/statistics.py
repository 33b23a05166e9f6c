"""Statistics as the user sees them: of the chosen time or the window, of what the filter found, in groups; one of them looked at closer.

    window / range, matches, grouping -> statistics (at once where it is quick, else a job) -> table
                                          one group -> its slices -> histogram -> brush -> highlight on the timeline
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from hlprof_core.analysis.filter import quote
from hlprof_core.analysis.group_label import text_of_label
from hlprof_core.analysis.name_statistics import NameStatistics
from hlprof_core.analysis.statistics import GROUPINGS, Statistics, group_rows, statistics
from hlprof_core.errors import HlprofError
from hlprof_core.levels.text_set import Mask
from hlprof_core.levels.window import touched
from hlprof_core.progress import Progress
from hlprof_core.trace.model import Trace
from hlprof_core.trace.ranges import TimeRange
from hlprof_core.units import format_ns
from hlprof_gui.state.signal import Signal
from hlprof_gui.state.view_state import ViewState
from hlprof_gui.viewmodels.peers import Spread, spread_of
from hlprof_gui.viewmodels.search import SearchViewModel
from hlprof_gui.viewmodels.slice_mask import slice_mask
from hlprof_gui.viewmodels.work import AtOnce, Work

QUICK = 50_000
"""So many slices are counted at once."""
MANY_LANES = 5_000
"""Where so many lanes have to be gone through, nothing is done at once but in small traces."""
LARGE = 200_000
"""For a trace of so many slices an index over durations is worth its making."""
MOST_GROUPS = 20_000
"""The weightiest are shown; that there are more is told."""
TEXT_GROUPINGS = ("name", "cat", "process", "thread", "track", "parent")
"""Those whose labels are texts of the trace: signs and case in them mean themselves."""
KEY, INDEX_KEY, GROUP_KEY = "statistics", "statistics.index", "statistics.group"


class _Question(Struct, frozen=True):
    """What the shown statistics are about."""

    window: TimeRange | None
    by: str
    matches: int
    """Identity of the matches that limit them, 0 for none."""
    tracks: tuple[int, ...] | None
    """The rows they are about, None: all."""


class StatisticsViewModel:
    """``refresh`` asks for what the state says now; nothing happens by itself, so that a hidden panel costs nothing."""

    def __init__(self, state: ViewState, search: SearchViewModel, work: Work | None = None) -> None:
        self._state, self._search = state, search
        self._work: Work = work or AtOnce()
        self._fast: NameStatistics | None = None
        self._is_building = False
        self._asked: _Question | None = None
        self._limits: np.ndarray | None = None
        self.by = "name"
        self.follows_filter = True
        self.result: Statistics | None = None
        self.problem = ""
        """Why there is no answer."""
        self.is_pending = False
        self.groups_left = 0
        """Groups that are not in ``result``, lighter than those."""
        self.group: str | None = None
        """Label of the group looked at closer."""
        self.spread: Spread | None = None
        self.brushed: tuple[int, int] | None = None
        """Durations of the group, both ends included, whose slices stand out on the timeline; None: no slices of a group do."""
        self._rows = self._lengths = np.empty(0, np.int64)
        self.changed = Signal()
        self.group_changed = Signal()
        self.brush_changed = Signal()
        state.trace_changed.connect(self._forget)
        state.highlight_changed.connect(self._follow_highlight)

    def _forget(self) -> None:
        for key in (KEY, INDEX_KEY, GROUP_KEY):
            self._work.cancel(key)
        self._fast = self._asked = self._limits = self.result = None
        self.is_pending = self._is_building = False
        self.problem, self.groups_left = "", 0
        self.look_at(None)
        self.changed.emit()

    # -- what is asked ----------------------------------------------------------------------------------------------

    @property
    def window(self) -> TimeRange | None:
        """The chosen time, else the visible one; None where that is everything."""
        state = self._state
        if state.range is not None and state.range.length_ns > 0:
            return state.range
        return None if state.window == state.bounds else state.window

    @property
    def scope(self) -> str:
        """The slices that are counted, in words."""
        state, window = self._state, self.window
        if state.trace is None:
            return ""
        if window is None:
            text = "Whole trace"
        else:
            text = f"{'Chosen' if state.range is not None and state.range == window else 'Visible'} time, {format_ns(window.length_ns)}"
        if self._tracks is not None:
            text += f" on {len(self._tracks)} row{'s' * (len(self._tracks) != 1)}"
        if self._is_limited:
            text += f" · slices with “{self._search.words}”" if self._search.words else " · slices found"
        if self.groups_left:
            text += f" · the {MOST_GROUPS:,} weightiest of {MOST_GROUPS + self.groups_left:,} groups"
        return text

    @property
    def is_limited(self) -> bool:
        """Whether only what the filter found is counted."""
        return self._is_limited

    @property
    def _tracks(self) -> tuple[int, ...] | None:
        return self._state.range_tracks if self.window is not None and self.window == self._state.range else None

    @property
    def _is_limited(self) -> bool:
        return self.follows_filter and self._state.is_matched

    @property
    def groupings(self) -> list[str]:
        """What can be grouped by."""
        return [*GROUPINGS, *(f"args.{key}" for key in self._search.argument_keys())]

    def set_by(self, by: str) -> None:
        """Group by another column or argument."""
        if by and by != self.by:
            self.by = by
            self.look_at(None)
            self.refresh()

    def set_follows_filter(self, on: bool) -> None:
        """Count only what the filter found, or everything."""
        if on != self.follows_filter:
            self.follows_filter = on
            self.refresh()

    # -- answering --------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Ask again where something else is asked now."""
        trace = self._state.trace
        if trace is None:
            return
        matches = self._state.matches if self._is_limited else None
        question = _Question(self.window, self.by, 0 if matches is None else id(matches), self._tracks)
        if question == self._asked and matches is self._limits:
            return
        # Kept, so that its identity stays its own.
        self._asked, self._limits = question, matches
        self._work.cancel(KEY)
        self.is_pending = False
        names = self._names_of(matches)
        near = self._near(trace, question.window)
        is_by_names = self.by == "name" and question.tracks is None and (matches is None or names is not None)
        try:
            if near <= QUICK and not self.by.startswith("args."):
                mask = slice_mask(trace, matches, question.tracks)
                self._take(*_weightiest(statistics(trace, question.window, mask=mask, by=self.by)))
                return
        except HlprofError as error:
            self._fail(error)
            return
        if is_by_names and self._fast is not None:
            self._take(*_weightiest(self._fast.statistics(question.window, names)))
            return
        if is_by_names:
            self._want_index(trace)
        self.is_pending = True
        self.changed.emit()

        def work(progress: Progress) -> tuple[Statistics, int] | HlprofError:
            try:
                mask = slice_mask(trace, matches, question.tracks)
                return _weightiest(statistics(trace, question.window, mask=mask, by=question.by, progress=progress))
            except HlprofError as error:
                progress.check()
                return error

        self._work.start(KEY, "Statistics", work, self._receive)

    @staticmethod
    def _near(trace: Trace, window: TimeRange | None) -> int:
        """How many slices there are to count; all where that takes time itself."""
        if window is None or len(trace.lanes) > MANY_LANES:
            return len(trace.slices)
        return touched(trace, window).count

    def _receive(self, answer: tuple[Statistics, int] | HlprofError) -> None:
        if isinstance(answer, HlprofError):
            self._fail(answer)
        else:
            self._take(*answer)

    def _names_of(self, matches: np.ndarray | None) -> Mask | None:
        """The names that decide what the matches are; None where more than names does, or they come from elsewhere."""
        index, names = self._search.index, self._search.matched_names()
        return names if matches is not None and index is not None and names is not None and index.count(names) == len(matches) else None

    def _take(self, result: Statistics, left: int) -> None:
        self.groups_left = left
        self.is_pending, self.problem, self.result = False, "", result
        self.changed.emit()
        if self.group is not None:
            self._find_group()

    def _fail(self, error: HlprofError) -> None:
        self.is_pending, self.problem, self.result = False, f"{error.message} {error.hint}".strip(), None
        self.look_at(None)
        self.changed.emit()

    def _want_index(self, trace: Trace) -> None:
        index = self._search.index
        if len(trace.slices) < LARGE or self._is_building or index is None:
            return
        self._is_building = True
        self._work.start(INDEX_KEY, "Preparing statistics", lambda progress: NameStatistics(index, progress), self._take_index)

    def _take_index(self, fast: NameStatistics) -> None:
        self._is_building = False
        if fast.index.trace is self._state.trace:
            self._fast = fast

    def stop(self) -> None:
        """Give up what is being counted; another question is answered again."""
        if self.is_pending:
            self._work.cancel(KEY)
            self.is_pending, self.problem, self.result, self.groups_left = False, "Stopped before the end.", None, 0
            self.changed.emit()

    # -- one group --------------------------------------------------------------------------------------------------

    def look_at(self, label: str | None) -> None:
        """Show how the durations of that group spread; None: of none."""
        if label != self.group:
            self.brush(None)
            self.group = label
            self._find_group()

    def _find_group(self) -> None:
        self._work.cancel(GROUP_KEY)
        trace, label, question, matches = self._state.trace, self.group, self._asked, self._limits
        if trace is None or label is None or question is None:
            self._show_group(np.empty(0, np.int64), np.empty(0, np.int64), None)
            return

        def work(progress: Progress) -> tuple[np.ndarray, np.ndarray, Spread | None]:
            mask = slice_mask(trace, matches, question.tracks)
            rows = group_rows(trace, label, question.window, mask=mask, by=question.by, progress=progress)
            lengths = trace.slices.dur_ns[rows]
            return rows, lengths, spread_of(lengths) if len(rows) else None

        if len(trace.slices) <= LARGE and not question.by.startswith("args."):
            self._show_group(*work(Progress()))
        else:
            self._work.start(GROUP_KEY, "Durations", work, lambda found: self._show_group(*found))

    def _show_group(self, rows: np.ndarray, lengths: np.ndarray, spread: Spread | None) -> None:
        self._rows, self._lengths, self.spread = rows, lengths, spread
        self._stand_out()
        self.group_changed.emit()

    def brush(self, durations: tuple[int, int] | None) -> None:
        """Let the slices of the group that last so long (both ends included) stand out on the timeline; None: no longer.

        A brush stays while the same group is counted in another time; all that ends ``ViewState.highlight`` ends it too.
        """
        wanted = durations if self.group is not None else None
        if wanted == self.brushed:
            return
        self.brushed = wanted
        if wanted is None:
            self._state.set_highlight(None)
        else:
            self._stand_out()
        self.brush_changed.emit()

    def _stand_out(self) -> None:
        if self.brushed is None:
            return
        low, high = self.brushed
        slice_ids = self._rows[(self._lengths >= low) & (self._lengths <= high)]
        if self._state.highlight is None or not np.array_equal(slice_ids, self._state.highlight):
            self._state.set_highlight(slice_ids)

    def _follow_highlight(self) -> None:
        if self._state.highlight is None:
            self.brush(None)


def filter_of(by: str, label: str) -> str:
    """The slices of a group and no others, in the language of filters."""
    value = text_of_label(label)
    if by.startswith("args."):
        field = f"args.{quote(by[5:])}"
        return f"{field}=={quote(value)}" if value else f"-{field}=*"
    if by not in TEXT_GROUPINGS:
        return f"{by}={quote(value)}"
    if value:
        return f"{by}=={quote(value)}"
    return f'is:root or {by}==""' if by == "parent" else f'{by}==""'


def _weightiest(result: Statistics) -> tuple[Statistics, int]:
    """The groups that are shown, and how many more there are: millions of them would be forgotten in the window's thread."""
    return result.head(MOST_GROUPS), max(len(result) - MOST_GROUPS, 0)
