"""The profiler's table of nodes: a row for each node and unit with its start, end and what the analyzer found out (52 columns).

It comes as CSV (``*_analyzed_nodes.csv``) or as JSON (``trace_analyzer.json``, key ``analyzer_metadata``). Each row becomes a slice.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import orjson

from hlprof_core._kernels import scan
from hlprof_core.diagnostics import FIRST_PLACES
from hlprof_core.errors import TraceError
from hlprof_core.io.readers.gaudi_csv import PROCESSES
from hlprof_core.io.readers.reader import Contents
from hlprof_core.io.source import BLOCK, ByteSource
from hlprof_core.progress import Progress
from hlprof_core.trace.builder import TraceBuilder

UNIT, NAME, START, END, DURATION, OP, NODE_ID = (
    "Unit", "Node Name", "Start time of node", "End time of node", "Duration (us)", "Op Type", "Unique node id",
)  # fmt: skip
NEEDED = (UNIT, NAME, START)
ROWS_KEY = "analyzer_metadata"
CATEGORY = "node"
NOTHING = ("", "nan", "[]", "[Error]")
"""Ways in which the table says that it does not know."""
ARGUMENTS = {OP: "op", NODE_ID: "Unique Node ID"}
TEXTS = frozenset((NAME, OP, "MME Origin Node"))
"""Columns that stay text also where they look like a number."""
MAX_TABLE = 512 << 20


class GaudiNodes:
    """The analyzer's table by itself."""

    name, title, suffixes = "gaudi-nodes", "Gaudi analyzer table", (".csv", ".json")

    def sniff(self, head: bytes) -> int:
        text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
        if text[:1] == b"{":
            return 95 if f'"{ROWS_KEY}"'.encode() in text and b'"traceEvents"' not in text else 0
        line = text.split(b"\n", 1)[0]
        if NAME.encode() not in line:
            return 0
        first = [_usual(name) for name in line.decode("utf-8", "replace").split(",")]
        return 95 if all(name in first for name in NEEDED) else 0

    def read(self, source: ByteSource, build: TraceBuilder, progress: Progress) -> Contents:
        blocks, at = [], 0
        while block := source.read(at, BLOCK):
            blocks.append(block)
            at += len(block)
            progress.report("read", at, source.size or at)
            if at > MAX_TABLE:
                raise TraceError(f"{source.path}: an analyzer table of more than {MAX_TABLE >> 20} MiB.", hint="Read the trace itself.")
        feed_table(b"".join(blocks), build, source.path)
        return Contents()


def feed_table(text: bytes, build: TraceBuilder, name: object) -> None:
    """Give the builder a slice for each row of the table, as CSV or JSON; rows without a time are counted. ``name``: of the file."""
    text = text.removeprefix(b"\xef\xbb\xbf")
    places: dict[str, list[str]] = {"row": [], "time": []}
    count = dict.fromkeys(places, 0)

    def lose(why: str, where: str) -> None:
        count[why] += 1
        if len(places[why]) < FIRST_PLACES:
            places[why].append(where)

    rows = _json_rows(text, name) if text.lstrip()[:1] == b"{" else _csv_rows(text)
    for where, row in rows:
        if row is None:
            lose("row", where)
            continue
        start = scan.time_ns(_word(row.get(START)).encode())
        end = scan.time_ns(_word(row.get(END)).encode())
        lasting = scan.time_ns(_word(row.get(DURATION)).encode())
        if start is None:
            lose("time", where)
            continue
        if end is not None:
            lasting = end - start
        unit = _word(row.get(UNIT)) or "Other"
        pid = PROCESSES.get(unit, PROCESSES["OTHER"])
        build.process(pid, unit, sort_index=pid)
        build.thread(pid, f"{unit} nodes", f"{unit} nodes")
        build.slice(pid, f"{unit} nodes", start, lasting, _word(row.get(NAME)), cat=CATEGORY, args=orjson.dumps(_arguments(row)))
    log = build.log
    log.add("read.bad_row", "data-loss", "Rows that have not the columns of the header were left out.", count=count["row"],
            first=tuple(places["row"]))  # fmt: skip
    log.add("read.bad_ts", "data-loss", "Nodes without a readable start were left out.", count=count["time"], first=tuple(places["time"]))


def _csv_rows(text: bytes) -> Iterator[tuple[str, dict[str, Any] | None]]:
    reader = csv.reader(io.StringIO(text.replace(b"\0", b"").decode("utf-8", "replace"), newline=""))
    header = [_usual(name) for name in next(reader, [])]
    for fields in reader:
        if fields:
            fits = len(fields) == len(header)
            yield f"line {reader.line_num}", dict(zip(header, fields, strict=True)) if fits else None


def _json_rows(text: bytes, name: object) -> Iterator[tuple[str, dict[str, Any] | None]]:
    """Numbers that are not whole stay text, so that times are exact."""
    try:
        data = json.loads(text.decode("utf-8", "replace"), parse_float=str, parse_constant=lambda _: "nan", strict=False)
    except (ValueError, RecursionError) as error:
        raise TraceError(f"{name}: the analyzer's table is no JSON ({error}).", hint="Copy the file again.") from error
    rows: Iterable[Any] = data.get(ROWS_KEY, []) if isinstance(data, Mapping) else []
    for number, row in enumerate(rows if isinstance(rows, list) else []):
        yield f"{ROWS_KEY}[{number}]", {_usual(key): value for key, value in row.items()} if isinstance(row, dict) else None


def _usual(column: str) -> str:
    """A column under its name in the CSV; the JSON writes usec."""
    return column.strip().strip('"').replace("(usec)", "(us)").replace("(usec²)", "(us²)")


def _word(value: Any) -> str:
    return "" if value is None else str(value).strip()


def _arguments(row: Mapping[str, Any]) -> dict[str, Any]:
    """What the table knows about a node, numbers as numbers."""
    args: dict[str, Any] = {}
    for column, value in row.items():
        if column in (UNIT, NAME) or _word(value) in NOTHING or value == []:
            continue
        args[ARGUMENTS.get(column, column)] = value if column in TEXTS or not isinstance(value, str) else _number(value)
    return args


def _number(text: str) -> Any:
    """A number as JSON has it: times and shares of the table are decimals that a double holds as they are shown."""
    try:
        return int(text)
    except ValueError:
        pass
    try:
        value = float(text)
    except ValueError:
        return text
    return value if abs(value) < float("inf") else text
