"""Questions in SQL: answers, the slices they name, what was asked before."""

from __future__ import annotations

import pytest

from hlprof_core.analysis.database import TABLES, schema
from hlprof_core.errors import QueryError
from hlprof_core.progress import Progress
from hlprof_gui.viewmodels import sql
from tests.small_trace import small_trace

TRACE = small_trace()


def ask(text: str) -> sql.SqlAnswer:
    return sql.answer_question(TRACE, text, Progress())


def test_the_first_question_is_one() -> None:
    answer = ask(sql.FIRST_QUESTION)
    assert answer.columns == ("name", "count", "total_ns", "longest_ns")
    assert answer.rows
    assert answer.slice_ids is None


def test_answers_that_name_slices() -> None:
    assert ask("SELECT id, name FROM slices ORDER BY dur_ns DESC").slice_ids is not None
    assert ask("SELECT id FROM tracks").slice_ids is None, "ids of tracks are none of slices"
    assert ask("SELECT slice_id FROM args").slice_ids is not None
    assert ask("SELECT -1 AS slice_id").slice_ids is None
    assert ask("SELECT id FROM slices LIMIT 0").summary == "0 rows"


def test_long_answers_are_cut_and_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql, "ROW_LIMIT", 3)
    answer = ask("SELECT * FROM range(10)")
    assert len(answer.rows) == 3
    assert answer.is_cut
    assert "first 3" in answer.summary
    assert not ask("SELECT * FROM range(3)").is_cut


def test_errors_have_a_place() -> None:
    with pytest.raises(QueryError) as caught:
        ask("SELECT name,\n  nmae FROM slices")
    assert sql.error_place(caught.value.message) == (2, 3)
    assert sql.error_place("nothing about places") is None


def test_history_keeps_each_question_once_and_is_bounded() -> None:
    saved: list[list[str]] = []
    history = sql.QuestionHistory(["a", "b"], saved.append)
    assert history.step(-1, "typing") == "b"
    assert history.step(-1, "typing") == "a"
    assert history.step(-1, "typing") == "a"
    assert history.step(1, "typing") == "b"
    history.add("a")
    assert saved[-1] == ["b", "a"]
    assert history.step(1, "typing") == "typing"
    for number in range(sql.QuestionHistory.LENGTH + 5):
        history.add(str(number))
    assert len(saved[-1]) == sql.QuestionHistory.LENGTH


def test_the_schema_names_every_table_and_its_columns() -> None:
    assert schema().keys() == TABLES.keys()
    for name, columns in schema().items():
        assert ask(f"SELECT * FROM {name} LIMIT 0").columns == columns
