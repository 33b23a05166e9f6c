"""The kernels under address and undefined-behaviour sanitizers: over samples and changes of them, and with arrays of any content.

A short run always; ten minutes with ``./dev check --deep``, guided by coverage where clang is installed. An input that once failed is
kept in ``regressions/<harness>`` and tried in each run.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.conftest import SHARED
from tests.fuzz.harness import HERE, ROOT, compile_harness, fuzz_guided, has_guide, pieces, run

EVENT = (
    b'[{"ph":"X","name":"a\\u00e9\\"","ts":1.5,"dur":"2e1","pid":1,"tid":"t","args":{"k":[1,{"x":"]}"}]}},'
    b'{"ph":"C","ts":2,"name":"c","args":{"v":1e-7,"w":"12.5","n":NaN}},{"ph":"b","ts":1,"id2":{"local":"0x1"},"scope":"s"},'
    b'{"ph":"X","ts":1,"dur":2,"sf":7,"estack":["m","n"]},{"ph":"O","id":1,"ts":3,"args":{"s":1}},{"ph":"v","ts":4},{"ph":"(","ts":5,"id":2}]'
)
NESTED = b'{"ph":"X","ts":1,"args":' + b'{"a":[' * 40 + b"1" + b"]}" * 40 + b"}," + b"\\" * 70 + b'"' * 9
DEEP_SECONDS = {"fuzz_scan": 330, "fuzz_kernels": 270}


def regressions(harness: str) -> list[Path]:
    return sorted((HERE / "regressions" / harness).glob("*"))


def scan_inputs(folder: Path) -> list[Path]:
    for name, data in {"event": EVENT, "nested": NESTED}.items():
        (folder / name).write_bytes(data)
    return [folder / "event", folder / "nested", *regressions("fuzz_scan")]


def test_a_short_run_of_the_scanner(tmp_path: Path) -> None:
    program = compile_harness("fuzz_scan", tmp_path / "fuzz_scan", guided=False, is_short=True)
    run(program, "1", "300", *scan_inputs(tmp_path), folder=tmp_path)


def test_a_short_run_of_all_kernels(tmp_path: Path) -> None:
    program = compile_harness("fuzz_kernels", tmp_path / "fuzz_kernels", guided=False, is_short=True)
    said = run(program, "1", "10000", *regressions("fuzz_kernels"), folder=tmp_path)
    for line in said.splitlines():
        if " answered" in line:
            function, _, counts = line.partition(": ")
            answered, tried = (int(word) for word in counts.split()[0:3:2])
            assert answered * 100 > tried, f"{function} refuses nearly everything: the harness does not reach into it"


@pytest.mark.deep
@pytest.mark.timeout(1500)
@pytest.mark.parametrize("harness", list(DEEP_SECONDS))
def test_minutes(tmp_path: Path, harness: str) -> None:
    seconds = DEEP_SECONDS[harness]
    folders = [folder for folder in (SHARED / "samples", ROOT / "tests" / "formats") if folder.is_dir()]
    seeds = [path.read_bytes() for path in regressions(harness)]
    if has_guide():
        if harness == "fuzz_scan":
            seeds += [EVENT, NESTED, *pieces(folders)]
        print(fuzz_guided(harness, seconds, seeds, tmp_path)[-2000:])
        return
    program, end, seed = compile_harness(harness, tmp_path / harness, guided=False), time.monotonic() + seconds, 1
    files = [p for folder in folders for p in sorted(folder.rglob("*.json"))] if harness == "fuzz_scan" else []
    while time.monotonic() < end:
        words = ("100", *scan_inputs(tmp_path), *files) if harness == "fuzz_scan" else ("1000000",)
        run(program, str(seed), *words, folder=tmp_path)
        seed += 1
