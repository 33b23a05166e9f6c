"""The value of one argument for many slices, as numbers and labels: found in the bytes, each distinct value is decoded once for a block.

The argument that was asked for last is remembered for the whole trace, so that another time or a group of it costs nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
import orjson

from hlprof_core.analysis.filter.arguments import args_in_order
from hlprof_core.analysis.filter.condition import shown_value, text_of
from hlprof_core.analysis.filter.end_arguments import may_be_other_name
from hlprof_core.analysis.filter.question import OTHER, TEXT, UNSURE, find_values, group_texts, plain_key
from hlprof_core.analysis.group_label import label_of
from hlprof_core.levels.args_blocks import TextBlock, in_file_order, over_blocks
from hlprof_core.progress import Progress
from hlprof_core.trace.args import decode
from hlprof_core.trace.model import Trace
from hlprof_core.trace.table import I4, I8, U4, EndArgs, Slices

FEW = 16
"""Fewer than one in so many of the slices are looked up by themselves."""
MOST_REMEMBERED = 100_000
"""Values of an argument that is remembered."""
_remembered: WeakKeyDictionary[Trace, tuple[str, I4, tuple[str, ...]]] = WeakKeyDictionary()
_lock = threading.Lock()


def argument_values(trace: Trace, rows: I8, key: str, progress: Progress) -> tuple[I4, tuple[str, ...]]:
    """For each of ``rows`` (ascending slice ids) its place in the labels; the first label is that of no value, some may be of other slices.

    Values as SQL shows them; of several under the key, which case may set apart, the first that is not empty. About 1 s for 5 M slices
    with few values.
    """
    with _lock:
        known = _remembered.get(trace)
    if known is None or known[0] != key:
        if len(rows) * FEW < len(trace.slices):
            return _look_up(trace, rows, key, progress)
        known = (key, *_look_up(trace, np.arange(len(trace.slices), dtype=np.int64), key, progress))
        if len(known[2]) <= MOST_REMEMBERED:
            with _lock:
                _remembered[trace] = known
    return known[1][rows], known[2]


def _look_up(trace: Trace, rows: I8, key: str, progress: Progress) -> tuple[I4, tuple[str, ...]]:
    places: dict[str, int] = {"": 0}
    found = np.zeros(len(trace.slices), np.int32)

    def place_of(text: str) -> int:
        return places.setdefault(text, len(places))

    ends = trace.end_args.slice
    with_end = rows[np.isin(rows, ends)] if len(ends) else rows[:0]
    wanted = plain_key(key)

    def take(ordered: U4, table: Slices | EndArgs) -> Iterator[tuple[I8, I4]]:
        """Rows of a table with a value, and the place of each value."""
        work = partial(_values_of, trace, table, key=key, wanted=wanted)
        for ids, groups, texts in over_blocks(trace, ordered, work, progress, texts=table):
            if len(ids):
                yield ids, np.array([place_of(text) for text in texts], np.int32)[groups]

    # Under such a key both ends together may say what neither says.
    by_one = with_end if "." in key or may_be_other_name(key) else with_end[:0]
    is_told = np.zeros(len(trace.slices), np.bool_)
    for ids, values in take(args_in_order(trace, rows, by_one), trace.slices):
        found[ids], is_told[ids] = values, True
    if len(with_end) > len(by_one):
        # A beginning that could not be told apart from one without the key is asked again, with its end.
        by_one = with_end[is_told[with_end] & (found[with_end] == 0)]
        at_end = np.searchsorted(ends, with_end[~is_told[with_end]])
        for end_rows, values in take(in_file_order(trace, at_end, trace.end_args), trace.end_args):
            found[ends[end_rows]] = values
    for slice_id in by_one.tolist():
        progress.check()
        found[slice_id] = place_of(shown_value(trace.args(slice_id), key))
    return found[rows], tuple(map(label_of, places))


def _values_of(
    trace: Trace, table: Slices | EndArgs, block: TextBlock, key: str, wanted: bytes | None
) -> tuple[I8, U4, list[str]]:
    """Slices of a block with a value, the group of each, and the text of each group."""
    every = np.arange(len(block.ids))
    if wanted is None:
        kind: npt.NDArray[np.uint8] = np.full(len(every), UNSURE, np.uint8)
        start, stop = block.starts, block.stops
    else:
        kind, start, stop, _ = find_values(block, every, wanted)
    ids: list[I8] = []
    groups: list[U4] = []
    texts: list[str] = []
    unsure = [kind == UNSURE]
    for are_texts in (True, False):
        places = np.flatnonzero(kind == TEXT if are_texts else (kind >= OTHER) & (kind != TEXT))
        group, first = group_texts(block.text, start[places], stop[places])
        shown, is_lost = _shown(block, start[places[first]], stop[places[first]], are_texts=are_texts)
        unsure.append(np.isin(every, places[is_lost[group]]))
        ids.append(block.ids[places[~is_lost[group]]])
        groups.append((group[~is_lost[group]] + len(texts)).astype(np.uint32))
        texts += shown
    for place in np.flatnonzero(np.logical_or.reduce(unsure)).tolist():
        offset = int(table.args_offset[block.ids[place]])
        args = decode(trace.args_text, offset, int(block.stops[place] - block.starts[place]))
        ids.append(block.ids[place : place + 1])
        groups.append(np.array([len(texts)], np.uint32))
        texts.append(shown_value(args, key))
    return np.concatenate(ids), np.concatenate(groups), texts


def _shown(block: TextBlock, start: I8, stop: I8, *, are_texts: bool) -> tuple[list[str], npt.NDArray[np.bool_]]:
    """Values as SQL shows them; those that cannot be decoded by themselves are marked."""
    shown, is_lost = [], np.zeros(len(start), np.bool_)
    for place, (a, b) in enumerate(zip(start.tolist(), stop.tolist(), strict=True)):
        raw = block.text[a:b]
        try:
            shown.append(raw.decode("ascii") if are_texts else text_of(orjson.loads(raw)))
        except ValueError:
            is_lost[place] = True
            shown.append("")
    return shown, is_lost
