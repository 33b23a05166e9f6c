"""How the fuzz harnesses are compiled and run: with clang's libFuzzer where it is there, else with changes of our own making."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
KERNELS = ROOT / "hlprof_core" / "_kernels"
SANITIZERS = ("-fsanitize=address,undefined,float-cast-overflow", "-fno-sanitize-recover=all")
FLAGS = ("-g", "-std=gnu11", "-Wno-unused-function", "-Wno-missing-field-initializers", "-Wno-deprecated-declarations", *SANITIZERS)
WITH_PYTHON = ("layout", "levels", "columns", "curves", "find", "scan", "arguments")
"""Kernels that are linked into the harness that calls them through Python."""
PIECE = 4096
"""Bytes of a sample that are one input: libFuzzer is quickest with small ones."""


def compile_harness(harness: str, target: Path, *, guided: bool, is_short: bool = False) -> Path:
    """``guided``: an entry point for libFuzzer. ``is_short``: for a run that takes less time than the compiler's optimizing.

    Skips the test where there is no compiler, sanitizer or Python to embed.
    """
    compiler = shutil.which("clang" if guided else "gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no C compiler")
    words = [compiler, "-O0" if is_short else "-O1", *FLAGS, str(HERE / f"{harness}.c"), "-o", str(target)]
    if harness == "fuzz_kernels":
        words += [*(str(KERNELS / f"{name}.c") for name in WITH_PYTHON), *_embedding()]
    if guided:
        words += ["-DLIBFUZZER", "-fsanitize=fuzzer"]
    done = subprocess.run([*words, "-lm"], capture_output=True, text=True, check=False)
    if "cannot find" in done.stderr and ("asan" in done.stderr or "python" in done.stderr):
        pytest.skip("the compiler finds no sanitizers, or no Python to embed")
    assert done.returncode == 0, done.stderr
    return target


def _embedding() -> list[str]:
    place, library = sysconfig.get_config_var("LIBDIR"), f"python{sysconfig.get_config_var('LDVERSION')}"
    words = [f"-I{sysconfig.get_path('include')}", f"-L{place}", f"-L{sysconfig.get_config_var('LIBPL')}", f"-Wl,-rpath,{place}"]
    return [*words, f"-l{library}", *(sysconfig.get_config_var("LIBS") or "").split(), "-Wl,-export-dynamic"]


@cache
def has_guide() -> bool:
    """Whether clang is here with libFuzzer."""
    compiler = shutil.which("clang")
    if compiler is None:
        return False
    words = [compiler, "-fsanitize=fuzzer,address", "-x", "c", "-", "-o", os.devnull]
    text = "int LLVMFuzzerTestOneInput(const unsigned char *d, unsigned long n) { return d && n > 9 ? 0 : 0; }"
    return subprocess.run(words, input=text, text=True, capture_output=True, check=False).returncode == 0


def environment(last: Path | None = None) -> dict[str, str]:
    """For a harness: Python's own memory at its end is no leak; where it writes the input it is about to try."""
    options = {"ASAN_OPTIONS": "detect_leaks=0:handle_abort=1", "PYTHONHOME": sys.base_prefix, "PYTHONPATH": str(ROOT)}
    return {**os.environ, **options, **({"FUZZ_LAST": str(last)} if last else {})}


def run(program: Path, *words: str | Path, folder: Path, guided: bool = False) -> str:
    """What it said; the test fails when a sanitizer or a check stopped it."""
    last = folder / "last-input"
    env = environment(None if guided else last)
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True, check=False, env=env, cwd=folder, errors="replace")
    assert done.returncode == 0, f"{done.stderr[-6000:]}\nthe input is in {folder if guided else last}"
    return done.stdout + done.stderr


def pieces(folders: list[Path]) -> Iterator[bytes]:
    """Begin, middle and end of each file below."""
    for folder in folders:
        for path in sorted(p for p in folder.rglob("*") if p.is_file() and p.suffix != ".py"):
            size = path.stat().st_size
            with path.open("rb") as file:
                for start in sorted({0, max(0, size // 2 - PIECE // 2), max(0, size - PIECE)}):
                    file.seek(start)
                    yield file.read(PIECE)


def fuzz_guided(harness: str, seconds: int, seeds: list[bytes], folder: Path) -> str:
    """libFuzzer for so long; returns its closing words."""
    program = compile_harness(harness, folder / harness, guided=True)
    corpus = folder / "corpus"
    corpus.mkdir()
    for number, seed in enumerate(dict.fromkeys(seeds)):
        (corpus / str(number)).write_bytes(seed)
    words = (f"-max_total_time={seconds}", f"-max_len={PIECE}", "-timeout=20", "-rss_limit_mb=4096", "-print_final_stats=1")
    return run(program, *words, corpus, folder=folder, guided=True)
