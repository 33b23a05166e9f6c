"""Search as the user sees it: a filter, what passes in time order, ``i / n``, next and previous. Who runs the slow half is not known.

    state.filter -> understood? -> names alone: at once   else: a job over the columns -> arguments: streamed
                        | no: ``error`` with its place; what was found before stays
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np
from msgspec.structs import replace

from hlprof_core.analysis.filter import Filter, FilterEngine, Matched, read_filter
from hlprof_core.analysis.filter.completion import Completer, Completion
from hlprof_core.errors import FilterInvalid
from hlprof_core.levels.name_index import NameIndex
from hlprof_core.progress import Progress
from hlprof_gui.state.signal import Signal
from hlprof_gui.state.view_state import FilterMode, Item, ViewState
from hlprof_gui.viewmodels.work import AtOnce, Work

NONE = np.empty(0, np.int64)
SMALL, FEW = 50_000, 20_000
"""Columns of so many slices are looked through at once, and so many matches are put in order: each takes a few milliseconds."""
PART_S = 0.25
"""Hits of a search over arguments are handed over at once when there are some, then so often, and later less often: each time all of them
are put in order and drawn anew."""
WORK_KEYS = KEY, STREAM_KEY = "filter", "args"
KEYS_KEY = "argument keys"


class SearchViewModel:
    """Answers ``state.filter`` with ``state.matches``. ``work`` runs what takes longer than a frame."""

    def __init__(self, state: ViewState) -> None:
        self._state = state
        self._engine: FilterEngine | None = None
        self._completer = Completer(None)
        self.work: Work = AtOnce()
        self.error: FilterInvalid | None = None
        """Why the filter is not understood."""
        self.is_pending = False
        """Whether the columns are being looked through."""
        self.is_streaming = False
        """Whether arguments are being searched."""
        self.is_stopped = False
        """Whether the user stopped the search before its end."""
        self._known: int | None = None
        """Number of matches where it is known before they are listed."""
        self.changed = Signal()
        state.trace_changed.connect(self._forget)
        state.filter_changed.connect(self._run)
        state.matches_changed.connect(self.changed.emit)

    def _forget(self) -> None:
        self._stop()
        self.work.cancel(KEYS_KEY)
        self._engine, self._completer, self.error = None, Completer(None), None
        self.changed.emit()

    def _stop(self) -> None:
        self.work.cancel(KEY)
        self.work.cancel(STREAM_KEY)
        self.is_pending = self.is_streaming = self.is_stopped = False
        self._known = None

    @property
    def is_busy(self) -> bool:
        """Whether slices or arguments are being looked through."""
        return self.is_pending or self.is_streaming

    def stop(self) -> bool:
        """Give up the search that runs; what was found so far stays. Whether one ran."""
        if not self.is_busy:
            return False
        has_part = self.is_streaming
        self._stop()
        self.is_stopped = True
        if has_part:
            self._end_parts()
        else:
            self._state.set_matches(NONE, -1)
        return True

    # -- what is chosen ---------------------------------------------------------------------------------------------

    @property
    def words(self) -> str:
        """The text of the filter."""
        return self._state.filter.text

    @property
    def in_args(self) -> bool:
        return self._state.filter.in_args

    @property
    def mode(self) -> FilterMode:
        return self._state.filter.mode

    @property
    def is_possible(self) -> bool:
        """Whether there is a trace to search in."""
        return self._state.trace is not None

    @property
    def is_ready(self) -> bool:
        """Whether the index of the open trace is there."""
        return self._engine is not None

    @property
    def index(self) -> NameIndex | None:
        """The names of the open trace, once they are there."""
        return self._engine.index if self._engine is not None else None

    def matched_names(self) -> np.ndarray | None:
        """For each name of the index whether it passes, where names alone decide; else None."""
        engine = self._engine
        if engine is None or not self.words or self.error is not None:
            return None
        wanted = read_filter(self.words, words_in_args=self.in_args)
        return engine.names(wanted) if wanted.is_about_names else None

    def set_index(self, index: NameIndex) -> None:
        """The index of the open trace was built; runs what was typed meanwhile."""
        if index.trace is self._state.trace:
            self._engine, self._completer = FilterEngine(index.trace, index), Completer(index)
            prepare = partial(_prepare, self._engine, self._completer)
            self.work.start(KEYS_KEY, "Preparing proposals", prepare, lambda _: self.changed.emit())
            if self.words:
                self._run()
            else:
                self.changed.emit()

    def set_words(self, words: str) -> None:
        """Filter by that text."""
        words = words.strip()
        if words != self.words:
            self._state.set_filter(replace(self._state.filter, text=words))

    def set_in_args(self, on: bool) -> None:
        """Let plain words search arguments too, or names only."""
        self._state.set_filter(replace(self._state.filter, in_args=on))

    def set_mode(self, mode: FilterMode) -> None:
        """What the timeline does with slices that do not pass."""
        self._state.set_filter(replace(self._state.filter, mode=mode))

    def show_found(self, slice_ids: np.ndarray) -> None:
        """Matches, by start, that do not come from the filter: it is forgotten, for it would say something else about them."""
        self.set_words("")
        self._state.set_highlight(None)
        self._state.set_matches(slice_ids)

    def clear(self) -> None:
        """Forget filter and matches, also those that came from elsewhere, and what stands out instead of them."""
        self.set_words("")
        self._state.set_highlight(None)
        if self._state.is_matched:
            self._state.set_matches(NONE, -1)

    def complete(self, text: str, at: int) -> list[Completion]:
        """What may stand at place ``at`` of a text that is being typed."""
        return self._completer.complete(text, at)

    def argument_keys(self) -> list[str]:
        """Keys of arguments in the open trace, as far as a sample tells."""
        return self._completer.argument_keys()

    # -- finding ----------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        self._stop()
        self.error = None
        if not self.words:
            self._state.set_matches(NONE, -1)
            return
        try:
            wanted = read_filter(self.words, words_in_args=self.in_args)
        except FilterInvalid as error:
            self.error = error
            self.changed.emit()
            return
        engine = self._engine
        if engine is None:
            self.changed.emit()
        elif wanted.is_about_names:
            found = engine.names(wanted)
            self._known = engine.index.count(found)
            self._list(lambda progress: engine.index.slices(found, progress), is_small=self._known <= FEW, done=self._show)
        else:
            is_small = len(engine.trace.slices) <= SMALL
            self._list(lambda progress: _look_through(engine, wanted, progress), is_small=is_small, done=lambda r: self._looked(wanted, *r))

    def _list(self, work: Callable[[Progress], object], *, is_small: bool, done: Callable[..., None]) -> None:
        self.is_pending = not is_small
        if is_small:
            done(work(Progress()))
        else:
            self.work.start(KEY, "Filtering", work, done)
            self.changed.emit()

    def _show(self, slice_ids: np.ndarray) -> None:
        self.is_pending, self._known = False, None
        self._state.set_matches(slice_ids, -1, is_answer=True)

    def _looked(self, wanted: Filter, matched: Matched, slice_ids: np.ndarray) -> None:
        engine = self._engine
        assert engine is not None
        self.is_streaming = bool(wanted.needs_args and matched.open.any())
        self._show(slice_ids)
        if self.is_streaming:

            def work(progress: Progress, part: Callable[[np.ndarray], None]) -> None:
                _search_args(engine, wanted, matched, progress, part)

            self.work.start_streaming(STREAM_KEY, "Searching arguments", work, self._add, lambda _: self.end_work(STREAM_KEY))

    def _add(self, slice_ids: np.ndarray) -> None:
        """All matches so far, the running search over arguments included; the one being looked at stays."""
        current = self.current
        where = np.flatnonzero(slice_ids == current) if current is not None else NONE
        self._state.set_matches(slice_ids, int(where[0]) if len(where) else -1, is_answer=True, is_part=True)

    def end_work(self, key: str) -> None:
        """Work of that key is complete, or failed."""
        if key == KEY and self.is_pending:
            self.is_pending = False
            self.changed.emit()
        elif key == STREAM_KEY and self.is_streaming:
            self.is_streaming = False
            self._end_parts()

    def _end_parts(self) -> None:
        state = self._state
        state.set_matches(state.matches, state.match_index, is_answer=state.is_matched)

    # -- looking at matches -----------------------------------------------------------------------------------------

    def _starts(self, ids: np.ndarray) -> np.ndarray:
        return self._state.trace.slices.start_ns[ids] if self._state.trace is not None else ids

    @property
    def current(self) -> int | None:
        """Slice id of the match being looked at."""
        index = self._state.match_index
        return int(self._state.matches[index]) if 0 <= index < len(self._state.matches) else None

    @property
    def count_text(self) -> str:
        """``3 / 17``, ``17``, ``none``; with a trailing ``…`` while the search still runs, ``+`` where it was stopped."""
        if self.words and self._engine is None:
            return "" if self.error else "…"
        if self.error is not None or not (self.words or self._state.is_matched):
            return ""
        if self.is_stopped and not self._state.is_matched:
            return "stopped"
        if self.is_pending and self._known is None:
            return "…"
        n, i = len(self._state.matches) if self._known is None else self._known, self._state.match_index
        text = f"{i + 1:,} / {n:,}" if i >= 0 and self._known is None else f"{n:,}" if n else "none"
        return text + (" …" if self.is_streaming else " +" if self.is_stopped else "")

    @property
    def summary(self) -> str:
        """One line about what was found."""
        if self.error is not None:
            return str(self.error)
        n = len(self._state.matches)
        if not self.words:
            return f"{n:,} slice{'s' * (n != 1)}" if n else "Type in the search field (/) to list matching slices."
        more = " so far …" if self.is_streaming else " …" if self.is_pending or not self.is_ready else ""
        more = ", stopped before the end" if self.is_stopped else more
        return f"{n:,} slice{'s' * (n != 1)} with “{self.words}”{' in names or arguments' if self.in_args else ''}{more}"

    def step(self, by: int) -> None:
        """Jump to the next (1) or previous (-1) match; the first jump starts at the left border of the window. Wraps around."""
        n = len(self._state.matches)
        if not n:
            return
        if self._state.match_index >= 0:
            self.jump((self._state.match_index + by) % n)
            return
        first = self._first_visible()
        self.jump(first % n if by > 0 else (first - 1) % n)

    def _first_visible(self) -> int:
        """Place of the first match that starts in the window or behind it."""
        low, high, at = 0, len(self._state.matches), self._state.window.start_ns
        while low < high:
            middle = (low + high) // 2
            if int(self._starts(self._state.matches[middle : middle + 1])[0]) < at:
                low = middle + 1
            else:
                high = middle
        return low

    def jump(self, index: int) -> None:
        """Look at that match: select it and bring it into view."""
        self._state.set_matches(self._state.matches, index, is_answer=self._state.is_matched, is_part=self.is_streaming)
        self._state.select(Item("slice", int(self._state.matches[index])), reveal=True)


def _prepare(engine: FilterEngine, completer: Completer, progress: Progress) -> None:
    completer.read_arguments(progress)
    engine.prepare_arguments()


def _look_through(engine: FilterEngine, wanted: Filter, progress: Progress) -> tuple[Matched, np.ndarray]:
    matched = engine.match(wanted, progress)
    progress.check()
    return matched, engine.index.in_order(matched.sure, progress)


def _search_args(
    engine: FilterEngine, wanted: Filter, matched: Matched, progress: Progress, part: Callable[[np.ndarray], None]
) -> None:
    """Hand over all matches whenever some were added, but not more often than they can be drawn."""
    found, is_new, started = matched.sure.copy(), False, time.monotonic()
    told = float("-inf")
    for ids in engine.stream(wanted, matched, progress):
        found[ids] = True
        is_new = True
        now = time.monotonic()
        if now - told > max(PART_S, (now - started) / 2):
            part(engine.index.in_order(found))
            is_new, told = False, time.monotonic()
    if is_new:
        part(engine.index.in_order(found))
