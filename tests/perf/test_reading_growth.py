"""Files made to be slow cost what their size says: four times the file takes far less than sixteen times the time."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hlprof_core.io.open import open_trace


def names(n: int) -> str:
    return ",".join(f'{{"ph":"X","name":"n{i}","ts":{i},"dur":1,"pid":1,"tid":1}}' for i in range(n))


def tracks(n: int) -> str:
    return ",".join(f'{{"ph":"X","name":"n","ts":{i},"dur":1,"pid":1,"tid":{i}}}' for i in range(n))


def one_string(n: int) -> str:
    return f'{{"ph":"X","name":"{"x" * (n * 40)}","ts":1,"dur":1,"pid":1,"tid":1}}'


def large_arguments(n: int) -> str:
    return f'{{"ph":"X","name":"n","ts":1,"dur":1,"pid":1,"tid":1,"args":{{"a":[{"1234567890," * (n * 4)}0]}}}}'


def brackets(n: int) -> str:
    return f'{{"ph":"X","name":"n","ts":1,"dur":1,"pid":1,"tid":1,"args":{{"a":{"[" * n}{"]" * n},"b":"{"]}{[" * n}"}}}}'


def levels(n: int) -> str:
    return ",".join(f'{{"ph":"X","name":"n","ts":{i},"dur":{2 * (n - i)},"pid":1,"tid":1}}' for i in range(n))


@pytest.mark.parametrize(
    ("make", "size"),
    [(names, 100_000), (tracks, 25_000), (one_string, 100_000), (large_arguments, 75_000), (brackets, 500_000), (levels, 10_000)],
)
def test_time_grows_with_the_file(tmp_path: Path, make: Callable[[int], str], size: int) -> None:
    def seconds(n: int) -> float:
        file = tmp_path / f"{n}.json"
        file.write_text(f"[{make(n)}]")
        best = 1e9
        for _ in range(3):
            start = time.process_time()
            trace = open_trace(file, use_cache=False)
            best = min(best, time.process_time() - start)
            assert len(trace.slices) in (1, n)
        return best

    assert seconds(4 * size) < 9 * seconds(size) + 0.02
