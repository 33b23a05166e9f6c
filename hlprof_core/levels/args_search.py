"""Slices whose argument text holds a literal: one pass over the file on all cores, streaming, in file order.

Case does not matter: text is compared byte by byte with ASCII case folded. Which slice a place belongs to is looked up only
where something was found.
"""

from __future__ import annotations

import itertools
import json
import os
import threading
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property

import numpy as np
import numpy.typing as npt

from hlprof_core._kernels import find
from hlprof_core.progress import Progress
from hlprof_core.trace.model import ArgsText, Trace
from hlprof_core.trace.table import I8, U4

BLOCK_BYTES = 1 << 20
"""Searched in one go; small enough to stay in the processor's cache."""
GAP_BYTES = 64 << 10
"""Argument texts farther apart than this are read separately."""
DENSE = 4
"""Texts that fill at least one part in so many of the stretch they lie in are read as one stretch."""
MAX_THREADS = 4
Region = tuple[int, int]


def search_args(trace: Trace, words: str, progress: Progress | None = None) -> Iterator[I8]:
    """Ids of slices whose argument text holds ``words``: arrays in file order, one for each block with hits; no id comes twice.

    Costs one pass over the bytes of the file that hold arguments. Text that JSON writes with escapes is found in
    either notation. Arguments of end events count for their slice.
    """
    progress = progress or Progress()
    needles = _needles(words)
    places = _Places(trace)
    if not needles or not places.total:
        return
    search = _Search(trace.args_text, needles, places)
    blocks = list(_blocks(places.regions()))
    total, done = sum(stop - start for start, stop in blocks), 0
    seen = np.zeros(len(trace.slices), np.bool_)
    with ThreadPoolExecutor(_thread_count(), thread_name_prefix="search") as pool:
        ahead: deque[tuple[Region, Future[U4 | None]]] = deque()
        waiting = iter(blocks)
        try:
            for block in itertools.islice(waiting, 2 * _thread_count()):
                ahead.append((block, pool.submit(search.block, *block)))
            while ahead:
                progress.report("searching arguments", done, total)
                (start, stop), future = ahead.popleft()
                ids = future.result()
                if (block_after := next(waiting, None)) is not None:
                    ahead.append((block_after, pool.submit(search.block, *block_after)))
                done += stop - start
                if ids is not None and len(fresh := np.unique(ids[~seen[ids]])):
                    seen[fresh] = True
                    yield fresh.astype(np.int64)
        finally:
            for _, future in ahead:
                future.cancel()
    progress.report("searching arguments", total, total)


def _thread_count() -> int:
    return min(len(os.sched_getaffinity(0)), MAX_THREADS)


def _needles(words: str) -> list[bytes]:
    plain = json.dumps(words, ensure_ascii=False)[1:-1]
    escaped = json.dumps(words)[1:-1]
    return list(dict.fromkeys(t.encode("utf-8", "surrogatepass").lower() for t in (plain, escaped) if t))


class _Places:
    """Where the texts of arguments lie; sorted only when somebody asks whose text a place is."""

    def __init__(self, trace: Trace) -> None:
        self._slices, self._ends = trace.slices, trace.end_args
        self.total = int(self._slices.args_length.sum(dtype=np.int64) + self._ends.args_length.sum(dtype=np.int64))
        self._lock = threading.Lock()

    @cached_property
    def _by_offset(self) -> tuple[U4, I8, I8]:
        slices, ends = self._slices, self._ends
        rows = np.flatnonzero(slices.args_length)
        ids = np.concatenate([rows.astype(np.uint32), ends.slice])
        start = np.concatenate([slices.args_offset[rows], ends.args_offset]).astype(np.int64)
        length = np.concatenate([slices.args_length[rows], ends.args_length])
        order = np.argsort(start, kind="stable")
        start = start[order]
        return ids[order], start, start + length[order]

    def by_offset(self) -> tuple[U4, I8, I8]:
        """Slice, first and behind-last offset of each text, by offset; those of end events too."""
        with self._lock:
            return self._by_offset

    def regions(self) -> list[Region]:
        """The stretches that hold all the texts."""
        start, stop = _stretch(self._slices.args_offset, self._slices.args_length)
        if len(self._ends.slice):
            first, last = _stretch(self._ends.args_offset, self._ends.args_length)
            start, stop = min(start, first), max(stop, last)
        if stop - start <= DENSE * self.total:
            return [(start, stop)]
        _, starts, stops = self.by_offset()
        jumps = np.flatnonzero(starts[1:] - stops[:-1] > GAP_BYTES)
        return list(zip([int(starts[0]), *starts[jumps + 1].tolist()], [*stops[jumps].tolist(), int(stops[-1])], strict=True))


def _stretch(offset: np.ndarray, length: np.ndarray) -> Region:
    """From the first to behind the last text."""
    has_text = length > 0
    if not has_text.any():
        return 1 << 63, 0
    return int(offset.min(where=has_text, initial=(1 << 64) - 1)), int((offset + length).max(where=has_text, initial=0))


def _blocks(regions: list[Region]) -> Iterator[Region]:
    for start, stop in regions:
        for first in range(start, stop, BLOCK_BYTES):
            yield first, min(stop, first + BLOCK_BYTES)


def texts_holding(data: bytes, needle: bytes, starts: I8, stops: I8) -> npt.NDArray[np.bool_]:
    """For each text ``data[start:stop]`` whether it holds ``needle`` (in lower case). Texts ascend; several may be the same."""
    found = np.zeros(len(starts), np.uint8)
    if find.find_first(data, needle) >= 0:
        find.mark_texts(data, 0, needle, starts, stops, found)
    return found.view(np.bool_)


class _Search:
    """One literal, or a few notations of it, in the blocks of a text; blocks may be searched by several threads."""

    def __init__(self, text: ArgsText, needles: list[bytes], places: _Places) -> None:
        self._text, self._needles, self._places = text, needles, places
        self._longest = max(len(n) for n in needles)

    def block(self, start: int, stop: int) -> U4 | None:
        """Ids of the slices with a hit that begins in this block; None without one."""
        data = self._text.read(start, stop - start + self._longest - 1)
        if all(find.find_first(data, needle) < 0 for needle in self._needles):
            return None
        ids, starts, stops = self._places.by_offset()
        first, last = int(np.searchsorted(stops, start, side="right")), int(np.searchsorted(starts, stop))
        found = np.zeros(last - first, np.uint8)
        for needle in self._needles:
            find.mark_texts(data, start, needle, starts[first:last], stops[first:last], found)
        return ids[first:last][found.view(np.bool_)]
