"""SQL over a trace: the tables of the manual, exact values, one reading statement, and nothing of the machine."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from hlprof_core.analysis.database import TABLES
from hlprof_core.analysis.query import export_parquet, query
from hlprof_core.errors import Cancelled, QueryError
from hlprof_core.progress import Progress
from hlprof_core.trace.builder import TraceBuilder
from hlprof_core.trace.model import Origin, Trace

COLUMNS = {
    "processes": "id, pid, name, labels, sort_index",
    "tracks": "id, process_id, process, thread, pid, tid, kind, engine, rank, sort_index",
    "slices": "id, track_id, name, cat, start_ns, dur_ns, depth, parent_id, self_ns, unfinished",
    "instants": "id, track_id, name, cat, time_ns, scope",
    "counters": "series_id, time_ns, value",
    "series": "id, track_id, name, series",
    "flows": "id, name, from_id, to_id",
    "args": "slice_id, key, value",
    "engine_busy": "track_id, busy_ns",
    "steps": "id, name, start_ns, dur_ns",
}
BIG = 2**60 + 1


@pytest.fixture
def trace() -> Trace:
    build = TraceBuilder()
    build.process(7, "MME", labels=("card 0",))
    build.process(8, "empty")
    build.thread(7, "x", "MME 0")
    args = {"op": "gemm", "deep": {"list": [1, "two"], "empty": {}}, "exact": 18446744073709551615, "none": None, "yes": True}
    build.slice(7, "x", BIG, 100, "outer", cat="c", args=args)
    numbers = b'{"fraction": 0.10, "huge": 12345678901234567890123, "some": [0.50, 12345678901234567890123]}'
    build.slice(7, "x", BIG + 10, 30, "inner", args=numbers)
    build.slice(7, "x", BIG + 50, None, "open")
    build.instant(7, "x", BIG + 5, "mark", scope="global")
    build.counter(7, BIG, "power", {"watt": 1.5})
    build.flow("s", 7, "x", BIG + 1, 1, name="link")
    build.flow("f", 7, "x", BIG + 15, 1, name="link")
    return build.finish(Origin("test"))


def rows(trace: Trace, sql: str) -> list[tuple]:
    return [tuple(row.values()) for row in query(trace, sql).rows]


@pytest.mark.parametrize("table", TABLES)
def test_tables_have_the_promised_columns(trace: Trace, table: str) -> None:
    assert query(trace, f"SELECT * FROM {table}").columns == tuple(COLUMNS[table].split(", "))


def test_times_are_exact(trace: Trace) -> None:
    assert rows(trace, "SELECT name, start_ns, dur_ns, depth, self_ns, unfinished FROM slices ORDER BY start_ns") == [
        ("outer", BIG, 100, 0, 20, False),
        ("inner", BIG + 10, 30, 1, 30, False),
        ("open", BIG + 50, 50, 1, 50, True),
    ]
    assert rows(trace, "SELECT sum(start_ns) FROM slices")[0][0] == 3 * BIG + 60


def test_rows_join(trace: Trace) -> None:
    sql = "SELECT t.process, t.thread, t.engine, b.busy_ns FROM engine_busy b JOIN tracks t ON t.id = b.track_id WHERE t.kind = 'thread'"
    assert rows(trace, sql) == [("MME", "MME 0", "MME", 100)]
    assert rows(trace, "SELECT pid, name, labels FROM processes ORDER BY id")[0] == ("7", "MME", "card 0")
    assert ("8", "empty", "") in rows(trace, "SELECT pid, name, labels FROM processes")
    assert rows(trace, "SELECT s.name, c.value FROM counters c JOIN series s ON s.id = c.series_id") == [("power", 1.5)]
    assert rows(trace, "SELECT name, scope FROM instants") == [("mark", "global")]
    linked = "SELECT a.name, b.name FROM flows f JOIN slices a ON a.id = f.from_id JOIN slices b ON b.id = f.to_id"
    assert rows(trace, linked) == [("outer", "inner")]
    assert rows(trace, "SELECT c.name FROM slices c JOIN slices p ON p.id = c.parent_id WHERE p.name = 'outer' ORDER BY 1") == [
        ("inner",),
        ("open",),
    ]


def test_arguments_are_flat_and_as_written(trace: Trace) -> None:
    found = dict(rows(trace, "SELECT key, value FROM args"))
    assert found == {
        "op": "gemm",
        "deep.list": '[1,"two"]',
        "deep.empty": "{}",
        "exact": "18446744073709551615",
        "none": None,
        "yes": "true",
        "fraction": "0.10",
        "huge": "12345678901234567890123",
        "some": "[0.5,12345678901234567890123]",
    }


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SELEC 1", "line 1, column 1: syntax error"),
        ("SELECT\n  nothing FROM slices", "line 2, column 3: .*nothing"),
        ("SELECT * FROM nowhere", "column 15: .*nowhere.*Tables: processes, tracks"),
        ("SELECT 1; SELECT 2", "2 statements"),
        ("", "0 statements"),
        ("CREATE TABLE x AS SELECT 1", "Only reading statements"),
        ("DROP VIEW slices", "Only reading statements"),
        ("SET threads = 1", "Only reading statements"),
        ("SELECT * FROM slices_columns", "internal table"),
    ],
)
def test_errors_say_where(trace: Trace, sql: str, message: str) -> None:
    with pytest.raises(QueryError, match=message) as caught:
        query(trace, sql)
    assert "\n" not in str(caught.value)


def test_files_are_out_of_reach(trace: Trace, tmp_path: Path) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("a\n1\n")
    for sql in (f"SELECT * FROM read_csv('{secret}')", f"SELECT * FROM '{secret}'", f"SELECT * FROM read_text('{secret}')"):
        with pytest.raises(QueryError):
            query(trace, sql)
    for sql in (f"COPY (SELECT 1) TO '{tmp_path / 'out'}'", f"ATTACH '{tmp_path / 'db'}'", "INSTALL httpfs"):
        with pytest.raises(QueryError):
            query(trace, sql)
    assert [p.name for p in tmp_path.iterdir()] == ["secret.csv"]


def test_python_variables_are_out_of_reach(trace: Trace) -> None:
    with pytest.raises(QueryError, match="COLUMNS"):
        query(trace, "SELECT * FROM COLUMNS_")
    with pytest.raises(QueryError):
        query(trace, "SELECT * FROM trace")


def test_parquet(trace: Trace, tmp_path: Path) -> None:
    import duckdb

    target = tmp_path / "it's.parquet"
    export_parquet(trace, "SELECT name, start_ns FROM slices ORDER BY start_ns -- a comment", target)
    with duckdb.connect() as connection:
        assert connection.execute("SELECT * FROM read_parquet(?)", [str(target)]).fetchall()[0] == ("outer", BIG)
    with pytest.raises(QueryError, match="line 2, column 1"):
        export_parquet(trace, "SELECT\nnothing FROM slices", tmp_path / "other.parquet")


def test_examples_of_the_manual_run(trace: Trace) -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "guide" / "query.md").read_text(encoding="utf-8")
    examples = [sql for block in page.split("```sql\n")[1:] for sql in block.split("```")[0].split(";") if sql.strip()]
    assert len(examples) >= 3
    for sql in examples:
        assert query(trace, sql).columns


def test_columns_of_the_manual(trace: Trace) -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "guide" / "query.md").read_text(encoding="utf-8")
    for table, columns in COLUMNS.items():
        assert f"| `{table}` | `{columns}`" in page


def test_a_running_query_can_be_cancelled(trace: Trace) -> None:
    progress = Progress()
    timer = threading.Timer(0.2, progress.cancel)
    timer.start()
    with pytest.raises(Cancelled):
        query(trace, "SELECT count(*) FROM range(1000000000) a, range(1000000000) b WHERE a.range < b.range", progress=progress)
    timer.join()


def test_a_plan_is_no_parquet(trace: Trace, tmp_path: Path) -> None:
    with pytest.raises(QueryError, match="A plan is a text"):
        export_parquet(trace, "EXPLAIN SELECT 1", tmp_path / "plan.parquet")
