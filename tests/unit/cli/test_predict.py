from __future__ import annotations

import csv
import errno
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from hlprof_core.cli.predict import predict
from hlprof_core.errors import UsageError

RUNNER = CliRunner()
HEADER = "M,K,N,dtype,transA,transB,nodes_in_graph"


def _ask(*arguments: str, stdin: str = "") -> str:
    done = RUNNER.invoke(predict, arguments, input=stdin, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_json_of_a_workload(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HABANA_PROFILE", "1")  # a prediction is never profiled
    said = json.loads(_ask("dlrm", "--json"))
    assert said["workload"] == "dlrm"
    assert said["device"] == "gaudi"
    assert said["iteration_ns"] == pytest.approx(25_350_000, rel=0.1)
    assert said["throughput"] == pytest.approx(512e9 / said["iteration_ns"], rel=1e-4)
    assert set(said["engines"]) == {"DMA", "MME", "TPC"}
    for engine in said["engines"].values():
        assert 0 < engine["busy_ns"] <= said["iteration_ns"]
        assert engine["busy_share"] == pytest.approx(engine["busy_ns"] / said["iteration_ns"], abs=1e-3)


def test_settings_and_devices_change_the_answer() -> None:
    half, whole = (json.loads(_ask("dlrm", "--json", "--set", f"batch={b}"))["iteration_ns"] for b in (256, 512))
    assert 0.4 < half / whole < 0.7
    assert json.loads(_ask("dlrm", "--json", "--device", "gaudi3"))["estimated"] is True
    assert "25.35 ms" in _ask("dlrm")


def test_products_keep_their_rows_and_order(tmp_path: Path) -> None:
    rows = f"{HEADER},mine\n4096,512,512,bf16,1,0,8,a\n1,2048,256,f32,0,0,64,b\n"
    (tmp_path / "rows.csv").write_text(rows)
    said = _ask("gemm", "--csv", str(tmp_path / "rows.csv"))
    assert said == _ask("gemm", "--csv", "-", stdin=rows)
    answered = list(csv.DictReader(said.splitlines()))
    assert [r["mine"] for r in answered] == ["a", "b"]
    assert said.splitlines()[0] == f"{HEADER},mine,model_us"
    assert float(answered[0]["model_us"]) == pytest.approx(39.58, rel=0.02)
    assert float(answered[1]["model_us"]) == pytest.approx(2.577, rel=0.02)


@pytest.mark.parametrize(
    ("arguments", "stdin", "says"),
    [
        (["gemm"], "", "--csv"),
        (["gemm", "--csv", "/nowhere/rows.csv"], "", "/nowhere/rows.csv"),
        (["gemm", "--csv", "-"], "M,K\n1,2\n", "no column N"),
        (["gemm", "--csv", "-"], "", "no column M"),
        (["gemm", "--csv", "-"], f"{HEADER}\n1,2,3,f32,0,0,zero\n", "line 2: nodes_in_graph is 'zero'"),
        (["gemm", "--csv", "-"], f"{HEADER}\n1,2,3,f32\n", "line 2"),
        (["gemm", "--csv", "-"], f"{HEADER}\n1,2,3,f8,0,0,1\n", "line 2: dtype is 'f8'. Gaudi multiplies bf16, f32"),
        (["dlrm", "--csv", "-"], "", "gemm"),
        (["dlrm", "--set", "batch"], "", "key=value"),
        (["dlmr"], "", "dlrm"),
        (["dlrm", "--device", "gaudi9"], "", "gaudi9"),
    ],
)
def test_mistakes_are_named(arguments: list[str], stdin: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        RUNNER.invoke(predict, arguments, input=stdin, catch_exceptions=False)


def test_rows_of_stdin_that_cannot_be_read() -> None:
    class Bad(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, buffer: object) -> int:
            raise OSError(errno.EIO, "Input/output error")

    with pytest.raises(UsageError, match=r"Cannot read stdin: Input/output error\."):
        RUNNER.invoke(predict, ["gemm", "--csv", "-"], input=io.BufferedReader(Bad()), catch_exceptions=False)
    with pytest.raises(UsageError, match="Cannot read stdin: it is no UTF-8 text"):
        RUNNER.invoke(predict, ["gemm", "--csv", "-"], input=b"\xff\xfe", catch_exceptions=False)
