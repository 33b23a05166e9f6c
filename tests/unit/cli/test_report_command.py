"""``report`` and ``query`` as processes: forms of output, files that appear whole or not at all, exit codes."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HLPROF = Path(sys.executable).parent / "hlprof"
EVENTS = [
    {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "MME"}},
    {"ph": "M", "name": "process_name", "pid": 2, "args": {"name": "TPC"}},
    {"ph": "X", "pid": 1, "tid": 0, "ts": 1, "dur": 5, "name": "fc/gemm", "args": {"op": "gemm"}},
    {"ph": "X", "pid": 2, "tid": 0, "ts": 6, "dur": 2.5, "name": "fc/relu", "args": {"op": "relu_fwd"}},
]


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"traceEvents": EVENTS}))
    return path


def hlprof(*words: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "XDG_CACHE_HOME": str(cwd / "cache"), "NO_COLOR": "1"}
    return subprocess.run([HLPROF, *map(str, words)], capture_output=True, text=True, timeout=60, cwd=cwd, env=environment, check=False)


def test_report_of_several_files(trace: Path, tmp_path: Path) -> None:
    said = hlprof("report", trace, trace, cwd=tmp_path)
    assert said.returncode == 0, said.stderr
    assert said.stdout.count("Top operations") == 2
    assert "\x1b" not in said.stdout


def test_report_json(trace: Path, tmp_path: Path) -> None:
    one = json.loads(hlprof("report", trace, "--json", cwd=tmp_path).stdout)
    assert one["engines"]["MME"]["busy_ns"] == 5000
    assert one["device"]["total_ns"] == 7500
    assert json.loads(hlprof("report", trace, trace, "--json", cwd=tmp_path).stdout) == [one, one]


def test_report_files(trace: Path, tmp_path: Path) -> None:
    said = hlprof("report", trace, "--html", "out.html", "--md", "out.md", cwd=tmp_path)
    assert (said.returncode, said.stdout) == (0, "")
    assert "out.html" in said.stderr
    assert "fc/gemm" in (tmp_path / "out.html").read_text()
    assert "fc/gemm" in (tmp_path / "out.md").read_text()
    assert sorted(p.name for p in tmp_path.iterdir() if p.name != "cache") == ["out.html", "out.md", "run.json"]


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "out.html").write_text("good")
    said = hlprof("report", "missing.json", "--html", "out.html", cwd=tmp_path)
    assert said.returncode == 3
    assert said.stderr.count("\n") == 1
    assert "missing.json" in said.stderr
    assert (tmp_path / "out.html").read_text() == "good"


def test_an_output_that_cannot_be_written(trace: Path, tmp_path: Path) -> None:
    said = hlprof("report", trace, "--html", "no/such/folder/out.html", cwd=tmp_path)
    assert said.returncode == 1
    assert said.stderr.count("\n") == 1
    assert "no/such/folder/out.html" in said.stderr


def test_contradicting_options(trace: Path, tmp_path: Path) -> None:
    assert hlprof("report", trace, "--json", "--md", "-", cwd=tmp_path).returncode == 2


def test_query_forms(trace: Path, tmp_path: Path) -> None:
    sql = "SELECT name, dur_ns FROM slices ORDER BY start_ns"
    assert hlprof("query", trace, sql, cwd=tmp_path).stdout.splitlines()[2] == "fc/gemm    5000"
    answer = json.loads(hlprof("query", trace, sql, "--format", "json", cwd=tmp_path).stdout)
    assert answer == {"columns": ["name", "dur_ns"], "rows": [["fc/gemm", 5000], ["fc/relu", 2500]]}
    said = hlprof("query", trace, sql, "--format", "csv", "-o", "out.csv", cwd=tmp_path)
    assert (said.returncode, said.stdout) == (0, "")
    assert list(csv.reader(io.StringIO((tmp_path / "out.csv").read_text())))[1] == ["fc/gemm", "5000"]
    assert hlprof("query", trace, sql, "--format", "parquet", "-o", "out.parquet", cwd=tmp_path).returncode == 0
    assert (tmp_path / "out.parquet").read_bytes().startswith(b"PAR1")
    page = hlprof("query", trace, "SELECT name, '<b>' AS x FROM slices", "--format", "html", "--filter", "gemm", cwd=tmp_path).stdout
    assert page.startswith("<!DOCTYPE html>")
    assert f"{trace.name} · slices with “gemm” · SELECT name" in page
    assert ">fc/gemm</td>" in page
    assert "1 row." in page
    assert "<b>" not in page


def test_query_errors_leave_the_output_alone(trace: Path, tmp_path: Path) -> None:
    for form in ("csv", "html", "parquet"):
        target = tmp_path / f"out.{form}"
        target.write_text("good")
        said = hlprof("query", trace, "SELECT wrong FROM slices", "--format", form, "-o", target, cwd=tmp_path)
        assert said.returncode == 1
        assert "column 8" in said.stderr
        assert said.stderr.count("\n") == 1
        assert target.read_text() == "good"
    assert [p.name for p in tmp_path.glob(".*")] == []


def test_parquet_needs_a_file(trace: Path, tmp_path: Path) -> None:
    assert hlprof("query", trace, "SELECT 1", "--format", "parquet", cwd=tmp_path).returncode == 2


def test_doctor_gives_verdicts(tmp_path: Path) -> None:
    findings = json.loads(hlprof("doctor", "--json", cwd=tmp_path).stdout)
    topics = [f["topic"] for f in findings]
    assert {"Gaudi driver", "libSynapse", "OpenGL", "fonts", "cache", "display", "kernels"} <= set(topics)
    assert {f["verdict"] for f in findings} <= {"ok", "missing", "broken", "note"}
    assert all(f["text"] for f in findings)
    said = hlprof("doctor", cwd=tmp_path)
    assert said.returncode == (1 if "broken" in {f["verdict"] for f in findings} else 0)
    assert len(said.stdout.splitlines()) == len(findings)
