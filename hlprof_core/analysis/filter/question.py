"""One question about arguments, put to the bytes of many texts: most are answered without decoding, each distinct value is judged once.

    bytes of a block -> may it be? (literals) -> value of the key (kernel) -> number: compared, text: searched or judged -> yes | no | open
"""

from __future__ import annotations

import re

import numpy as np
import orjson

from hlprof_core._kernels import arguments
from hlprof_core.analysis.filter.condition import ArgCondition
from hlprof_core.levels.args_blocks import HAS_ESCAPE, MAY_HIDE, TextBlock, texts_holding
from hlprof_core.levels.text_set import Mask, fold
from hlprof_core.trace.table import I8

MADE_UP = ("args", "unreadable arguments")
"""Keys that stand for what is no object."""
ODD = " ".join(("null", *MADE_UP))
"""What is written for nothing, and shown for what is not written."""
UNSURE, OTHER, NUMBER, TEXT = 1, 2, 3, 4
"""Kinds of values that the kernel tells apart; 0 is none."""
ENOUGH = 10_000
"""Texts after which it is known how many hold a literal."""
REMEMBERED = 200_000
"""Judgements kept of one question."""
PLAIN = re.compile(rb"[ !#-\[\]-~]+")
"""Signs that JSON writes as they are, where a text has no escapes that may hide them."""


class Question:
    """Made once for a search; any thread may ask."""

    def __init__(self, condition: ArgCondition) -> None:
        self.condition = condition
        self._needles = [fold(text) for text in condition.texts]
        self._must_hold = needles(condition)
        self._tallies = [[0, 0] for _ in self._must_hold]
        """For each of them: texts looked at, texts that held it."""
        self._is_told_by_bytes = tells_by_bytes(condition)
        self._may_be_odd = any(_may_be_number(text) or text.casefold() in ODD for text in condition.texts)
        self._key = plain_key(condition.key)
        self._judged: dict[tuple[bool, bytes], bool] = {}

    def of_block(self, block: TextBlock) -> tuple[Mask, Mask]:
        """For each text: it passes; it must be decoded to tell. Never both."""
        if not self.condition.key:
            return self._anywhere(block)
        maybe = self._possible(block)
        if self._key is None:
            return np.zeros(len(maybe), np.bool_), maybe
        rows = np.flatnonzero(maybe)
        yes, is_open = np.zeros((2, len(maybe)), np.bool_)
        yes[rows], is_open[rows] = self._of_values(block, rows, self._key)
        return yes, is_open

    def _possible(self, block: TextBlock) -> Mask:
        """Texts that hold what they must for a yes, or may hide it."""
        maybe = np.ones(len(block.ids), np.bool_)
        for alternatives, tally in zip(self._must_hold, self._tallies, strict=True):
            if self.condition.key and tally[0] > ENOUGH and tally[1] > tally[0] // 2:
                continue  # most texts hold it: looking at the values themselves is quicker
            held = (block.hindrances & MAY_HIDE) != 0
            for needle in alternatives:
                held |= block.holding(needle)
            tally[0] += len(held)
            tally[1] += int(np.count_nonzero(held))
            maybe &= held
        return maybe

    def _anywhere(self, block: TextBlock) -> tuple[Mask, Mask]:
        maybe = self._possible(block)
        if self._may_be_odd:
            maybe |= block.odd_values
        if not self._is_told_by_bytes:
            return np.zeros(len(maybe), np.bool_), maybe
        # Letters of an escape (\n) are no letters of the text.
        is_open = maybe & (block.hindrances & (HAS_ESCAPE | MAY_HIDE) != 0)
        if self._may_be_odd:
            is_open |= block.odd_values
        return maybe & ~is_open, is_open

    # -- the value of one key ---------------------------------------------------------------------------------------

    def _of_values(self, block: TextBlock, rows: I8, key: bytes) -> tuple[Mask, Mask]:
        kind, start, stop, number = find_values(block, rows, key)
        yes, is_open = np.zeros(len(rows), np.bool_), kind == UNSURE
        is_number, is_text = kind == NUMBER, kind == TEXT
        condition, to_judge = self.condition, kind >= OTHER
        if condition.op == ":":
            plain = is_number | is_text
            places = np.flatnonzero(plain)
            for needle in self._needles:
                yes[places] |= texts_holding(block.text, needle, start[places], stop[places]) if needle else True
            to_judge = kind == OTHER
        elif condition.op not in ("=", "==", "!=") or len(condition.numbers) == len(condition.texts):
            within = self._within(number)
            yes[is_number] = within[is_number] != (condition.op == "!=")
            to_judge &= ~is_number
        for of_texts in (True, False):
            places = np.flatnonzero(to_judge & (is_text == of_texts))
            if len(places):
                yes[places], is_open[places] = self._judge(block, start[places], stop[places], are_texts=of_texts)
        return yes, is_open

    def _within(self, number: np.ndarray) -> Mask:
        found, op = np.zeros(len(number), np.bool_), self.condition.op
        for low, high in ((_as_float(low), _as_float(high)) for low, high in self.condition.numbers):
            above = number > low if op == ">" else number >= low
            found |= above & (number < high if op == "<" else number <= high)
        return found

    def _judge(self, block: TextBlock, start: I8, stop: I8, *, are_texts: bool) -> tuple[Mask, Mask]:
        """Each distinct value is decoded and compared once; what cannot be decoded by itself stays open."""
        group, first = group_texts(block.text, start, stop)
        verdicts, is_open = np.zeros((2, len(first)), np.bool_)
        for place, (a, b) in enumerate(zip(start[first].tolist(), stop[first].tolist(), strict=True)):
            raw = block.text[a:b]
            known = self._judged.get((are_texts, raw))
            if known is None:
                try:
                    known = self.condition.of_value(raw.decode("ascii") if are_texts else orjson.loads(raw))
                except ValueError:
                    is_open[place] = True
                    continue
                if len(self._judged) < REMEMBERED:
                    self._judged[are_texts, raw] = known
            verdicts[place] = known
        return verdicts[group], is_open[group]


