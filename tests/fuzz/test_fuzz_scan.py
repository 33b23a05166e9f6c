"""The scan kernel under address and undefined-behaviour sanitizers, over the samples and random changes of them."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

HARNESS = Path(__file__).with_name("fuzz_scan.c")
FLAGS = ("-g", "-O1", "-std=c11", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-Wno-unused-function")
SEEDS = {
    "event.json": b'[{"ph":"X","name":"a\\u00e9\\"","ts":1.5,"dur":"2e1","pid":1,"tid":"t","args":{"k":[1,{"x":"]}"}]}},'
    b'{"ph":"C","ts":2,"name":"c","args":{"v":1e-7,"w":"12.5","n":NaN}},{"ph":"b","ts":1,"id2":{"local":"0x1"},"scope":"s"}]',
    "nested.json": b'{"ph":"X","ts":1,"args":' + b'{"a":[' * 40 + b"1" + b"]}" * 40 + b"}," + b"\\" * 70 + b'"' * 9,
}


def build(folder: Path) -> Path:
    compiler = shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no C compiler")
    program = folder / "fuzz_scan"
    done = subprocess.run([compiler, *FLAGS, str(HARNESS), "-o", str(program)], capture_output=True, text=True, check=False)
    if "cannot find" in done.stderr and "asan" in done.stderr:
        pytest.skip("the compiler has no sanitizers")
    assert done.returncode == 0, done.stderr
    return program


def corpus(folder: Path, samples: Path | None) -> list[Path]:
    files = []
    for name, data in SEEDS.items():
        path = folder / name
        path.write_bytes(data)
        files.append(path)
    return files + sorted(samples.glob("*/*.json") if samples else [])


def fuzz(program: Path, files: list[Path], seed: int, rounds: int, folder: Path) -> None:
    last = folder / "last-input"
    done = subprocess.run(
        [program, str(seed), str(rounds), *files],
        capture_output=True,
        text=True,
        check=False,
        env=dict(os.environ, FUZZ_LAST=str(last)),
    )
    assert done.returncode == 0, f"{done.stderr[-4000:]}\nthe input is in {last}"


def test_a_short_run(tmp_path: Path) -> None:
    fuzz(build(tmp_path), corpus(tmp_path, None), 1, 300, tmp_path)


@pytest.mark.deep
@pytest.mark.timeout(1500)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_long_run(tmp_path: Path, samples: Path, seed: int) -> None:
    fuzz(build(tmp_path), corpus(tmp_path, samples), seed, 3000, tmp_path)
