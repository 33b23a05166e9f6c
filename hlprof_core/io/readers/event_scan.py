"""The scan kernel over a whole array of events: a thread per core reads its own byte range.

Where a range begins is guessed, and verified when the range before it ends: it must end exactly there, else the range is
read again from where it really begins. So the result is the same for any number of threads.
"""

from __future__ import annotations

import os
from functools import partial

from msgspec import Struct

from hlprof_core._kernels import scan
from hlprof_core.io.source import BLOCK, ByteSource, FileSource, unreadable
from hlprof_core.progress import Progress, Watch, run_watched

MIN_RANGE = 4 << 20
"""Bytes that are worth a thread."""
MAX_THREADS = 8
NO_STOP = (1 << 63) - 1
USUAL_EVENT = 128
"""Bytes an event, at least usually: how much room is set aside at first."""


class Scanned(Struct, frozen=True):
    """``scanners`` in file order; ``end``: file offset reached; ``closed``: the array's bracket was there."""

    scanners: list[scan.Scanner]
    end: int
    closed: bool


def core_count() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Range:
    """One byte range on its way through a scanner; ``done`` may be read from another thread."""

    def __init__(self, source: ByteSource, start: int, stop: int, watch: Watch) -> None:
        self.source, self.start, self.stop, self.watch = source, start, stop, watch
        self.scanner = scan.Scanner(0)
        self.state = scan.MORE
        self.end = start

    @property
    def done(self) -> int:
        return max(self.start, self.scanner.reached)

    def run(self) -> None:
        limit = min(self.stop, self.source.size or self.start)
        self.scanner = scan.Scanner(max(0, limit - self.start) // USUAL_EVENT)
        feed = self._feed_file if isinstance(self.source, FileSource) else self._feed_block
        buffer, kept = memoryview(bytearray(BLOCK)), 0
        while not self.watch.cells[0]:
            self.state, self.end, kept = feed(buffer, kept, self.end)
            if self.state != scan.MORE:
                return
            if kept > len(buffer) // 2:
                grown = memoryview(bytearray(2 * len(buffer)))
                grown[:kept] = buffer[:kept]
                buffer = grown

    def _feed_file(self, buffer: memoryview, kept: int, at: int) -> tuple[int, int, int]:
        """As many blocks as fit into the buffer one after the other: no other thread of Python is asked or disturbed on the way."""
        assert isinstance(self.source, FileSource)
        try:
            return self.scanner.feed_file(self.source.descriptor, buffer, kept, at, self.stop, self.watch.cells)
        except OSError as error:
            raise unreadable(self.source.path, error) from error

    def _feed_block(self, buffer: memoryview, kept: int, at: int) -> tuple[int, int, int]:
        """One block of what is no file; same arguments and answer."""
        size = kept + self.source.read_into(at + kept, buffer[kept:])
        state, used = self.scanner.feed(buffer, size, at, self.stop, size < len(buffer))
        kept = size - (used - at)
        buffer[:kept] = buffer[size - kept : size]
        return state, used, kept


def _guess_start(source: ByteSource, offset: int) -> int | None:
    """The first place from ``offset`` on that reads as an event, None when none is near."""
    window = 1 << 16
    while window <= 16 * BLOCK:
        data = source.read(offset, window)
        found = scan.find_event(data, len(data), 0, False)
        if found >= 0:
            return offset + found
        if len(data) < window:
            return None
        window *= 8
    return None


def _split(source: ByteSource, start: int, threads: int) -> list[int]:
    """Starts of the ranges; the first is exact, the others are guesses."""
    if source.size is None:
        return [start]
    length = source.size - start
    count = max(1, min(threads, length // MIN_RANGE))
    starts = [start]
    for i in range(1, count):
        guess = _guess_start(source, start + length * i // count)
        if guess is not None and guess > starts[-1]:
            starts.append(guess)
    return starts


def scan_events(source: ByteSource, start: int, progress: Progress, threads: int | None = None) -> Scanned:
    """Read the events from ``start`` (behind the array's opening bracket) to the end of the array or of the file."""
    starts = _split(source, start, threads or min(core_count(), MAX_THREADS))
    watch = Watch()
    ranges = [_Range(source, a, b, watch) for a, b in zip(starts, [*starts[1:], NO_STOP], strict=True)]
    _run(ranges, source, start, progress, watch)
    kept = [ranges[0]]
    for i, following in enumerate(ranges[1:], 1):
        before = kept[-1]
        if before.state != scan.STOP:
            break
        if following.start != before.end:
            ranges[i] = following = _Range(source, before.end, following.stop, watch)
            _run([following], source, start, progress, watch)
        kept.append(following)
    return Scanned([r.scanner for r in kept], kept[-1].end, kept[-1].state == scan.CLOSED)


def _run(ranges: list[_Range], source: ByteSource, start: int, progress: Progress, watch: Watch) -> None:
    """All ranges at once; the caller's thread reports how far they are and stops them when the user cancels."""
    report = partial(_report, ranges, source, start, progress)
    run_watched([r.run for r in ranges], report, watch, len(ranges))


def _report(ranges: list[_Range], source: ByteSource, start: int, progress: Progress) -> None:
    progress.report("read", start + sum(r.done - r.start for r in ranges), source.size or 0)
