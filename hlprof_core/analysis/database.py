"""A trace as SQL tables: DuckDB looks at the columns in place; texts and arguments are decoded only for queries that name them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from msgspec import Struct

from hlprof_core.analysis.argument_table import NO_ROWS, ArgumentTable, read_argument_table
from hlprof_core.analysis.self_time import self_ns
from hlprof_core.analysis.steps import find_steps
from hlprof_core.analysis.utilization import track_busy_ns
from hlprof_core.errors import Cancelled, QueryError
from hlprof_core.levels.text_set import Mask
from hlprof_core.progress import Progress
from hlprof_core.trace.model import Origin, Trace
from hlprof_core.trace.table import SCOPES, UNFINISHED

if TYPE_CHECKING:
    import duckdb

T = TypeVar("T")
Columns = Mapping[str, Any]
LONGEST = int(np.iinfo(np.int64).max)
"""Of a stretch of time; a trace from one end of int64 to the other is twice as long."""


class SqlTable(Struct, frozen=True):
    """``columns`` gives arrays of equal length, registered as ``<name>_columns``; ``select`` makes the public view of them."""

    columns: Callable[[Trace], Columns]
    select: str
    needs_texts: bool = False


def _texts(values: list[str]) -> Any:
    array = np.empty(len(values), object)
    array[:] = values
    return array


def _processes(trace: Trace) -> Columns:
    entries = trace.processes
    return {
        "id": np.array([p.id for p in entries], np.int32),
        "pid": _texts([p.pid for p in entries]),
        "name": _texts([p.name for p in entries]),
        "labels": _texts([", ".join(p.labels) for p in entries]),
        "sort_index": np.array([p.sort_index for p in entries], np.int64),
    }


def _tracks(trace: Trace) -> Columns:
    entries = trace.tracks
    return {
        "id": np.array([t.id for t in entries], np.int32),
        "process_id": np.array([t.process for t in entries], np.int32),
        "process": _texts([trace.processes[t.process].name for t in entries]),
        "thread": _texts([t.name for t in entries]),
        "pid": _texts([t.pid for t in entries]),
        "tid": _texts([t.tid for t in entries]),
        "kind": _texts([t.kind for t in entries]),
        "engine": _texts([t.engine for t in entries]),
        "rank": np.array([t.rank for t in entries], np.int32),
        "sort_index": np.array([t.sort_index for t in entries], np.int64),
    }


def _slices(trace: Trace) -> Columns:
    s = trace.slices
    return {
        "id": np.arange(len(s), dtype=np.int64),
        "track": s.track,
        "name": s.name,
        "cat": s.cat,
        "start_ns": s.start_ns,
        "dur_ns": s.dur_ns,
        "depth": s.depth,
        "parent": s.parent,
        "self_ns": self_ns(trace),
        "flags": s.flags,
    }


def _instants(trace: Trace) -> Columns:
    i = trace.instants
    return {
        "id": np.arange(len(i), dtype=np.int64),
        "track": i.track,
        "name": i.name,
        "cat": i.cat,
        "time_ns": i.time_ns,
        "scope": i.scope,
    }


def _counters(trace: Trace) -> Columns:
    c = trace.counters
    series = np.repeat(np.arange(len(c.offsets) - 1, dtype=np.int32), np.diff(c.offsets)) if len(c.offsets) else np.zeros(0, np.int32)
    return {"series_id": series, "time_ns": c.time_ns, "value": c.value}


def _series(trace: Trace) -> Columns:
    entries = trace.series
    return {
        "id": np.array([s.id for s in entries], np.int32),
        "track_id": np.array([s.track for s in entries], np.int32),
        "name": _texts([s.name for s in entries]),
        "series": _texts([s.series for s in entries]),
    }


def _flows(trace: Trace) -> Columns:
    f = trace.flows
    return {"id": np.arange(len(f), dtype=np.int64), "name": f.name, "from_slice": f.from_slice, "to_slice": f.to_slice}


def _engine_busy(trace: Trace) -> Columns:
    return {"track_id": np.arange(len(trace.tracks), dtype=np.int32), "busy_ns": track_busy_ns(trace)}


def _steps(trace: Trace) -> Columns:
    steps = find_steps(trace).steps
    return {
        "id": np.arange(len(steps), dtype=np.int32),
        "name": _texts([s.name for s in steps]),
        "start_ns": np.array([s.span.start_ns for s in steps], np.int64),
        "dur_ns": np.array([min(s.span.length_ns, LONGEST) for s in steps], np.int64),
    }


_NAMED = "JOIN text_columns n ON n.id = r.name"
_NAMED_WITH_CATEGORY = f"{_NAMED} JOIN text_columns c ON c.id = r.cat"
_SCOPE = " ".join(f"WHEN {i} THEN '{name}'" for i, name in enumerate(SCOPES))

TABLES: Mapping[str, SqlTable] = {
    "processes": SqlTable(
        _processes, "SELECT id, pid::VARCHAR AS pid, name::VARCHAR AS name, labels::VARCHAR AS labels, sort_index FROM processes_columns"
    ),
    "tracks": SqlTable(
        _tracks,
        "SELECT id, process_id, process::VARCHAR AS process, thread::VARCHAR AS thread, pid::VARCHAR AS pid, tid::VARCHAR AS tid, "
        "kind::VARCHAR AS kind, engine::VARCHAR AS engine, rank, sort_index FROM tracks_columns",
    ),
    "slices": SqlTable(
        _slices,
        "SELECT r.id, r.track::INTEGER AS track_id, n.text AS name, c.text AS cat, r.start_ns, r.dur_ns, r.depth::INTEGER AS depth, "
        f"nullif(r.parent, -1) AS parent_id, r.self_ns, (r.flags & {UNFINISHED}) != 0 AS unfinished "
        f"FROM slices_columns r {_NAMED_WITH_CATEGORY}",
        needs_texts=True,
    ),
    "instants": SqlTable(
        _instants,
        "SELECT r.id, r.track::INTEGER AS track_id, n.text AS name, c.text AS cat, r.time_ns, "
        f"CASE r.scope {_SCOPE} END AS scope FROM instants_columns r {_NAMED_WITH_CATEGORY}",
        needs_texts=True,
    ),
    "counters": SqlTable(_counters, "SELECT series_id, time_ns, value FROM counters_columns"),
    "series": SqlTable(_series, "SELECT id, track_id, name::VARCHAR AS name, series::VARCHAR AS series FROM series_columns"),
    "flows": SqlTable(
        _flows,
        f"SELECT r.id, n.text AS name, r.from_slice::BIGINT AS from_id, r.to_slice::BIGINT AS to_id FROM flows_columns r {_NAMED}",
        needs_texts=True,
    ),
    "args": SqlTable(
        lambda _trace: {},
        "SELECT r.slice_id, k.text AS key, v.text AS value FROM args_columns r "
        "JOIN argument_text_columns k ON k.place = r.key LEFT JOIN argument_text_columns v ON v.place = r.value",
    ),
    "engine_busy": SqlTable(_engine_busy, "SELECT track_id, busy_ns FROM engine_busy_columns"),
    "steps": SqlTable(_steps, "SELECT id, name::VARCHAR AS name, start_ns, dur_ns FROM steps_columns"),
}


def connect(
    trace: Trace,
    wanted: frozenset[str],
    writable: str | None,
    progress: Progress,
    only: Mask | None = None,
    keys: frozenset[str] | None = None,
) -> duckdb.DuckDBPyConnection:
    """A connection in which these tables exist and nothing of the machine can be reached, but one file to write when given.

    ``only`` leaves the slices that it marks, with their arguments; ``keys`` leaves the arguments of these names.
    """
    import duckdb

    connection = duckdb.connect(":memory:", config={"python_enable_replacements": "false", "python_scan_all_frames": "false"})
    names = wanted if wanted and wanted <= TABLES.keys() else frozenset(TABLES)
    if any(TABLES[name].needs_texts for name in names):
        _register_texts(connection, "text_columns", "id", list(trace.strings))
    for name in (name for name in TABLES if name in names):
        table = TABLES[name]
        if name == "args":
            _register_arguments(connection, read_argument_table(trace, progress, only, keys) if name in wanted else NO_ROWS)
        else:
            columns = dict(table.columns(trace))
            if only is not None and name == "slices":
                columns = {key: column[only] for key, column in columns.items()}
            connection.register(f"{name}_columns", columns)
        connection.execute(f"CREATE VIEW {name} AS {table.select}")
    if writable is not None:
        connection.execute("SET allowed_paths = [" + quote(writable) + "]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


@functools.cache
def schema() -> dict[str, tuple[str, ...]]:
    """The columns of each table, in their order."""
    from hlprof_core.trace.builder import TraceBuilder

    connection = connect(TraceBuilder().finish(Origin("none")), frozenset(TABLES), None, Progress())
    try:
        return {name: tuple(row[0] for row in connection.execute(f"DESCRIBE {name}").fetchall()) for name in TABLES}
    finally:
        connection.close()


def _register_texts(connection: duckdb.DuckDBPyConnection, name: str, key: str, texts: list[str]) -> None:
    """Texts by their place. The view gives them a type, which an empty column of Python objects does not have."""
    connection.register(f"{name}_raw", {key: np.arange(len(texts), dtype=np.int32), "text": _texts(texts)})
    connection.execute(f"CREATE VIEW {name} AS SELECT {key}, text::VARCHAR AS text FROM {name}_raw")


def _register_arguments(connection: duckdb.DuckDBPyConnection, table: ArgumentTable) -> None:
    _register_texts(connection, "argument_text_columns", "place", list(table.texts))
    connection.register("args_columns", {"slice_id": table.slice_id, "key": table.key, "value": table.value})


def quote(text: str) -> str:
    """A text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def interruptibly(connection: duckdb.DuckDBPyConnection, progress: Progress, work: Callable[[], T]) -> T:
    """The result of long ``work`` on the connection, which hears of neither Ctrl+C nor ``progress``: the thread that waits for it does."""
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(work)
        try:
            while not wait([future], timeout=0.05).done:
                progress.check()
        except (KeyboardInterrupt, Cancelled):
            connection.interrupt()
            raise
        return future.result()


def iterate_rows(cursor: duckdb.DuckDBPyConnection, progress: Progress, size: int = 10_000) -> Iterator[tuple[Any, ...]]:
    """Rows of a result, fetched in parts."""
    while rows := interruptibly(cursor, progress, lambda: cursor.fetchmany(size)):
        yield from rows


def require_tables(names: set[str]) -> frozenset[str]:
    """Table names of a query as the database spells them; the catalog's own tables are let through."""
    lowered = frozenset(name.lower().strip('"') for name in names)
    if any(name.endswith(("_columns", "_columns_raw")) for name in lowered):
        raise QueryError("The query names an internal table.", hint=f"Tables: {', '.join(TABLES)}.")
    return lowered
