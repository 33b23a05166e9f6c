"""Search as the user sees it: words, hits in time order, ``i / n``, next and previous. Who runs the slow half is not known here."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hlprof_core.levels.text_index import TextIndex
from hlprof_core.trace.table import I8
from hlprof_gui.state.signal import Signal
from hlprof_gui.state.view_state import Item, ViewState

NONE = np.empty(0, np.int64)


class SearchViewModel:
    """Plain words match names while they are typed; with ``in_args`` also arguments, which ``want_args`` is asked to stream."""

    def __init__(self, state: ViewState) -> None:
        self._state = state
        self._index: TextIndex | None = None
        self.words = ""
        self.in_args = False
        self.is_streaming = False
        self.want_args: Callable[[str], None] | None = None
        """Called with the words when arguments should be searched, with "" when a running search should stop."""
        self.changed = Signal()
        state.trace_changed.connect(self._forget)
        state.matches_changed.connect(self.changed.emit)

    def _forget(self) -> None:
        self._index = None
        self.is_streaming = False
        self.words = ""
        if self.want_args is not None:
            self.want_args("")
        self.changed.emit()

    @property
    def is_possible(self) -> bool:
        """Whether there is a trace to search in."""
        return self._state.trace is not None

    @property
    def is_ready(self) -> bool:
        """Whether the index of the open trace is there."""
        return self._index is not None

    def set_index(self, index: TextIndex) -> None:
        """The index of the open trace was built; runs what was typed meanwhile."""
        if index.trace is self._state.trace:
            self._index = index
            if self.words:
                self._run()

    def set_words(self, words: str) -> None:
        """Search for that text (names at once)."""
        words = words.strip()
        if words != self.words:
            self.words = words
            self._run()

    def set_in_args(self, on: bool) -> None:
        """Search arguments too, or names only."""
        if on != self.in_args:
            self.in_args = on
            if self.words:
                self._run()

    def _run(self) -> None:
        hits = self._index.search_names(self.words) if self._index is not None and self.words else NONE
        self.is_streaming = bool(self.in_args and self.words and self._index is not None)
        self._state.set_matches(hits, -1)
        if self.want_args is not None:
            self.want_args(self.words if self.is_streaming else "")

    def add_args_hits(self, slice_ids: I8) -> None:
        """More hits from the running search over arguments; the hit being looked at stays."""
        current = self.current
        merged = np.union1d(self._state.matches, slice_ids)
        merged = merged[np.argsort(self._starts(merged), kind="stable")]
        where = np.flatnonzero(merged == current)
        self._state.set_matches(merged, int(where[0]) if len(where) else -1)

    def end_args(self) -> None:
        """The search over arguments is complete (or was stopped)."""
        self.is_streaming = False
        self.changed.emit()

    def _starts(self, ids: I8) -> I8:
        return self._state.trace.slices.start_ns[ids] if self._state.trace is not None else ids

    @property
    def current(self) -> int | None:
        """Slice id of the hit being looked at."""
        index = self._state.match_index
        return int(self._state.matches[index]) if 0 <= index < len(self._state.matches) else None

    @property
    def count_text(self) -> str:
        """``3 / 17``, ``17``, ``none``; with a trailing ``…`` while the search still runs."""
        if not self.words and not len(self._state.matches):
            return ""
        if self._index is None and self.words:
            return "…"
        n, i = len(self._state.matches), self._state.match_index
        text = f"{i + 1:,} / {n:,}" if i >= 0 else f"{n:,}" if n else "none"
        return text + (" …" if self.is_streaming else "")

    def step(self, by: int) -> None:
        """Jump to the next (1) or previous (-1) hit; the first jump starts at the left border of the window. Wraps around."""
        n = len(self._state.matches)
        if not n:
            return
        if self._state.match_index >= 0:
            self.jump((self._state.match_index + by) % n)
            return
        first = int(np.searchsorted(self._starts(self._state.matches), self._state.window.start_ns))
        self.jump(first % n if by > 0 else (first - 1) % n)

    def jump(self, index: int) -> None:
        """Look at that hit: select it and bring it into view."""
        self._state.set_matches(self._state.matches, index)
        self._state.select(Item("slice", int(self._state.matches[index])), reveal=True)

    def clear(self) -> None:
        """Forget words and hits."""
        self.words = ""
        self.is_streaming = False
        if self.want_args is not None:
            self.want_args("")
        self._state.set_matches(NONE, -1)
