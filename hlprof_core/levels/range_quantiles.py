"""The k-th smallest value of any stretch of a column, at once for thousands of stretches: a wavelet matrix.

One level for each bit of a value's rank, highest first. A level keeps the bit of every row in the order of that level, and the
rows with a 0 go before those with a 1 into the next one; so a stretch stays a stretch, and counting zeros tells where it goes:

    rank   5 1 4 1 3        bit 4 set:  1 0 1 0 0        next level: 1 1 3 | 5 4
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from hlprof_core.progress import Progress
from hlprof_core.trace.table import I8, U4, U8

WORD = 64


class _Level(Struct, frozen=True, eq=False):
    """``words``: the bits, 64 a word; ``before``: set bits before each word; ``zeros``: rows with a 0."""

    words: U8
    before: U4
    zeros: int

    def ones_before(self, row: I8) -> I8:
        """Set bits in rows below ``row``."""
        word = row >> 6
        partial = self.words[word] & ((np.uint64(1) << (row & 63).astype(np.uint64)) - np.uint64(1))
        ones: I8 = self.before[word] + np.bitwise_count(partial).astype(np.int64)
        return ones


class RangeQuantiles(Struct, frozen=True, eq=False):
    """About a fifth of a byte a row for each bit that the number of distinct values needs."""

    distinct: I8
    """Distinct values, ascending."""
    levels: tuple[_Level, ...]

    @property
    def size_bytes(self) -> int:
        return self.distinct.nbytes + sum(level.words.nbytes + level.before.nbytes for level in self.levels)

    def kth(self, first: I8, stop: I8, k: I8, extra_of: I8 | None = None, extra: I8 | None = None) -> I8:
        """For each stretch ``first:stop`` its k-th smallest value, k from 0.

        ``extra``: further values (of the column), each counted with the stretch ``extra_of`` it belongs to.
        """
        size, k = len(first), k.astype(np.int64)
        ends = np.concatenate((first, stop)).astype(np.int64)
        owner = extra_of if extra_of is not None else np.empty(0, np.int64)
        more = np.searchsorted(self.distinct, extra) if extra is not None else np.empty(0, np.int64)
        rank = np.zeros(size, np.int64)
        for place, level in enumerate(self.levels):
            shift = len(self.levels) - 1 - place
            ones = level.ones_before(ends)
            rest = ends - ones
            zeros = rest[size:] - rest[:size]
            bit = (more >> shift) & 1
            if len(owner):
                np.add.at(zeros, owner[bit == 0], 1)
            is_one = k >= zeros
            k = np.where(is_one, k - zeros, k)
            ends = np.where(np.concatenate((is_one, is_one)), ones + level.zeros, rest)
            rank |= is_one.astype(np.int64) << shift
            if len(owner):
                stays = bit == is_one[owner]
                owner, more = owner[stays], more[stays]
        found: I8 = self.distinct[rank]
        return found


def build_range_quantiles(values: I8, progress: Progress | None = None) -> RangeQuantiles:
    """Make it; about 0.4 µs a value."""
    progress = progress or Progress()
    distinct, inverse = np.unique(values, return_inverse=True)
    rank = inverse.astype(np.uint32)
    bits = max(1, int(len(distinct) - 1).bit_length()) if len(distinct) else 0
    levels = []
    for shift in range(bits - 1, -1, -1):
        progress.report("Durations", bits - 1 - shift, bits)
        is_one = ((rank >> np.uint32(shift)) & np.uint32(1)).astype(np.bool_)
        levels.append(_pack(is_one))
        rank = np.concatenate((rank[~is_one], rank[is_one]))
    return RangeQuantiles(distinct, tuple(levels))


def _pack(is_one: npt.NDArray[np.bool_]) -> _Level:
    # One word more than needed, so that the end of the column has one too.
    padded = np.zeros((len(is_one) // WORD + 1) * (WORD // 8), np.uint8)
    packed = np.packbits(is_one, bitorder="little")
    padded[: len(packed)] = packed
    words = padded.view("<u8").astype(np.uint64)
    counts = np.bitwise_count(words)
    before = np.zeros(len(words), np.uint32)
    np.cumsum(counts[:-1], out=before[1:], dtype=np.uint32)
    return _Level(words, before, len(is_one) - int(counts.sum()))
