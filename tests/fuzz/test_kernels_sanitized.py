"""The compiled kernels, built with address and undefined-behaviour sanitizers, through their own property and unit tests."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FLAGS = (
    "-shared", "-fPIC", "-g", "-O1", "-std=c11", "-DPy_LIMITED_API=0x030B0000", "-fsanitize=address,undefined", "-fno-sanitize-recover=all",
)  # fmt: skip
TESTS = (
    "tests/unit/_kernels",
    "tests/property/test_layout.py",
    "tests/property/test_pieces.py",
    "tests/property/test_pyramid.py",
    "tests/property/test_raster.py",
    "tests/property/test_chrome_json.py",
    "tests/property/test_curves.py",
)


def sanitizer(compiler: str) -> str:
    """The library that a sanitized extension needs in the process before anything else."""
    done = subprocess.run([compiler, "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
    library = done.stdout.strip()
    if not Path(library).is_absolute():
        pytest.skip("the compiler has no address sanitizer")
    return library


@pytest.mark.deep
@pytest.mark.timeout(900)
def test_kernels_under_sanitizers(tmp_path: Path) -> None:
    compiler = shutil.which("gcc")
    if compiler is None:
        pytest.skip("no gcc")
    library = sanitizer(compiler)
    for folder in ("hlprof_core", "hlprof_gui", "resources", "tests"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    kernels = tmp_path / "hlprof_core" / "_kernels"
    for source in sorted(kernels.glob("*.c")):
        target = source.with_suffix(".abi3.so")
        command = [compiler, *FLAGS, f"-I{sysconfig.get_paths()['include']}", str(source), "-o", str(target), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    environment = {
        **os.environ,
        "LD_PRELOAD": library,
        "ASAN_OPTIONS": "detect_leaks=0",  # the interpreter keeps what it likes
        "PYTHONPATH": str(tmp_path),
        "PYTHONMALLOC": "malloc",
    }
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-k", "not linear", *TESTS],
        cwd=tmp_path, capture_output=True, text=True, check=False, env=environment,
    )  # fmt: skip
    assert done.returncode == 0, (done.stdout + done.stderr)[-6000:]
