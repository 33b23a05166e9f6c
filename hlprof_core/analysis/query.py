"""SQL over a trace: one reading statement, answered with exact values; nothing else of the machine can be reached."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from hlprof_core.analysis.asked_keys import asked_keys
from hlprof_core.analysis.database import TABLES, connect, interruptibly, iterate_rows, quote, require_tables
from hlprof_core.analysis.result import Result
from hlprof_core.errors import Cancelled, ExportError, QueryError
from hlprof_core.levels.text_set import Mask
from hlprof_core.progress import Progress
from hlprof_core.trace.model import Trace

if TYPE_CHECKING:
    import duckdb

READING = ("SELECT", "EXPLAIN")


class Answer(Struct, frozen=True):
    """``rows`` can be walked once, while the connection is open."""

    columns: tuple[str, ...]
    rows: Iterator[tuple[Any, ...]]


def query(trace: Trace, sql: str, progress: Progress | None = None) -> Result:
    """All rows of a query; column and table names are those of the manual. Raises ``QueryError`` with the place in the text."""
    with ask(trace, sql, progress) as answer:
        columns = distinct(answer.columns)
        rows = [dict(zip(columns, row, strict=True)) for row in answer.rows]
        return Result("query", "Query", columns, rows)


def distinct(columns: tuple[str, ...]) -> tuple[str, ...]:
    """Column names with repeated ones numbered: ``name, name_2``."""
    seen: dict[str, int] = {}
    result = []
    for column in columns:
        seen[column] = seen.get(column, 0) + 1
        result.append(column if seen[column] == 1 else f"{column}_{seen[column]}")
    return tuple(result)


@contextmanager
def ask(trace: Trace, sql: str, progress: Progress | None = None, *, only: Mask | None = None) -> Iterator[Answer]:
    """The answer while it is being computed; its rows come in parts. ``only``: the slices that there are."""
    progress = progress or Progress()
    with _translated_errors(sql), _prepared(trace, sql, None, progress, only) as (connection, statement):
        cursor = interruptibly(connection, progress, lambda: connection.execute(statement))
        columns = tuple(entry[0] for entry in cursor.description or ())
        yield Answer(columns, iterate_rows(cursor, progress))


def export_parquet(trace: Trace, sql: str, target: Path, progress: Progress | None = None, *, only: Mask | None = None) -> None:
    """Write the answer as a Parquet file, which must not exist yet."""
    path = str(target.resolve())
    progress = progress or Progress()
    with _translated_errors(sql, lines_before=1), _prepared(trace, sql, path, progress, only) as (connection, statement):
        # On lines of its own, so that a comment at the end of the query ends there.
        copy = f"COPY (\n{statement}\n) TO {quote(path)} (FORMAT parquet)"
        interruptibly(connection, progress, lambda: connection.execute(copy))


@contextmanager
def _prepared(
    trace: Trace, sql: str, writable: str | None, progress: Progress, only: Mask | None = None
) -> Iterator[tuple[duckdb.DuckDBPyConnection, str]]:
    import duckdb

    with duckdb.connect(":memory:") as parser:
        statements = parser.extract_statements(sql)
        if len(statements) != 1:
            raise QueryError(f"The query holds {len(statements)} statements.", hint="Ask one SELECT at a time.")
        if statements[0].type.name not in READING:
            raise QueryError(
                f"Only reading statements are answered; this is {statements[0].type.name}.",
                hint="Start with SELECT, WITH, DESCRIBE or EXPLAIN.",
            )
        if writable is not None and statements[0].type.name == "EXPLAIN":
            raise QueryError("A plan is a text and no table for Parquet.", hint="Write it as .json or .csv.")
        statement = statements[0].query.strip().rstrip(";")
        wanted = require_tables(parser.get_table_names(statement)) if statements[0].type.name == "SELECT" else frozenset()
        keys = asked_keys(parser, statement) if "args" in wanted else None
    connection = connect(trace, wanted, writable, progress, only, keys)
    try:
        yield connection, statement
    finally:
        connection.close()


@contextmanager
def _translated_errors(sql: str, lines_before: int = 0) -> Iterator[None]:
    import duckdb

    try:
        yield
    except duckdb.InterruptException as error:
        raise Cancelled from error
    except duckdb.IOException as error:
        reason = os.strerror(int(match[1])) if (match := re.search(r'"errno":"(\d+)"', str(error))) else str(error).splitlines()[0]
        raise ExportError(f"The answer cannot be written ({reason}).", hint="Choose another place, or make room there.") from error
    except duckdb.Error as error:
        raise _query_error(str(error), sql, lines_before) from error


_CARET = re.compile(r"LINE (\d+): (.*)\n( *)\^")


def _query_error(message: str, sql: str, lines_before: int) -> QueryError:
    """One line: the place in the query, what is wrong there, and what may have been meant."""
    text, _, marked = message.partition("\n\nLINE")
    text = re.sub(r"^[A-Z][\w ]*? Error: ", "", text)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    place = "Query"
    if marked and (match := _CARET.search("LINE" + marked)):
        line, shown = max(1, int(match[1]) - lines_before), match[2]
        column = len(match[3]) - len(f"LINE {match[1]}: ")
        source = sql.splitlines()[line - 1] if line <= len(sql.splitlines()) else ""
        if shown.startswith("..."):
            column += max(source.find(shown.strip(".")), 0) - 3
        place = f"Query, line {line}, column {column + 1}"
    hint = " ".join(lines[1:])
    if "Table with name" in text:
        hint = f"Tables: {', '.join(TABLES)}."
    return QueryError(f"{place}: {lines[0] if lines else 'cannot be answered'}", hint=hint)
