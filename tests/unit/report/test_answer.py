"""Rows of a query as table, CSV and JSON."""

from __future__ import annotations

import datetime as dt
import io
import json
from decimal import Decimal

from hlprof_core.report.answer import formats

COLUMNS = ("name", "n", "x")
ROWS = [("a", 1, 0.5), ('b,"ü"', 12345678901234567890123, float("nan")), (None, Decimal("3"), Decimal("1.5"))]


def written(form: str, columns=COLUMNS, rows=ROWS) -> str:
    out = io.StringIO()
    formats.get(form)(columns, iter(rows), out)
    return out.getvalue()


def test_json_is_exact() -> None:
    data = json.loads(written("json"))
    assert data == {"columns": ["name", "n", "x"], "rows": [["a", 1, 0.5], ['b,"ü"', 12345678901234567890123, None], [None, 3, 1.5]]}


def test_json_of_nested_and_foreign_values() -> None:
    data = json.loads(written("json", ("v",), [([1, {"k": dt.date(2024, 5, 1)}],), (True,)]))
    assert data["rows"] == [[[1, {"k": "2024-05-01"}]], [True]]


def test_csv_quotes() -> None:
    assert written("csv").splitlines()[:3] == ["name,n,x", "a,1,0.5", '"b,""ü""",12345678901234567890123,']


def test_table_aligns() -> None:
    lines = written("table").splitlines()
    assert [len(line) for line in lines[:3]] == [len(lines[1])] * 3
    assert lines[0].split() == ["name", "n", "x"]
    assert lines[2].split() == ["a", "1", "0.5"]
    assert lines[4].startswith("-   ")


def test_empty_answers_show_their_columns() -> None:
    assert written("table", rows=[]).splitlines()[0] == "name  n  x"
    assert written("csv", rows=[]) == "name,n,x\n"
    assert json.loads(written("json", rows=[])) == {"columns": list(COLUMNS), "rows": []}


def test_an_explanation_is_printed_whole() -> None:
    assert written("table", ("explain_key", "explain_value"), [("physical_plan", "line 1\n" + "x" * 90)]) == "line 1\n" + "x" * 90 + "\n"
