"""The texts of arguments of many slices, some MB at a time, in file order; neighbours are read together, all cores work."""

from __future__ import annotations

import itertools
import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property
from itertools import pairwise
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from hlprof_core._kernels import arguments, find
from hlprof_core.levels.text_set import Mask
from hlprof_core.progress import Progress
from hlprof_core.trace.model import Trace
from hlprof_core.trace.table import I8, U4, EndArgs, Slices

T = TypeVar("T")
ROWS = 4096
"""Slices handed to a thread at a time: about a MB of text."""
ENOUGH_BYTES, MOST_BYTES = 1 << 20, 4 << 20
"""A block that has so many bytes is full; none has more than a few times that, but for one long text."""
WORTH_SKIPPING, MOSTLY_OTHERS = 16 << 10, 10
MAX_THREADS = 4
HAS_ESCAPE, MAY_HIDE, HAS_ODD_VALUE = 1, 2, 4


class TextBlock(Struct, frozen=True, eq=False, dict=True):
    """Slices and their texts: that of ``ids[i]`` is ``text[starts[i]:stops[i]]``. ``starts`` ascend; several slices may share a text."""

    ids: I8
    text: bytes
    starts: I8
    stops: I8

    def holding(self, needle: bytes) -> Mask:
        """For each text whether it holds ``needle`` (in lower case), case of ASCII letters apart."""
        return texts_holding(self.text, needle, self.starts, self.stops)

    @cached_property
    def hindrances(self) -> npt.NDArray[np.uint8]:
        """What keeps each text from being compared byte by byte: ``HAS_ESCAPE``, ``MAY_HIDE`` (escapes that may stand for any sign or for
        a slash, or signs beyond ASCII)."""
        return self._flags(with_values=False)

    @cached_property
    def odd_values(self) -> Mask:
        """Texts with a number that Python shows otherwise than it is written, with a null, and those that are no sound objects."""
        odd: Mask = (self._flags(with_values=True) & HAS_ODD_VALUE) != 0
        return odd

    def _flags(self, *, with_values: bool) -> npt.NDArray[np.uint8]:
        flags = np.empty(len(self.ids), np.uint8)
        arguments.mark_hindrances(self.text, self.starts, self.stops, with_values, flags)
        return flags


def texts_holding(data: bytes, needle: bytes, starts: I8, stops: I8) -> Mask:
    """For each text ``data[start:stop]`` whether it holds ``needle`` (in lower case). Texts ascend; several may be the same."""
    found = np.zeros(len(starts), np.uint8)
    if len(starts) and find.find_first(data, needle) >= 0:
        find.mark_texts(data, 0, needle, starts, stops, found)
    return found.view(np.bool_)


def in_file_order(trace: Trace, slice_ids: I8 | U4, texts: Slices | EndArgs | None = None) -> U4:
    """Those of the slices that have arguments, as their texts lie in the file; 0.3 s for 5 M. ``texts``: rows of another table."""
    table = texts if texts is not None else trace.slices
    ids = slice_ids[table.args_length[slice_ids] > 0].astype(np.uint32)
    return ids[np.argsort(table.args_offset[ids], kind="stable")]


def over_blocks(
    trace: Trace,
    ordered: U4,
    work: Callable[[TextBlock], T],
    progress: Progress,
    stage: str = "arguments",
    texts: Slices | EndArgs | None = None,
) -> Iterator[T]:
    """What ``work`` says about each block of these slices (``in_file_order``); it runs in threads, results come in order."""
    table = texts if texts is not None else trace.slices
    parts = iter(range(0, len(ordered), ROWS))

    def run(first: int) -> list[T]:
        found = []
        for block in _blocks(trace, table, ordered[first : first + ROWS].astype(np.int64)):
            progress.check()
            found.append(work(block))
        return found

    threads = min(len(os.sched_getaffinity(0)), MAX_THREADS)
    with ThreadPoolExecutor(threads, thread_name_prefix="arguments") as pool:
        ahead: deque[tuple[int, Future[list[T]]]] = deque()
        try:
            for first in itertools.islice(parts, 2 * threads):
                ahead.append((first, pool.submit(run, first)))
            while ahead:
                first, future = ahead.popleft()
                progress.report(stage, first, len(ordered))
                found = future.result()
                if (following := next(parts, None)) is not None:
                    ahead.append((following, pool.submit(run, following)))
                yield from found
        finally:
            for _, future in ahead:
                future.cancel()
    progress.report(stage, len(ordered), len(ordered))


def _blocks(trace: Trace, table: Slices | EndArgs, ids: I8) -> Iterator[TextBlock]:
    """Read them; ``ids`` in file order."""
    offsets = table.args_offset[ids].astype(np.int64)
    lengths = table.args_length[ids].astype(np.int64)
    parts: list[bytes] = []
    places: list[I8] = []
    done = size = 0
    for first, stop in _runs(offsets, offsets + lengths):
        begin = int(offsets[first])
        place, length = offsets[first:stop] - begin, lengths[first:stop]
        text = trace.args_text.read(begin, int((place + length).max()))
        if length.sum() * MOSTLY_OTHERS < len(text):
            # Mostly texts of others: put ours together, so that only they are looked through.
            text = b"".join([text[a:b] for a, b in zip(place.tolist(), (place + length).tolist(), strict=True)])
            place = np.cumsum(length) - length
        parts.append(text)
        places.append(place + size)
        size += len(text)
        if size >= ENOUGH_BYTES or stop == len(ids):
            starts = np.concatenate(places)
            yield TextBlock(ids[done:stop], b"".join(parts), starts, starts + lengths[done:stop])
            parts, places, size, done = [], [], 0, stop


def _runs(offsets: I8, ends: I8) -> Iterator[tuple[int, int]]:
    """Rows worth one read each: neighbours without a wide gap, of bounded size."""
    cuts = np.flatnonzero(offsets[1:] > ends[:-1] + WORTH_SKIPPING) + 1
    for first, stop in pairwise([0, *cuts.tolist(), len(offsets)]):
        while first < stop:
            upto = max(first + 1, int(np.searchsorted(offsets[first:stop], offsets[first] + MOST_BYTES)) + first)
            yield first, upto
            first = upto
