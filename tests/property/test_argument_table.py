"""Arguments of some keys, found in the bytes, are those of all arguments; and queries that ask for some keys get the same answers."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hlprof_core.analysis import query as queries
from hlprof_core.analysis.argument_table import ArgumentTable, read_argument_table
from hlprof_core.analysis.asked_keys import asked_keys
from hlprof_core.progress import Progress
from hlprof_core.trace.model import Trace
from tests.property.test_filter import traces
from tests.small_trace import small_trace

KEYS = ("dtype", "M", "op.kind", "op", "Op", "DTYPE", "m", "missing", "args", "unreadable arguments", "é")


def rows(table: ArgumentTable) -> Counter[tuple[int, str, str | None]]:
    texts = table.texts
    columns = zip(table.slice_id.tolist(), table.key.tolist(), table.value.tolist(), strict=True)
    return Counter((i, texts[key], texts[value] if value >= 0 else None) for i, key, value in columns)


@given(traces(), st.sets(st.sampled_from(KEYS)), st.data())
@settings(max_examples=150, deadline=None)
def test_some_keys_are_those_of_all(trace: Trace, keys: set[str], data: st.DataObject) -> None:
    only = np.array(data.draw(st.lists(st.booleans(), min_size=len(trace.slices), max_size=len(trace.slices))), np.bool_)
    everything = rows(read_argument_table(trace, Progress(), only))
    some = rows(read_argument_table(trace, Progress(), only, frozenset(keys)))
    assert some == Counter({row: n for row, n in everything.items() if row[1] in keys})


LIMITED = (
    ("SELECT * FROM args WHERE key = 'dtype'", {"dtype"}),
    ("SELECT value FROM ARGS a WHERE 'op' = A.Key AND value <> 'x'", {"op"}),
    ("SELECT s.name, value FROM slices s JOIN args a ON a.slice_id = s.id AND a.key IN ('dtype', 'op')", {"dtype", "op"}),
    ("SELECT s.name, value FROM slices s JOIN args ON slice_id = s.id WHERE key = 'dtype'", {"dtype"}),
    ("SELECT s.id, a.value FROM slices s LEFT JOIN args a ON a.slice_id = s.id AND a.key = 'dtype'", {"dtype"}),
    ("SELECT s.id, a.value FROM args a RIGHT JOIN slices s ON a.slice_id = s.id AND a.key = 'dtype'", {"dtype"}),
    ("SELECT a.value, b.value FROM args a, args b WHERE a.slice_id = b.slice_id AND a.key = 'dtype' AND b.key = 'op'", {"dtype", "op"}),
    ("WITH d AS (SELECT * FROM args WHERE key = 'dtype') SELECT count(*) FROM d", {"dtype"}),
    ("SELECT id FROM slices s WHERE EXISTS (SELECT 1 FROM args a WHERE a.slice_id = s.id AND a.key = 'op')", {"op"}),
    ("SELECT id FROM slices WHERE id NOT IN (SELECT slice_id FROM args WHERE key = 'op')", {"op"}),
    ("SELECT count(*) FROM args WHERE key = 'dtype' AND key = 'op'", set()),
)
ALL = (
    "SELECT count(*) FROM args",
    "SELECT * FROM args WHERE key = 'dtype' OR slice_id = 1",
    "SELECT * FROM args WHERE NOT key = 'dtype'",
    "SELECT * FROM args WHERE key LIKE 'd%'",
    "SELECT * FROM args WHERE lower(key) = 'dtype'",
    "SELECT * FROM args WHERE value = 'dtype'",
    "SELECT * FROM args WHERE key = value",
    "SELECT a.value FROM args a LEFT JOIN slices s ON a.slice_id = s.id AND a.key = 'dtype'",
    "SELECT a.value FROM args a FULL JOIN slices s ON a.slice_id = s.id AND a.key = 'dtype'",
    "SELECT a.value FROM args a, args b WHERE a.slice_id = b.slice_id AND a.key = 'dtype'",
    "SELECT a.key FROM args a JOIN (SELECT 'x' AS key) b ON true WHERE b.key = 'x'",
    "SELECT * FROM args t(x, key, y) WHERE t.key = 'dtype'",
    "SELECT * FROM args TABLESAMPLE 100% WHERE key = 'dtype'",
    "WITH args AS (SELECT 1 AS slice_id, 'dtype' AS key, 'x' AS value) SELECT * FROM args WHERE key = 'dtype'",
    "SELECT count(*) FROM args WHERE key = 'dtype' UNION ALL SELECT count(*) FROM args",
)


@pytest.mark.parametrize(("sql", "keys"), LIMITED)
def test_queries_that_see_some_keys(sql: str, keys: set[str]) -> None:
    import duckdb

    with duckdb.connect(":memory:") as parser:
        assert asked_keys(parser, sql) == keys


ODD = (
    "SELECT * FROM args WHERE key COLLATE NOCASE = 'DTYPE'",
    "SELECT s.id, a.value FROM slices s ASOF JOIN args a ON s.id >= a.slice_id WHERE a.key = 'dtype'",
    "DESCRIBE args",
    "SELECT * FROM",
)


@pytest.mark.parametrize("sql", [*ALL, *ODD])
def test_queries_that_may_see_any_key(sql: str) -> None:
    import duckdb

    with duckdb.connect(":memory:") as parser:
        assert asked_keys(parser, sql) is None


@pytest.mark.parametrize("sql", [*(sql for sql, _ in LIMITED), *ALL])
def test_answers_do_not_depend_on_what_is_left_undecoded(sql: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def answer() -> list[str]:
        return sorted(str(sorted(row.items())) for row in queries.query(small_trace(), sql).rows)

    found = answer()
    monkeypatch.setattr(queries, "asked_keys", lambda *_: None)
    assert found == answer()
