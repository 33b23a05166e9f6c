"""Which slices a filter lets through: each question is answered once for each distinct text or row, then spread over the columns.

    leaves about texts -> mask over names      leaves about rows -> mask over tracks      others -> their column
                               \\__________________________|______________________________/
                                     mask over slices, and what only the arguments can decide
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator

import numpy as np
from msgspec import Struct

from hlprof_core.analysis.filter.arguments import args_order, stream_args
from hlprof_core.analysis.filter.binding import Every, Filter, Leaf, Opposite, Rule, read_filter
from hlprof_core.analysis.filter.condition import NumberCondition, TextCondition
from hlprof_core.analysis.filter.fields import Field, facts, fields
from hlprof_core.levels.name_index import NameIndex, build_name_index
from hlprof_core.levels.text_set import Mask, TextSet
from hlprof_core.progress import Progress
from hlprof_core.trace.model import Trace
from hlprof_core.trace.table import I8, U4

REMEMBERED = 12
"""Masks over all slices that are kept: while somebody types, all terms but the last stay the same."""


class Matched(Struct, frozen=True, eq=False):
    """``sure``: slices that pass whatever their arguments; ``open``: those whose arguments decide. Disjoint."""

    sure: Mask
    open: Mask


class _Memory:
    """The latest answers; any thread may ask, two may find out the same at once."""

    def __init__(self) -> None:
        self._known: OrderedDict[Leaf, Mask] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, leaf: Leaf, find_out: Callable[[Leaf], Mask]) -> Mask:
        with self._lock:
            if leaf in self._known:
                self._known.move_to_end(leaf)
                return self._known[leaf]
        mask = find_out(leaf)
        mask.flags.writeable = False
        with self._lock:
            self._known[leaf] = mask
            while len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return mask


class FilterEngine:
    """Answers filters about one trace and remembers what it found out. Any thread may ask."""

    def __init__(self, trace: Trace, index: NameIndex | None = None) -> None:
        self.trace = trace
        self.index = index or build_name_index(trace)
        self._masks, self._names = _Memory(), _Memory()
        self._categories: tuple[U4, TextSet] | None = None

    # -- names alone ------------------------------------------------------------------------------------------------

    def names(self, wanted: Filter) -> Mask:
        """For each of ``index.names`` whether slices of that name pass; for filters that are only about names. Under a millisecond."""
        return self._combine_names(wanted.rule) if wanted.rule is not None else np.ones(len(self.index.names), np.bool_)

    def _combine_names(self, rule: Rule) -> Mask:
        if isinstance(rule, Leaf):
            return self._names_of(rule)
        if isinstance(rule, Opposite):
            return ~self._combine_names(rule.inner)
        parts = [self._combine_names(part) for part in rule.parts]
        joined: Mask = np.logical_and.reduce(parts) if isinstance(rule, Every) else np.logical_or.reduce(parts)
        return joined

    def _names_of(self, leaf: Leaf) -> Mask:
        def find_out(leaf: Leaf) -> Mask:
            assert isinstance(leaf.condition, TextCondition)
            return leaf.condition.of_texts(self.index.texts, lambda place: self.trace.strings[int(self.index.names[place])])

        return self._names.get(leaf, find_out)

    # -- all columns ------------------------------------------------------------------------------------------------

    def match(self, wanted: Filter, progress: Progress | None = None) -> Matched:
        """What the columns tell. Some milliseconds for each question at 5 M slices."""
        size = len(self.trace.slices)
        if wanted.rule is None:
            return Matched(np.ones(size, np.bool_), np.zeros(size, np.bool_))
        sure, possible = self._bounds(wanted.rule, progress or Progress())
        return Matched(sure, possible & ~sure if possible is not sure else np.zeros(size, np.bool_))

    def _bounds(self, rule: Rule, progress: Progress) -> tuple[Mask, Mask]:
        """Slices that pass surely, and those that may; the same array twice where no argument is asked for."""
        progress.check()
        if isinstance(rule, Leaf):
            if rule.field == "args":
                return np.zeros(len(self.trace.slices), np.bool_), self._with_args()
            mask = self.mask_of(rule)
            return mask, mask
        if isinstance(rule, Opposite):
            sure, possible = self._bounds(rule.inner, progress)
            return (~sure, ~sure) if sure is possible else (~possible, ~sure)
        join = np.logical_and if isinstance(rule, Every) else np.logical_or
        sure, possible = self._bounds(rule.parts[0], progress)
        for part in rule.parts[1:]:
            other_sure, other_possible = self._bounds(part, progress)
            is_decided = sure is possible and other_sure is other_possible
            sure = join(sure, other_sure)
            possible = sure if is_decided else join(possible, other_possible)
        return sure, possible

    def _with_args(self) -> Mask:
        has_args = self.trace.slices.args_length > 0
        has_args[self.trace.end_args.slice] = True
        return has_args

    def mask_of(self, leaf: Leaf) -> Mask:
        """For each slice the answer to a question that is not about arguments."""
        return self._masks.get(leaf, self._answer)

    def _answer(self, leaf: Leaf) -> Mask:
        field, condition, trace = fields.get(leaf.field), leaf.condition, self.trace
        if field.of_track is not None:
            return self._over_tracks(field, condition)
        if isinstance(condition, NumberCondition):
            assert field.column is not None
            return condition.of_column(field.column(trace))
        assert isinstance(condition, TextCondition)
        if field.strings is not None:
            return self._over_strings(field, leaf)
        found = np.zeros(len(trace.slices), np.bool_)
        for which in condition.texts:
            found |= facts(trace, which)
        return ~found if condition.op == "!=" else found

    def _over_tracks(self, field: Field, condition: object) -> Mask:
        trace = self.trace
        assert field.of_track is not None
        values = [field.of_track(trace, track) for track in trace.tracks]
        if isinstance(condition, NumberCondition):
            of_track = condition.of_column(np.array(values, np.int64))
        else:
            assert isinstance(condition, TextCondition)
            texts = [str(value) for value in values]
            of_track = condition.of_texts(TextSet.of(texts), texts.__getitem__)
        # Slices are sorted by track: whole runs instead of a look-up for each slice.
        borders = trace.lanes.offsets[trace.track_lanes]
        return np.repeat(of_track, np.diff(borders))

    def _over_strings(self, field: Field, leaf: Leaf) -> Mask:
        slices, condition = self.trace.slices, leaf.condition
        assert isinstance(condition, TextCondition)
        if field.name == "cat":
            ids, texts = self._category_texts()
            of_string = np.zeros(len(self.trace.strings), np.bool_)
            of_string[ids] = condition.of_texts(texts, lambda place: self.trace.strings[int(ids[place])])
            return of_string[slices.cat]
        of_string = np.zeros(len(self.trace.strings), np.bool_)
        of_string[self.index.names] = self._names_of(Leaf("name", condition))
        own: Mask = of_string[slices.name]
        return own if field.reach == "own" else self._of_ancestors(own, only_parent=field.reach == "parent")

    def _of_ancestors(self, own: Mask, *, only_parent: bool) -> Mask:
        """For each slice whether the slice around it is marked, or any further out."""
        parent = self.trace.slices.parent
        child = np.flatnonzero(parent >= 0)
        around = np.zeros(len(own), np.bool_)
        if only_parent:
            around[child] = own[parent[child]]
            return around
        # An ancestor has a smaller depth: one depth after the other, each finds its parents done.
        depth = self.trace.slices.depth[child]
        order = np.argsort(depth, kind="stable")
        child = child[order]
        borders = np.flatnonzero(np.diff(depth[order])) + 1
        for part in np.split(child, borders):
            above = parent[part]
            around[part] = own[above] | around[above]
        return around

    def _category_texts(self) -> tuple[U4, TextSet]:
        if self._categories is None:
            used = np.zeros(len(self.trace.strings), np.bool_)
            used[self.trace.slices.cat] = True
            ids = np.flatnonzero(used).astype(np.uint32)
            self._categories = ids, TextSet.of_strings(self.trace.strings, ids)
        return self._categories

    # -- arguments --------------------------------------------------------------------------------------------------

    def prepare_arguments(self) -> None:
        """So that the first search over arguments begins at once; 0.3 s for 5 M slices."""
        args_order(self.trace)

    def stream(self, wanted: Filter, matched: Matched, progress: Progress | None = None) -> Iterator[I8]:
        """Of ``matched.open`` the slices whose arguments decide for them, part by part in file order."""
        candidates = np.flatnonzero(matched.open)
        if len(candidates) and wanted.rule is not None:
            yield from stream_args(self.trace, wanted.rule, candidates, self.mask_of, progress or Progress())

    def mask(self, wanted: Filter, progress: Progress | None = None) -> Mask:
        """For each slice whether it passes, arguments included."""
        matched = self.match(wanted, progress)
        found = matched.sure.copy()
        for ids in self.stream(wanted, matched, progress):
            found[ids] = True
        return found


def filter_mask(trace: Trace, wanted: Filter | str, progress: Progress | None = None) -> Mask:
    """For each slice of a trace whether it passes. A text that is no filter raises ``FilterInvalid`` with the place in it."""
    wanted = read_filter(wanted) if isinstance(wanted, str) else wanted
    return FilterEngine(trace, build_name_index(trace, progress)).mask(wanted, progress)
