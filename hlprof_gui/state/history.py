"""Steps back and forward: undo over everything chosen in the view, and the windows looked at, as a browser keeps pages."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from msgspec import Struct

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
FLOWING = {"window", "selection", "range", "arrangement", "filter"}
"""Kinds that change little by little; of the others each change is a step of its own."""
TOGETHER_S = 0.05
"""Changes of any kind that follow within so long come from one action, such as a jump that selects and moves."""
STEPS = 1000

Choices = dict[str, Any]


class Step(Struct):
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
        self._noted_at = self._moved_at = float("-inf")
        self._noted_drag: object = None
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
        now, drag = self._clock(), self._state.drag
        is_dragging = drag is not None and drag is self._noted_drag
        last = self._undo[-1] if self._undo else None
        if last is not None and self._goes_on(last, kind, now - self._noted_at, drag, is_dragging=is_dragging):
            last.kinds.add(kind)
        else:
            self._undo.append(Step({kind}, self._present))
            del self._undo[:-STEPS]
        self._redo.clear()
        self._present, self._noted_at, self._noted_drag = self._choices(), now, drag
        if self._undo[-1].before == self._present:
            self._undo.pop()  # a drag that was given up
        if kind == "window" and not self._is_travelling:
            self._visit(is_same=self._at > 0 and (now - self._moved_at < MERGE_S or is_dragging))
            self._moved_at = now
        self._tell()

    def _goes_on(self, last: Step, kind: str, since: float, drag: object, *, is_dragging: bool) -> bool:
        """Whether a change belongs to the last step."""
        if since < TOGETHER_S or (is_dragging and kind in last.kinds):
            return True
        return since < MERGE_S and last.kinds == {kind} and kind in FLOWING and drag is self._noted_drag

    # -- undo -------------------------------------------------------------------------------------------------------

    @property
    def undo_title(self) -> str:
        """What would be undone, "" when nothing."""
        return self._undo[-1].title if self._undo else ""

    @property
    def redo_title(self) -> str:
        return self._redo[-1].title if self._redo else ""

    def undo(self) -> None:
        self._swap(self._undo, self._redo, -1)

    def redo(self) -> None:
        self._swap(self._redo, self._undo, 1)

    def _swap(self, source: list[Step], target: list[Step], side: int) -> None:
        if source:
            step = source.pop()
            target.append(Step(step.kinds, self._present))
            self._apply(step.before)
            self._present, self._noted_at, self._noted_drag = self._choices(), float("-inf"), None
            self._arrive(side)
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
            self._noted_at = self._moved_at = float("-inf")
            self._tell()

    def _arrive(self, side: int) -> None:
        """Undo (-1) or redo (1) shows a window: Back and Forward lead on from there."""
        window = self._state.window
        if window == self._windows[self._at]:
            return
        self._moved_at = float("-inf")
        for place in (self._at + side, self._at - side):
            if 0 <= place < len(self._windows) and self._windows[place] == window:
                self._at = place
                return
        self._visit(is_same=False)

    def _visit(self, *, is_same: bool) -> None:
        """A new window behind the present one; ``is_same``: it is still the same movement."""
        if is_same and self._at == len(self._windows) - 1:
            self._windows[self._at] = self._state.window
            return
        del self._windows[self._at + 1 :]
        self._windows.append(self._state.window)
        del self._windows[:-STEPS]
        self._at = len(self._windows) - 1
