"""Steps back and forward: undo over everything chosen in the view, and the windows looked at, as a browser keeps pages."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hlprof_core.trace.ranges import TimeRange
from hlprof_gui.state.signal import Signal
from hlprof_gui.state.view_state import ViewState

TITLES = {
    "window": "Zoom and Pan",
    "selection": "Selection",
    "range": "Time Range",
    "arrows": "Arrows",
    "measures": "Measure",
    "marks": "Marks",
    "collapsed": "Folding",
    "arrangement": "Order of Rows",
    "filter": "Filter",
}
"""What of the state is undone, with its words for the menu, the weightiest last."""
MERGE_S = 1.0
"""Changes of one kind that follow each other within so long are one step: a held key, a drag, several wheel notches."""
TOGETHER_S = 0.05
"""Changes of any kind that follow within so long come from one action, such as a jump that selects and moves."""
STEPS = 1000

Choices = dict[str, Any]


@dataclass(slots=True)
class Step:
    kinds: set[str]
    before: Choices

    @property
    def title(self) -> str:
        return next(title for kind, title in reversed(TITLES.items()) if kind in self.kinds)


class History:
    """Follows a ``ViewState``. Another trace starts a new history. ``clock`` in seconds."""

    def __init__(self, state: ViewState, clock: Callable[[], float] = time.monotonic) -> None:
        self.changed = Signal()
        """What can be done or where one can go is another than before."""
        self._told: tuple[str, str, bool, bool] | None = None
        self._state, self._clock = state, clock
        signals = {
            "window": state.window_changed,
            "selection": state.selection_changed,
            "range": state.range_changed,
            "arrows": state.arrows_changed,
            "measures": state.measures_changed,
            "marks": state.marks_changed,
            "collapsed": state.folds_changed,
            "arrangement": state.arrangement_changed,
            "filter": state.filter_changed,
        }
        for kind, signal in signals.items():
            signal.connect(lambda *_, kind=kind: self._note(kind))
        state.trace_changed.connect(self.forget)
        self.forget()

    def forget(self) -> None:
        """Nothing to go back to."""
        self._undo: list[Step] = []
        self._redo: list[Step] = []
        self._present = self._choices()
        self._noted_at = float("-inf")
        self._windows: list[TimeRange] = [self._state.window]
        self._at = 0
        self._is_applying = self._is_travelling = False
        self._tell()

    def _tell(self) -> None:
        possible = self.undo_title, self.redo_title, self.can_go_back, self.can_go_forward
        if possible != self._told:
            self._told = possible
            self.changed.emit()

    def _choices(self) -> Choices:
        return {kind: getattr(self._state, kind) for kind in (*TITLES, "range_tracks")}

    def _note(self, kind: str) -> None:
        if self._is_applying:
            return
        now = self._clock()
        since = now - self._noted_at
        last = self._undo[-1] if self._undo else None
        if last is not None and (since < TOGETHER_S or (since < MERGE_S and last.kinds == {kind})):
            last.kinds.add(kind)
        else:
            self._undo.append(Step({kind}, self._present))
            del self._undo[:-STEPS]
        if kind == "window" and not self._is_travelling:
            self._visit(is_same=last is not None and since < MERGE_S and self._at > 0)
        self._redo.clear()
        self._present, self._noted_at = self._choices(), now
        self._tell()

    # -- undo -------------------------------------------------------------------------------------------------------

    @property
    def undo_title(self) -> str:
        """What would be undone, "" when nothing."""
        return self._undo[-1].title if self._undo else ""

    @property
    def redo_title(self) -> str:
        return self._redo[-1].title if self._redo else ""

    def undo(self) -> None:
        self._swap(self._undo, self._redo)

    def redo(self) -> None:
        self._swap(self._redo, self._undo)

    def _swap(self, source: list[Step], target: list[Step]) -> None:
        if source:
            step = source.pop()
            target.append(Step(step.kinds, self._present))
            self._apply(step.before)
            self._present, self._noted_at = self._choices(), float("-inf")
            self._tell()

    def _apply(self, choices: Choices) -> None:
        state = self._state
        self._is_applying = True
        try:
            state.set_filter(choices["filter"])
            state.set_arrangement(choices["arrangement"])
            state.set_collapsed(choices["collapsed"])
            state.set_marks(choices["marks"])
            state.set_measures(choices["measures"])
            state.set_range(choices["range"], choices["range_tracks"])
            state.set_arrows(choices["arrows"])
            state.select(choices["selection"])
            state.set_window(choices["window"])
        finally:
            self._is_applying = False

    # -- windows ----------------------------------------------------------------------------------------------------

    @property
    def can_go_back(self) -> bool:
        return self._at > 0

    @property
    def can_go_forward(self) -> bool:
        return self._at + 1 < len(self._windows)

    def back(self) -> None:
        """The window looked at before."""
        self._travel(-1)

    def forward(self) -> None:
        self._travel(1)

    def _travel(self, step: int) -> None:
        if 0 <= self._at + step < len(self._windows):
            self._at += step
            self._is_travelling = True
            try:
                self._state.set_window(self._windows[self._at])
            finally:
                self._is_travelling = False
            self._noted_at = float("-inf")
            self._tell()

    def _visit(self, *, is_same: bool) -> None:
        """A new window behind the present one; ``is_same``: it is still the same movement."""
        if is_same and self._at == len(self._windows) - 1:
            self._windows[self._at] = self._state.window
            return
        del self._windows[self._at + 1 :]
        self._windows.append(self._state.window)
        del self._windows[:-STEPS]
        self._at = len(self._windows) - 1
