"""What every registered analysis and rule promises: a title, a line of help, a word in the manual, and a test."""

from __future__ import annotations

from pathlib import Path

import pytest

from hlprof_core.analysis.advice import rules
from hlprof_core.analysis.catalog import analyses

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("entry", analyses, ids=lambda a: a.name)
def test_analyses_explain_themselves(entry) -> None:
    assert entry.title
    assert entry.help.endswith(".")
    assert f"`{entry.name}`" in (ROOT / "docs" / "guide" / "report.md").read_text(encoding="utf-8")
    tests = "\n".join(p.read_text(encoding="utf-8") for p in (ROOT / "tests" / "unit" / "analysis").glob("test_*.py"))
    assert f'"{entry.name}"' in tests or f" {entry.name}(" in tests


@pytest.mark.parametrize("name", rules.names())
def test_rules_are_in_the_manual(name: str) -> None:
    page = (ROOT / "docs" / "guide" / "report.md").read_text(encoding="utf-8")
    words = ("mme_bound", "tpc_bound") if name == "engine_bound" else (name,)
    assert all(f"`{word}`" in page for word in words)
