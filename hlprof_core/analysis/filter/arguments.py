"""Questions about arguments: the texts of the slices that matter are read in file order, most are dismissed by their bytes,
only the rest is decoded."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import orjson

from hlprof_core.analysis.filter.binding import Every, Leaf, Opposite, Rule
from hlprof_core.analysis.filter.condition import ArgCondition
from hlprof_core.analysis.filter.end_arguments import answers_with_ends
from hlprof_core.analysis.filter.question import Question
from hlprof_core.analysis.memo import per_trace
from hlprof_core.levels.args_blocks import TextBlock, in_file_order, over_blocks
from hlprof_core.levels.text_set import Mask
from hlprof_core.progress import Progress
from hlprof_core.trace.args import decode
from hlprof_core.trace.model import Trace
from hlprof_core.trace.table import I8, U4

FEW = 16
"""Fewer than one in so many of the slices are sorted by themselves; more are picked out of the order of all."""


@per_trace
def args_order(trace: Trace) -> U4:
    """All slices with arguments in the order of the file."""
    return in_file_order(trace, np.arange(len(trace.slices), dtype=np.uint32))


def args_in_order(trace: Trace, slice_ids: I8, left_out: I8) -> U4:
    """Those of ``slice_ids`` (ascending) with arguments, in the order of the file, without some of them."""
    if len(slice_ids) * FEW < len(trace.slices):
        return in_file_order(trace, np.setdiff1d(slice_ids, left_out, assume_unique=True) if len(left_out) else slice_ids)
    order, wanted = args_order(trace), np.zeros(len(trace.slices), np.bool_)
    wanted[slice_ids] = True
    wanted[left_out] = False
    return order[wanted[order]]


def stream_args(trace: Trace, rule: Rule, candidates: I8, of_column: Callable[[Leaf], Mask], progress: Progress) -> Iterator[I8]:
    """Those of ``candidates`` that meet ``rule``, in file order: an array for each part of the file with some.

    ``candidates``: ascending slice ids with arguments; ``of_column`` answers the leaves that are not about arguments.
    """
    ends = trace.end_args.slice
    with_end = candidates[np.isin(candidates, ends)] if len(ends) else candidates[:0]
    total = len(candidates)
    questions = {leaf: Question(_asks(leaf)) for leaf in _leaves(rule) if leaf.field == "args"}

    def look(block: TextBlock) -> I8:
        return block.ids[_combine(rule, block.ids, _decide(trace, questions, block, progress), of_column)]

    total = len(candidates)
    for ids in over_blocks(trace, args_in_order(trace, candidates, with_end), look, progress):
        yield from _some(ids)
    if len(with_end):
        answers = answers_with_ends(trace, questions, with_end, progress)
        yield from _some(with_end[_combine(rule, with_end, answers, of_column)])
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


def _decide(trace: Trace, questions: Mapping[Leaf, Question], block: TextBlock, progress: Progress) -> dict[Leaf, Mask]:
    """The answer of each leaf for each text of a block; only texts whose bytes leave it open are decoded."""
    answers: dict[Leaf, Mask] = {}
    still_open: dict[Leaf, Mask] = {}
    for leaf, question in questions.items():
        answers[leaf], still_open[leaf] = question.of_block(block)
    wanted = np.flatnonzero(np.logical_or.reduce(list(still_open.values())))
    if not len(wanted):
        return answers
    # Slices may share a text: each is decoded once.
    is_first = np.diff(block.starts[wanted], prepend=-1) != 0
    heads = wanted[is_first]
    verdicts = {leaf: np.zeros(len(heads), np.bool_) for leaf in questions}
    tests = [(verdicts[leaf], question.condition) for leaf, question in questions.items()]
    for place, (row, start, stop) in enumerate(zip(heads.tolist(), block.starts[heads].tolist(), block.stops[heads].tolist(), strict=True)):
        if not place & 255:
            progress.check()
        try:
            args = orjson.loads(block.text[start:stop])
            if type(args) is not dict:
                args = {"args": args}
        except ValueError:
            args = decode(trace.args_text, int(trace.slices.args_offset[block.ids[row]]), stop - start)
        for verdict, condition in tests:
            verdict[place] = condition.of_args(args)
    spread = np.cumsum(is_first) - 1
    for leaf in questions:
        answers[leaf][wanted] = verdicts[leaf][spread]
    return answers


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


