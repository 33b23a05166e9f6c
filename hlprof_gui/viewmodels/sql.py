"""A question in SQL as the user sees it: the text, the answer so far, which of its rows are on the timeline. Knows no Qt."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

import numpy as np
from msgspec import Struct

from hlprof_core.progress import Progress
from hlprof_core.report.answer import EXPLANATION
from hlprof_core.trace.model import Trace
from hlprof_core.trace.table import I8

ROW_LIMIT = 200_000
"""So many rows are kept for the screen; that there are more is told."""
FIRST_ROWS = 1_000
"""So many are shown before the rest is there."""
FIRST_QUESTION = """SELECT name, count(*) AS count, sum(dur_ns) AS total_ns, max(dur_ns) AS longest_ns
FROM slices
GROUP BY name
ORDER BY total_ns DESC
LIMIT 100"""
ID_COLUMNS = ("slice_id", "id")
"""A column of this name holds ids of slices, the first by itself, the second where ``slices`` is asked."""


class SqlAnswer(Struct, frozen=True):
    """``slice_ids``: for each row the slice it is about, None when the answer names none."""

    sql: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    is_cut: bool
    slice_ids: I8 | None
    is_part: bool = False
    """Whether more rows are still to come."""

    @property
    def plan(self) -> str | None:
        """The text that an explained question is answered with; None for all others."""
        if self.columns != EXPLANATION:
            return None
        return "\n".join(str(value).rstrip("\n") for _, value in self.rows)

    @property
    def summary(self) -> str:
        """How many rows there are, and whether they lead anywhere."""
        count = len(self.rows)
        if self.is_part:
            return f"{count:,} rows so far …"
        if self.plan is not None:
            return "how the question would be answered"
        text = f"the first {count:,} rows; export the answer for all of them" if self.is_cut else f"{count:,} row{'s' * (count != 1)}"
        return text + (" · a click shows the slice" if self.slice_ids is not None and count else "")


def answer_question(trace: Trace, sql: str, progress: Progress, part: Callable[[SqlAnswer], object] | None = None) -> SqlAnswer:
    """Ask; raises ``QueryError`` with the place in the text. ``part`` gets the first rows as soon as they are there."""
    from hlprof_core.analysis.query import ask

    progress.report("asking", 0, 0)
    with ask(trace, sql, progress) as answer:
        rows = list(islice(answer.rows, FIRST_ROWS))
        if part is not None and len(rows) == FIRST_ROWS:
            ids = slice_ids_of(sql, answer.columns, rows, len(trace.slices))
            part(SqlAnswer(sql, answer.columns, tuple(rows), is_cut=True, slice_ids=ids, is_part=True))
        while len(rows) <= ROW_LIMIT and (more := list(islice(answer.rows, min(FIRST_ROWS * 10, ROW_LIMIT + 1 - len(rows))))):
            rows += more
            progress.report("reading rows", len(rows), 0)
    is_cut = len(rows) > ROW_LIMIT
    kept = tuple(rows[:ROW_LIMIT])
    return SqlAnswer(sql, answer.columns, kept, is_cut, slice_ids_of(sql, answer.columns, kept, len(trace.slices)))


def slice_ids_of(sql: str, columns: tuple[str, ...], rows: Sequence[tuple[Any, ...]], slices: int) -> I8 | None:
    """The slice of each row, from a column that holds their ids."""
    for name in ID_COLUMNS:
        if name in columns and (name == "slice_id" or re.search(r"\bslices\b", sql, re.IGNORECASE)):
            place = columns.index(name)
            values = [row[place] for row in rows]
            if all(isinstance(value, int) and 0 <= value < slices for value in values):
                return np.array(values, np.int64)
    return None


class QuestionHistory:
    """What was asked before, the latest last; ``save`` is told of each change."""

    LENGTH = 100

    def __init__(self, questions: list[str], save: Callable[[list[str]], None]) -> None:
        self._save = save
        self.questions = questions[-self.LENGTH :]
        self._at = len(self.questions)

    def add(self, sql: str) -> None:
        """A question was asked: it goes to the end, once."""
        self.questions = [*(q for q in self.questions if q != sql), sql][-self.LENGTH :]
        self._at = len(self.questions)
        self._save(self.questions)

    def step(self, by: int, present: str) -> str:
        """The question asked before (-1) or after (1); ``present`` where there is none."""
        self._at = min(max(self._at + by, 0), len(self.questions))
        return self.questions[self._at] if self._at < len(self.questions) else present


def error_place(message: str) -> tuple[int, int] | None:
    """Line and column, from 1, that an error names."""
    found = re.search(r"line (\d+), column (\d+)", message)
    return (int(found[1]), int(found[2])) if found else None
