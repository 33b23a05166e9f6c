"""Which arrows the timeline shows at the moment, and what lies under the pointer of them. Knows no Qt.

Bundles are kept while what they are made from stays; levels of detail of very many arrows are made elsewhere and come when they are there.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from hlprof_core.levels.flow_levels import FlowLevels, arrows_of, build_flow_levels
from hlprof_core.progress import Progress
from hlprof_core.trace.model import Trace
from hlprof_core.trace.ranges import TimeRange
from hlprof_core.trace.table import I8
from hlprof_gui.state.signal import Signal
from hlprof_gui.state.view_state import Bundle
from hlprof_gui.timeline.bundles import NOTHING, Bundles, Rows, Stretch, bundle_flows, bundle_view, flows_of, members, place_rows
from hlprof_gui.timeline.curves import Curves, bend_curves

if TYPE_CHECKING:
    from hlprof_gui.timeline.found import Found
    from hlprof_gui.timeline.scene import Scene

FLOWS, FEW_FLOWS = "flows", 20_000
"""Levels of more arrows than these are made by work of this key."""
MOST_NAMED, NAMES = 20_000, 3
"""So many ends of arrows are looked at to name a bundle, by so many names."""


class Shown(Struct, frozen=True, eq=False):
    """Bundles and where they run. ``is_chosen``: they belong to the selection."""

    bundles: Bundles
    curves: Curves
    is_chosen: bool
    flows: I8 | None = None
    """The arrows they were made of, None: all that are in sight."""


EMPTY = Shown(NOTHING, bend_curves(NOTHING), is_chosen=False)


class FlowView:
    """Arrows of one scene. ``changed``: levels of detail are there."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self.changed = Signal()
        self._levels: FlowLevels | None = None
        self._levels_of: tuple[object, object] = (None, None)
        self._awaited: tuple[object, object] | None = None
        self._rows: Rows | None = None
        self._rows_of: tuple[object, ...] = ()
        self._told: tuple[Bundle, Shown, int] | None = None
        """What was under the pointer last."""
        self._kept: dict[str, tuple[tuple[object, ...], Shown]] = {}

    # -- derived things ---------------------------------------------------------------------------------------------

    def forget(self) -> None:
        """Another trace is open: nothing of the former one is kept."""
        if self._awaited is not None:
            self._scene.work.cancel(FLOWS)
        self._levels, self._levels_of, self._awaited = None, (None, None), None
        self._rows, self._rows_of, self._told = None, (), None
        self._kept.clear()

    def levels(self) -> FlowLevels | None:
        """Levels of the arrows between slices that are drawn; None until they are made."""
        trace, hiding = self._scene.trace, self._scene.hiding
        if trace is None:
            self._levels, self._levels_of = None, (None, None)
            return None
        wanted = (trace, hiding)
        if self._levels_of != wanted and self._awaited != wanted:
            self._levels, self._levels_of, self._awaited = None, (None, None), wanted
            if len(trace.flows) <= FEW_FLOWS:
                self._take(wanted, build_flow_levels(trace, passing_flows(trace, hiding)))
            else:
                work = self._scene.work
                make = partial(_make_levels, trace, hiding)
                work.start(FLOWS, "Preparing the arrows", make, lambda levels: self._take(wanted, levels))
        return self._levels

    def _take(self, wanted: tuple[object, object], levels: FlowLevels) -> None:
        if self._awaited == wanted:
            self._levels, self._levels_of, self._awaited = levels, wanted, None
            self.changed.emit()

    def rows(self) -> Rows | None:
        """Where rows are now."""
        scene = self._scene
        trace, layout = scene.trace, scene.layout
        if trace is None or layout is None:
            return None
        key = (layout, scene.top, scene.height)
        if self._rows is None or self._rows_of != key:
            self._rows, self._rows_of = place_rows(trace, layout, scene.top, scene.height), key
        return self._rows

    @property
    def _stretch(self) -> Stretch:
        return Stretch(self._scene.state.window, self._scene.width)

    def shown(self) -> list[Shown]:
        """What is drawn now, bottom to top."""
        state = self._scene.state
        if state.trace is None or not len(state.trace.flows) or state.arrows == "none":
            return []
        parts = [self._all()] if state.arrows == "all" else []
        parts.append(self._chosen())
        return [part for part in parts if len(part.bundles) or part.bundles.hidden or part.bundles.elsewhere]

    def _all(self) -> Shown:
        levels, rows = self.levels(), self.rows()
        if levels is None or rows is None:
            return EMPTY
        key = (levels, rows, self._stretch)
        return self._keep("all", key, lambda: _show(bundle_view(levels, rows, self._stretch), is_chosen=False))

    def _chosen(self) -> Shown:
        """Arrows of the selected slice, the selected arrow, or those with an end in the chosen time."""
        state, rows = self._scene.state, self.rows()
        selection, trace = state.selection, state.trace
        if rows is None or trace is None:
            return EMPTY
        if selection is not None and selection.kind in ("slice", "flow"):
            key = (trace, selection, rows, self._stretch, self.levels() is None)

            def make() -> Shown:
                flows = np.array([selection.id], np.int64) if selection.kind == "flow" else self._of_slice(trace, selection.id)
                return _show(bundle_flows(trace, flows, rows, self._stretch), is_chosen=True, flows=flows)

            return self._keep("chosen", key, make)
        if state.range is None or state.arrows == "all" or (levels := self.levels()) is None:
            return EMPTY
        within, tracks = state.range, state.range_tracks
        part = (levels, within, tracks, rows, self._stretch)
        return self._keep(
            "chosen", part, lambda: _show(bundle_view(levels, rows, self._stretch, within=within, tracks=tracks), is_chosen=True)
        )

    def _of_slice(self, trace: Trace, slice_id: int) -> I8:
        levels = self.levels()
        if levels is not None:
            return levels.of_slice(slice_id)
        flows = trace.flows
        return np.flatnonzero((flows.from_slice == slice_id) | (flows.to_slice == slice_id))

    def _keep(self, name: str, key: tuple[object, ...], make: Callable[[], Shown]) -> Shown:
        kept = self._kept.get(name)
        if kept is None or kept[0] != key:
            kept = key, make()
            self._kept[name] = kept
        return kept[1]

    # -- under the pointer ------------------------------------------------------------------------------------------

    def at(self, x: float, y: float, reach: float = 0.0) -> tuple[Shown, int] | None:
        """The bundle drawn there or within ``reach`` of it, the uppermost of several; logical pixels."""
        for shown in reversed(self.shown()):
            place = shown.curves.nearest(x, y, reach)
            if place is not None:
                return shown, place
        return None

    def find(self, bundle: Bundle) -> tuple[Shown, int] | None:
        """Where something that was under the pointer is drawn now; None when it is no more."""
        if self._told is not None and self._told[0] is bundle and any(shown is self._told[1] for shown in self.shown()):
            return self._told[1:]
        return None

    def bundle_at(self, x: float, y: float, reach: float = 0.0) -> Bundle | None:
        """What the bundle there stands for."""
        hit = self.at(x, y, reach)
        if hit is None:
            return None
        if self._told is None or self._told[1:] != hit:
            self._told = (self.describe(*hit), *hit)
        return self._told[0]

    def describe(self, shown: Shown, place: int) -> Bundle:
        """Count, names and time of one of the bundles."""
        trace = self._scene.trace
        assert trace is not None
        flows = self._finder(shown, place, MOST_NAMED)()
        if not len(flows):
            flows = shown.bundles.flow[place : place + 1]
        arrows = arrows_of(trace, flows)
        names, table = trace.slices.name, trace.flows
        pair = names[table.from_slice[flows]].astype(np.uint64) << np.uint64(32) | names[table.to_slice[flows]]
        pairs, counts = np.unique(pair, return_counts=True)
        often = np.argsort(-counts, kind="stable")[:NAMES]
        named = tuple(
            (trace.strings[key >> 32], trace.strings[key & 0xFFFFFFFF], count)
            for key, count in zip(pairs[often].tolist(), counts[often].tolist(), strict=True)
        )
        earliest = int(min(arrows.from_ns.min(), arrows.to_ns.min()))
        latest = int(max(arrows.from_ns.max(), arrows.to_ns.max()))
        count = int(shown.bundles.count[place])
        return Bundle(count, int(flows[0]), TimeRange(earliest, latest), named, len(pairs), is_sampled=len(flows) < count)

    def _finder(self, shown: Shown, place: int, most: int | None = None) -> Callable[[], I8]:
        """Finds the arrows of a bundle, in any thread and as the view is now."""
        trace, rows, levels, stretch, flows = self._scene.trace, self.rows(), self._levels, self._stretch, shown.flows
        assert trace is not None
        assert rows is not None
        if flows is not None:
            return lambda: flows[members(shown.bundles, place, arrows_of(trace, flows), rows, stretch)]
        assert levels is not None
        return lambda: flows_of(shown.bundles, place, levels, rows, stretch, most)

    def finder_of_slices(self, bundle: Bundle) -> Callable[[Progress], I8]:
        """Finds all slices at both ends of arrows that were under the pointer, by start; in any thread."""
        trace, hit = self._scene.trace, self.find(bundle)
        assert trace is not None
        find_flows = self._finder(*hit) if hit is not None else lambda: np.array([bundle.flow], np.int64)

        def find(_progress: Progress) -> I8:
            flows = find_flows()
            ids = np.unique(np.concatenate((trace.flows.from_slice[flows], trace.flows.to_slice[flows]))).astype(np.int64)
            return np.asarray(ids[np.argsort(trace.slices.start_ns[ids], kind="stable")], np.int64)

        return find


def _show(bundles: Bundles, *, is_chosen: bool, flows: I8 | None = None) -> Shown:
    return Shown(bundles, bend_curves(bundles), is_chosen, flows)


def _make_levels(trace: Trace, hiding: Found | None, progress: Progress) -> FlowLevels:
    return build_flow_levels(trace, passing_flows(trace, hiding), progress)


def passing_flows(trace: Trace, found: Found | None) -> I8 | None:
    """Arrows both of whose slices are drawn when only those found are; None: all."""
    if found is None:
        return None
    return np.flatnonzero(found.holds(trace.flows.from_slice) & found.holds(trace.flows.to_slice))
