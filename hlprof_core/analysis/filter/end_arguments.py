"""Questions about slices with arguments at both ends: each end is asked by itself, and only where that does not tell are both decoded.

What begins wins, and what the end says otherwise keeps another name (``trace.args.merge_end``): so all values of the beginning are
there, and those of the end under their name or another.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TypeVar

import numpy as np

from hlprof_core.analysis.filter.condition import ArgCondition
from hlprof_core.analysis.filter.question import Question
from hlprof_core.levels.args_blocks import TextBlock, in_file_order, over_blocks
from hlprof_core.levels.text_set import Mask, fold
from hlprof_core.progress import Progress
from hlprof_core.trace.args import END_NAMES, END_SUFFIX
from hlprof_core.trace.model import Trace
from hlprof_core.trace.table import I8

L = TypeVar("L", bound=Hashable)
Answers = tuple[Mask, Mask]
"""For each text: it passes; it must be decoded to tell."""


def answers_with_ends(trace: Trace, questions: Mapping[L, Question], slice_ids: I8, progress: Progress) -> dict[L, Mask]:
    """For each question whether the slices (ascending, all with arguments at their end) pass."""
    rows = np.searchsorted(trace.end_args.slice, slice_ids)
    begins, ends = _ask(trace, questions, slice_ids, progress), _ask(trace, questions, rows, progress, at_end=True)
    answers, is_open = {}, np.zeros(len(slice_ids), np.bool_)
    for leaf, question in questions.items():
        answers[leaf], left = _settle(question.condition, begins[leaf], ends[leaf])
        is_open |= left
    for done, place in enumerate(np.flatnonzero(is_open).tolist()):
        if not done & 255:
            progress.check()
        args = trace.args(int(slice_ids[place]))
        for leaf, question in questions.items():
            answers[leaf][place] = question.condition.of_args(args)
    return answers


def _ask(trace: Trace, questions: Mapping[L, Question], ids: I8, progress: Progress, *, at_end: bool = False) -> dict[L, Answers]:
    """The answers of one end; a text that is not there says no."""
    table = trace.end_args if at_end else trace.slices
    found = {leaf: (np.zeros(len(ids), np.bool_), np.zeros(len(ids), np.bool_)) for leaf in questions}

    def look(block: TextBlock) -> tuple[I8, dict[L, Answers]]:
        return np.searchsorted(ids, block.ids), {leaf: question.of_block(block) for leaf, question in questions.items()}

    for places, answers in over_blocks(trace, in_file_order(trace, ids, table), look, progress, texts=table):
        for leaf, (yes, is_open) in answers.items():
            found[leaf][0][places], found[leaf][1][places] = yes, is_open
    return found


def _settle(condition: ArgCondition, begin: Answers, end: Answers) -> Answers:
    """What both ends tell together: one value that passes is enough, and all values of the beginning count."""
    no = ~(begin[0] | begin[1] | end[0] | end[1])
    # Under a key that both ends have, the end's value is not seen by that name.
    yes = begin[0].copy() if condition.key else begin[0] | end[0]
    if _asks_for_other_names(condition):
        no[:] = False
        if condition.key:
            yes[:] = False  # what the beginning says under such a name gives way
    return yes, ~(yes | no)


def _asks_for_other_names(condition: ArgCondition) -> bool:
    """Whether it may be met by a name that stands in neither text."""
    if condition.key:
        return may_be_other_name(condition.key)
    suffix, names = fold(END_SUFFIX), [fold(name) for name in END_NAMES.values()]
    needles = [fold(text) for text in condition.texts]
    crossing = [suffix[: length + 1] for length in range(len(suffix))]
    return any(n in suffix or n.endswith(tuple(crossing)) or suffix in n or any(n in name for name in names) for n in needles)


def may_be_other_name(key: str) -> bool:
    """Whether a key may be one that what the end says otherwise is kept under."""
    folded = fold(key)
    return fold(END_SUFFIX).strip() in folded or any(fold(name) in folded for name in END_NAMES.values())