def _as_float(number: float) -> float:
    """A limit; the values that are compared with it have so few digits that none comes to the other side."""
    try:
        return float(number)
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")


def plain_key(key: str) -> bytes | None:
    """The key as the kernel wants it; None: it finds no such keys."""
    folded = fold(key)
    return folded if PLAIN.fullmatch(folded) else None


def find_values(block: TextBlock, rows: I8, key: bytes, *, is_exact: bool = False) -> tuple[np.ndarray, I8, I8, np.ndarray]:
    """Kind of the value under ``key`` (plain ASCII, in lower case unless case matters) in each of the texts ``rows``, where it stands, its
    number."""
    kind, number = np.empty(len(rows), np.uint8), np.empty(len(rows), np.float64)
    start, stop = np.empty(len(rows), np.int64), np.empty(len(rows), np.int64)
    arguments.find_values(block.text, block.starts[rows], block.stops[rows], key, is_exact, kind, start, stop, number)
    return kind, start, stop, number


def group_texts(text: bytes, start: I8, stop: I8) -> tuple[np.ndarray, np.ndarray]:
    """Number equal texts alike; the first of each."""
    group, first = np.empty(len(start), np.uint32), np.empty(len(start), np.uint32)
    count = arguments.group_texts(text, start, stop, group, first)
    return group, first[:count]


def needles(condition: ArgCondition) -> list[tuple[bytes, ...]]:
    """What the written text must hold, in lower case, for a yes: one of each group. Numbers, and quotes inside a text, have no one form."""
    groups: list[tuple[bytes, ...]] = []
    if condition.key and condition.key.casefold() not in MADE_UP:
        last = fold(condition.key.rpartition(".")[2])
        if PLAIN.fullmatch(last):
            groups.append((last + b'"',))
    if condition.key.casefold() in MADE_UP:
        return groups
    if condition.op in (":", "==") or (condition.op == "=" and not condition.numbers):
        pieces = [max(text.split("*"), key=len) if condition.op == "=" else text for text in condition.texts]
        if all(pieces) and not (condition.key and any(_may_be_rewritten(piece) for piece in pieces)):
            folded = [fold(piece) for piece in pieces]
            # A text without escapes and signs beyond ASCII cannot hold a piece with some.
            if all(PLAIN.fullmatch(piece) or not piece.isascii() for piece in folded):
                groups.append(tuple(piece for piece in folded if piece.isascii()))
    return groups


def tells_by_bytes(condition: ArgCondition) -> bool:
    """Whether the bytes alone say yes, where nothing hinders: any key or value is asked for, and nothing between them can match."""
    return (
        not condition.key
        and bool(needles(condition))
        and all(text == text.strip() and not _crosses(text) for text in condition.texts)
    )


def _crosses(text: str) -> bool:
    """Whether what stands between values may be part of it."""
    return re.search(r'[\[\]{},"]|^:', text) is not None


def _may_be_number(text: str) -> bool:
    return re.fullmatch(r"[\d.einfa+-]+", text.casefold()) is not None


def _may_be_rewritten(piece: str) -> bool:
    """Whether the file may write it otherwise than it is compared: a part of a number, or of a list as SQL shows it."""
    return _crosses(piece) or _may_be_number(piece)
