"""Questions about arguments: the texts of the slices that matter are read in file order, most are dismissed by their bytes,
only the rest is decoded."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import orjson

from hlprof_core.analysis.filter.binding import Every, Leaf, Opposite, Rule
from hlprof_core.analysis.filter.condition import ArgCondition
from hlprof_core.levels.args_search import texts_holding
from hlprof_core.levels.text_set import Mask
from hlprof_core.progress import Progress
from hlprof_core.trace.args import decode
from hlprof_core.trace.model import Trace
from hlprof_core.trace.table import I8

ENOUGH_BYTES, MOSTLY_OTHERS = 1 << 20, 10
BLOCK_BYTES, WORTH_SKIPPING = 4 << 20, 16 << 10
ESCAPE = b"\\u"
"""Texts with such escapes are decoded always: any sign may be written so."""
MADE_UP = ("args", "unreadable arguments")
"""Keys that stand for what is no object."""
_WRITTEN_PLAINLY = re.compile(r"[ !#-.0-\[\]-~]+")
"""Signs that JSON writes as they are."""


def stream_args(trace: Trace, rule: Rule, candidates: I8, of_column: Callable[[Leaf], Mask], progress: Progress) -> Iterator[I8]:
    """Those of ``candidates`` that meet ``rule``, in file order: an array for each part of the file with some.

    ``candidates``: ascending slice ids with arguments; ``of_column`` answers the leaves that are not about arguments.
    """
    ends = trace.end_args.slice
    with_end = candidates[np.isin(candidates, ends)] if len(ends) else candidates[:0]
    total = len(candidates)
    plain = np.setdiff1d(candidates, with_end, assume_unique=True) if len(with_end) else candidates
    leaves = [leaf for leaf in _leaves(rule) if leaf.field == "args"]
    done = 0
    for ids, text, offsets, lengths in _blocks(trace, plain):
        progress.report("arguments", done, total)
        answers = _answer(trace, leaves, ids, text, offsets, lengths, progress)
        yield from _some(ids[_combine(rule, ids, answers, of_column)])
        done += len(ids)
    for first in range(0, len(with_end), 1000):
        progress.report("arguments", done + first, total)
        ids = with_end[first : first + 1000]
        decoded = [trace.args(i) for i in ids.tolist()]
        answers = {leaf: np.fromiter((_asks(leaf).of_args(args) for args in decoded), np.bool_, len(ids)) for leaf in leaves}
        yield from _some(ids[_combine(rule, ids, answers, of_column)])
    progress.report("arguments", total, total)


def _some(ids: I8) -> Iterator[I8]:
    if len(ids):
        yield ids


def _leaves(rule: Rule) -> list[Leaf]:
    if isinstance(rule, Leaf):
        return [rule]
    parts = (rule.inner,) if isinstance(rule, Opposite) else rule.parts
    return list(dict.fromkeys(leaf for part in parts for leaf in _leaves(part)))


def _asks(leaf: Leaf) -> ArgCondition:
    assert isinstance(leaf.condition, ArgCondition)
    return leaf.condition


def _combine(rule: Rule, ids: I8, answers: Mapping[Leaf, Mask], of_column: Callable[[Leaf], Mask]) -> Mask:
    """The answer of the whole rule for each of these slices."""
    if isinstance(rule, Leaf):
        return answers[rule] if rule in answers else of_column(rule)[ids]
    if isinstance(rule, Opposite):
        return ~_combine(rule.inner, ids, answers, of_column)
    parts = [_combine(part, ids, answers, of_column) for part in rule.parts]
    joined: Mask = np.logical_and.reduce(parts) if isinstance(rule, Every) else np.logical_or.reduce(parts)
    return joined


def _blocks(trace: Trace, ids: I8) -> Iterator[tuple[I8, bytes, I8, I8]]:
    """Slices with their texts, some MB at a time: the bytes the texts lie in, where in those each begins, and its length."""
    offsets = trace.slices.args_offset[ids].astype(np.int64)
    order = np.argsort(offsets, kind="stable")
    ids, offsets = ids[order], offsets[order]
    lengths = trace.slices.args_length[ids].astype(np.int64)
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
            yield ids[done:stop], b"".join(parts), np.concatenate(places), lengths[done:stop]
            parts, places, size, done = [], [], 0, stop


def _runs(offsets: I8, ends: I8) -> Iterator[tuple[int, int]]:
    """Rows worth one read each: neighbours without a wide gap, of bounded size."""
    cuts = np.flatnonzero(offsets[1:] > ends[:-1] + WORTH_SKIPPING) + 1
    for first, stop in pairwise([0, *cuts.tolist(), len(offsets)]):
        while first < stop:
            upto = max(first + 1, int(np.searchsorted(offsets[first:stop], offsets[first] + BLOCK_BYTES)) + first)
            yield first, upto
            first = upto


def _answer(
    trace: Trace, leaves: list[Leaf], ids: I8, text: bytes, offsets: I8, lengths: I8, progress: Progress
) -> dict[Leaf, Mask]:
    """The answer of each leaf for each text of a block; only texts whose bytes allow a yes are decoded."""
    stops = offsets + lengths
    escaped = texts_holding(text, ESCAPE, offsets, stops)
    if not text.isascii():
        # Case folding turns some signs into others (ß into ss): only the decoded text tells.
        before = np.concatenate(([0], np.cumsum(np.frombuffer(text, np.uint8) >= 0x80)))
        escaped |= before[stops] > before[offsets]
    maybe = {}
    for leaf in leaves:
        maybe[leaf] = np.ones(len(offsets), np.bool_)
        for alternatives in needles(_asks(leaf)):
            held = escaped.copy()
            for needle in alternatives:
                held |= texts_holding(text, needle, offsets, stops)
            maybe[leaf] &= held
    answers = {leaf: np.zeros(len(offsets), np.bool_) for leaf in leaves}
    for leaf in leaves:
        if tells_by_bytes(_asks(leaf)):
            answers[leaf][maybe[leaf] & ~escaped] = True
            maybe[leaf] = escaped
    wanted = np.flatnonzero(np.logical_or.reduce([maybe[leaf] for leaf in leaves]))
    # Slices may share a text: each is decoded once.
    is_first = np.diff(offsets[wanted], prepend=-1) != 0
    heads = wanted[is_first]
    verdicts = {leaf: np.zeros(len(heads), np.bool_) for leaf in leaves}
    tests = [(verdicts[leaf], _asks(leaf)) for leaf in leaves]
    for place, (row, offset, length) in enumerate(zip(heads.tolist(), offsets[heads].tolist(), lengths[heads].tolist(), strict=True)):
        if not place & 1023:
            progress.check()
        try:
            args = orjson.loads(text[offset : offset + length])
            if type(args) is not dict:
                args = {"args": args}
        except ValueError:
            args = decode(trace.args_text, int(trace.slices.args_offset[ids[row]]), length)
        for verdict, condition in tests:
            verdict[place] = condition.of_args(args)
    spread = np.cumsum(is_first) - 1
    for leaf in leaves:
        answers[leaf][wanted] |= verdicts[leaf][spread]
    return answers


def needles(condition: ArgCondition) -> list[tuple[bytes, ...]]:
    """What the written text must hold, in lower case, for a yes: one of each group. Numbers and signs with escapes have no one form."""
    groups = []
    if condition.key:
        last = condition.key.rpartition(".")[2].casefold()
        groups += _group([last] if last and condition.key.casefold() not in MADE_UP else [], '{}"')
    if condition.op == ":" or (condition.op == "=" and not condition.numbers):
        pieces = [max(text.split("*"), key=len) if condition.op == "=" else text for text in condition.texts]
        if all(pieces) and not any(_may_be_rewritten(piece) or piece.casefold() in " ".join(MADE_UP) for piece in pieces):
            groups += _group(pieces, "{}")
    return groups


def tells_by_bytes(condition: ArgCondition) -> bool:
    """Whether the bytes alone say yes, where the text has no escapes: any key or value is asked for, and nothing between them can match."""
    return (
        not condition.key
        and bool(needles(condition))
        and all(text == text.strip() and text.casefold() not in "null" for text in condition.texts)
    )


def _group(texts: list[str], form: str) -> list[tuple[bytes, ...]]:
    if not texts or not all(_WRITTEN_PLAINLY.fullmatch(text) for text in texts):
        return []
    return [tuple(form.format(text.casefold()).encode() for text in texts)]


def _may_be_rewritten(text: str) -> bool:
    """Whether it may be part of a number, or of a list or object as SQL shows them: the file may write those otherwise."""
    return re.search(r'[\[\]{},"]|^:', text) is not None or re.fullmatch(r"[\d.einfa+-]+", text.casefold()) is not None


def written_keys(trace: Trace, slice_ids: I8, progress: Progress) -> dict[str, dict[str, int]]:
    """Keys of the arguments of these slices, nested ones dotted, each with its texts and how often they come; for completion."""
    found: dict[str, dict[str, int]] = {}

    def add(args: Mapping[str, Any], prefix: str) -> None:
        for key, value in args.items():
            if isinstance(value, Mapping):
                add(value, f"{prefix}{key}.")
                continue
            texts = found.setdefault(prefix + key, {})
            for member in value if isinstance(value, list) else (value,):
                text = member if isinstance(member, str) else json.dumps(member, default=str)
                texts[text] = texts.get(text, 0) + 1

    for slice_id in slice_ids.tolist():
        progress.check()
        add(trace.args(slice_id), "")
    return found


