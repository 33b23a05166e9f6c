"""What the project promises of itself: links lead somewhere, commands explain themselves, imports stay light, debt only shrinks."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hlprof_core.cli.commands import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
SOURCES = [p for top in ("hlprof_core", "hlprof_gui") for p in sorted((ROOT / top).rglob("*.py"))]
DEBT = {"noqa": 6, "type: ignore": 8}
"""How often the sources may silence a tool; lower it when the number falls."""


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name}: {target}"


@pytest.mark.parametrize("entry", COMMANDS, ids=lambda e: e.name)
def test_every_command_explains_itself(entry) -> None:
    said = subprocess.run([BIN / "hlprof", entry.name, "--help"], capture_output=True, text=True, timeout=60, check=False)
    assert said.returncode == 0, said.stderr
    assert "Usage: hlprof" in said.stdout
    assert entry.help.endswith(".")


@pytest.mark.parametrize(
    ("code", "unwanted"),
    [
        ("import hlprof_core", {"numpy", "click", "duckdb", "PySide6"}),
        ("import hlprof_core.cli.hlprof_command", {"numpy", "duckdb", "PySide6", "rich"}),
        ("import hlprof_core.cli.prof_config_command", {"numpy", "duckdb", "PySide6", "rich"}),
        ("import hlprof_core.io.open", {"duckdb", "PySide6", "rich"}),
    ],
)
def test_imports_stay_light(code: str, unwanted: set[str]) -> None:
    probe = f"import sys; {code}; print(*sorted({unwanted!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == []


def test_debt_only_shrinks() -> None:
    for word, allowed in DEBT.items():
        found = [f"{p.relative_to(ROOT)}" for p in SOURCES for line in p.read_text(encoding="utf-8").splitlines() if f"# {word}" in line]
        assert len(found) <= allowed, f"{word}: {len(found)} in {found}"


def test_sources_say_what_they_are_for() -> None:
    silent = [p.relative_to(ROOT) for p in SOURCES if p.stat().st_size and not p.read_text(encoding="utf-8").lstrip().startswith('"""')]
    assert silent == []


def test_long_files_give_a_reason() -> None:
    done = subprocess.run([sys.executable, ROOT / "packaging" / "check_sizes.py"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("newest", "is_built"), [("fast.abi3.so", True), ("fast.c", False), ("part.h", False)])
def test_a_changed_kernel_source_is_compiled_anew(tmp_path: Path, newest: str, is_built: bool) -> None:
    kernels = tmp_path / "hlprof_core" / "_kernels"
    kernels.mkdir(parents=True)
    for name in ("fast.c", "part.h", "fast.abi3.so"):
        (kernels / name).touch()
        stamp = 2_000 if name == newest else 1_000 + (name == "fast.abi3.so")
        os.utime(kernels / name, (stamp, stamp))
    function = re.search(r"^kernels_are_built\(\) \{.*?^\}", (ROOT / "dev").read_text(encoding="utf-8"), re.M | re.S)
    assert function
    done = subprocess.run(["sh", "-c", f"{function[0]}\nkernels_are_built"], cwd=tmp_path, check=False)
    assert (done.returncode == 0) == is_built
