"""A trace as a database file: Parquet (a row a slice) or SQLite (the tables of ``hlprof query``), written whole or not at all."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from hlprof_core.analysis.database import TABLES, connect, quote
from hlprof_core.diagnostics import Diagnostic, DiagnosticLog
from hlprof_core.errors import ExportError
from hlprof_core.io.writers.writer import tell_profile_loss
from hlprof_core.progress import Progress
from hlprof_core.replacement import replaced_whole
from hlprof_core.trace.model import Trace

if TYPE_CHECKING:
    import duckdb

ROWS_AT_ONCE = 20_000
_SQLITE_TYPES = {"BIGINT": "INTEGER", "INTEGER": "INTEGER", "BOOLEAN": "INTEGER", "DOUBLE": "REAL", "VARCHAR": "TEXT"}
_INDEXES = {"slices": "track_id, start_ns", "counters": "series_id, time_ns", "args": "slice_id"}
_SLICE_ROWS = """
SELECT s.*, t.process, t.thread, t.pid, t.tid, t.kind AS track_kind, t.engine, t.rank, a.args
FROM slices s JOIN tracks t ON t.id = s.track_id
LEFT JOIN (SELECT slice_id, list({'key': key, 'value': value}) AS args FROM args GROUP BY slice_id) a ON a.slice_id = s.id
ORDER BY s.id
"""


def database_suffixes() -> tuple[str, ...]:
    """Suffixes of these formats."""
    return tuple(_WRITERS)


def is_database(path: Path) -> bool:
    """Whether the suffix is one of these formats."""
    return path.suffix.lower() in _WRITERS


def export_database(trace: Trace, path: Path, progress: Progress | None = None) -> tuple[Diagnostic, ...]:
    """Write ``.parquet`` or ``.sqlite``; returns what that format has no place for. ``ExportError`` when it cannot be written."""
    log = DiagnosticLog()
    progress = progress or Progress()
    write = _WRITERS[path.suffix.lower()]
    with _told_as_export(path), replaced_whole(path) as temporary:
        write(trace, temporary, progress, log)
    tell_profile_loss(trace, log)
    return log.freeze()


def _write_parquet(trace: Trace, target: Path, progress: Progress, log: DiagnosticLog) -> None:
    for what, count in (("Instants", len(trace.instants)), ("Counter samples", len(trace.counters)), ("Arrows", len(trace.flows))):
        code = f"export.{what.split()[0].lower()}"
        log.add(code, "data-loss", f"{what} have no place in a table of slices.", count=count, hint="Write .sqlite to have all tables.")
    place = str(target.resolve())
    with closing(connect(trace, frozenset({"slices", "tracks", "args"}), place, progress)) as connection:
        progress.report("write", 0, 1)
        connection.execute(f"COPY ({_SLICE_ROWS}) TO {quote(place)} (FORMAT parquet)")
        progress.report("write", 1, 1)


def _write_sqlite(trace: Trace, target: Path, progress: Progress, log: DiagnosticLog) -> None:
    told = int(np.count_nonzero(trace.instants.args_length))
    log.add("export.instant_args", "data-loss", "Arguments of instants have no table and were left out.", count=told)
    with closing(connect(trace, frozenset(TABLES), None, progress)) as source, closing(sqlite3.connect(target)) as out:
        # The file gets its name only when it is whole, so it needs no journal of its own.
        out.execute("PRAGMA journal_mode = OFF")
        out.execute("PRAGMA synchronous = OFF")
        for number, name in enumerate(TABLES):
            _copy_table(source, out, name, partial(progress.report, "write", number, len(TABLES)))
        out.commit()


def _copy_table(source: duckdb.DuckDBPyConnection, out: sqlite3.Connection, name: str, report: Callable[[], None]) -> None:
    cursor = source.execute(f"SELECT * FROM {name}")
    described = cursor.description or []
    columns = ", ".join(f'"{column[0]}" {_SQLITE_TYPES.get(str(column[1]), "")}' for column in described)
    out.execute(f"CREATE TABLE {name} ({columns})")
    statement = f"INSERT INTO {name} VALUES ({', '.join('?' * len(described))})"
    while rows := cursor.fetchmany(ROWS_AT_ONCE):
        report()
        out.executemany(statement, rows)
    if name in _INDEXES:
        out.execute(f"CREATE INDEX {name}_place ON {name} ({_INDEXES[name]})")


@contextmanager
def _told_as_export(path: Path) -> Iterator[None]:
    import duckdb

    try:
        yield
    except (duckdb.Error, sqlite3.Error) as error:
        first = str(error).splitlines()[0]
        raise ExportError(f"{path}: cannot be written ({first}).", hint="Choose another place, or make room there.") from error


_WRITERS: dict[str, Callable[[Trace, Path, Progress, DiagnosticLog], None]] = {
    ".parquet": _write_parquet,
    ".sqlite": _write_sqlite,
}
