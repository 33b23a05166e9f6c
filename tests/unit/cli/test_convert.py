"""``hlprof convert``."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from hlprof_core.cli.convert import convert
from hlprof_core.errors import ExportError, UsageError
from hlprof_core.io.open import open_trace
from hlprof_core.io.writers import write_trace
from tests.drawing import describe, draw


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
