"""``hlprof convert``."""

from __future__ import annotations

import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

import duckdb
import pytest
from click.testing import CliRunner

from hlprof_core.analysis.database import TABLES
from hlprof_core.analysis.export import export_database
from hlprof_core.analysis.query import query
from hlprof_core.cli.convert import convert
from hlprof_core.errors import Cancelled, ExportError, UsageError
from hlprof_core.io.open import open_trace
from hlprof_core.io.writers import write_trace
from hlprof_core.progress import Progress
from tests.drawing import describe, draw
from tests.small_trace import small_trace


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "in.json"
    picture = """
        time       0    10   20   30
        TPC/TPC 0  [mm ------][relu]
        DMA/DMA 0       [copy -]
        """
    write_trace(draw(picture), path)
    return path


def run(*args: object) -> str:
    result = CliRunner().invoke(convert, [str(a) for a in args])
    if result.exception:
        raise result.exception
    return result.output


def test_formats_by_suffix(file: Path, tmp_path: Path) -> None:
    for name in ("out.json", "out.json.gz", "out.hltv", "out.csv"):
        run(file, tmp_path / name)
        assert sorted(x.split(" ", 2)[2] for x in describe(open_trace(tmp_path / name))) == sorted(
            x.split(" ", 2)[2] for x in describe(open_trace(file))
        )


def test_a_part(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "part.json"
    said = run(file, out, "--from", "5ns", "--to", "25", "--track", "TPC*")
    assert describe(open_trace(out)) == ["TPC 0 0 5+17 mm", "TPC 0 0 22+3 relu"]
    assert "clipped" in said


def test_onto_itself(file: Path) -> None:
    before = describe(open_trace(file))
    run(file, file)
    assert describe(open_trace(file)) == before


def test_onto_itself_is_refused_when_something_would_be_lost_for_good(tmp_path: Path) -> None:
    damaged = tmp_path / "in.json"
    damaged.write_text('[{"ph":"i","ts":1,"pid":1,"name":"a"},{"ph":"i","ts":"x"}]')
    before = damaged.read_bytes()
    (tmp_path / "same.json").symlink_to(damaged)
    for out in (damaged, tmp_path / "same.json"):
        with pytest.raises(UsageError, match="cannot be read"):
            run(damaged, out)
    assert damaged.read_bytes() == before
    run(damaged, tmp_path / "other.json")


def test_onto_itself_in_another_format_and_packed(file: Path, tmp_path: Path) -> None:
    before = describe(open_trace(file))
    packed = tmp_path / "p.json.gz"
    run(file, packed)
    run(packed, packed)
    assert describe(open_trace(packed)) == before


def test_zip_on_request(file: Path, tmp_path: Path) -> None:
    run(file, tmp_path / "z.hltv", "--zip")
    assert zipfile.is_zipfile(tmp_path / "z.hltv")


def test_what_cannot_be_is_said_before_anything_is_read(file: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="suffix"):
        run(tmp_path / "missing.json", tmp_path / "out.doc")
    with pytest.raises(UsageError, match="before"):
        run(file, tmp_path / "out.json", "--from", "20", "--to", "10")
    with pytest.raises(UsageError, match="no time"):
        run(file, tmp_path / "out.json", "--from", "soon")
    with pytest.raises(ExportError):
        run(file, tmp_path / "nowhere" / "out.json")


def rich_file(folder: Path) -> Path:
    path = folder / "rich.json"
    write_trace(small_trace(), path)
    return path


def test_sqlite_holds_the_tables_of_query(tmp_path: Path) -> None:
    file, out = rich_file(tmp_path), tmp_path / "out.sqlite"
    assert "1 x Arguments of instants" in run(file, out)
    trace = open_trace(file)
    with closing(sqlite3.connect(out)) as database:
        names = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        assert names == set(TABLES)
        for name in TABLES:
            wanted = [tuple(row.values()) for row in query(trace, f"SELECT * FROM {name} ORDER BY ALL").rows]
            assert sorted(map(repr, database.execute(f"SELECT * FROM {name}"))) == sorted(
                repr(tuple(int(v) if isinstance(v, bool) else v for v in row)) for row in wanted
            )


def test_parquet_has_a_row_a_slice_and_tells_what_it_lacks(tmp_path: Path) -> None:
    file, out = rich_file(tmp_path), tmp_path / "out.parquet"
    said = run(file, out)
    assert "1 x Instants" in said
    assert "2 x Counter samples" in said
    with duckdb.connect() as database:
        rows = database.execute(f"SELECT name, start_ns, dur_ns, thread, args FROM '{out}' ORDER BY id").fetchall()
    trace = open_trace(file)
    assert [r[:3] for r in rows] == [
        (trace.name(i), int(trace.slices.start_ns[i]), int(trace.slices.dur_ns[i])) for i in range(len(trace.slices))
    ]
    named = {row[0]: row for row in rows}
    assert named["fc1/inner"][3:] == ("MME 0", [{"key": "op", "value": "part"}])
    assert named["main"][4] is None


def test_a_database_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    file = rich_file(tmp_path)
    progress = Progress()
    progress.cancel()
    for suffix in ("parquet", "sqlite"):
        out = tmp_path / f"out.{suffix}"
        out.write_bytes(b"before")
        with pytest.raises(Cancelled):
            export_database(open_trace(file), out, progress)
        assert out.read_bytes() == b"before"
        with pytest.raises(ExportError, match="cannot be written"):
            run(file, tmp_path / "nowhere" / f"out.{suffix}")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out.parquet", "out.sqlite", "rich.json"]


def test_ranks(tmp_path: Path) -> None:
    file, out = tmp_path / "rank.json", tmp_path / "out.json"
    event = '{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":"n"}'
    file.write_text(f'{{"distributedInfo":{{"rank":3}},"traceEvents":[{event}]}}')
    run(file, out, "--rank", "3")
    assert describe(open_trace(out)) == describe(open_trace(file))
    with pytest.raises(UsageError, match="No track has rank 4"):
        run(file, out, "--rank", "4")
