"""Reports on published traces against what their publishers state: device time, steps, operations. Skipped without the sample traces."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hlprof_core.io.open import open_trace
from hlprof_core.report.build import build_report

SHARED = Path(__file__).resolve().parents[3] / "shared"
ANSWERS = SHARED / "conformance" / "answers.json"


def published() -> list[Any]:
    if not ANSWERS.is_file():
        return [pytest.param("", {}, marks=pytest.mark.skip("the sample traces are not beside the project"))]
    facts: dict[str, dict[str, Any]] = {}
    for folder, files in json.loads(ANSWERS.read_text(encoding="utf-8")).items():
        for file, wanted in files.items():
            for kind, values in wanted.items():
                if kind.startswith("report:"):
                    facts.setdefault(f"{folder}/{file}", {}).update(values)
    return [pytest.param(file, values, id=file) for file, values in facts.items()]


def value_at(data: Any, path: str) -> Any:
    """``steps/0/dur_ns``; in lists by place or by the name of the element; ``#`` is the length."""
    for part in path.split("/"):
        if isinstance(data, list):
            named = next((x for x in data if x.get("name") == part), None)
            data = len(data) if part == "#" else data[int(part)] if part.isdigit() else named
        else:
            data = data.get(part) if data is not None else None
    return data


@pytest.mark.parametrize(("file", "facts"), published())
def test_report_says_what_the_publisher_says(file: str, facts: dict[str, Any]) -> None:
    report = build_report(open_trace(SHARED / "samples" / file, use_cache=False)).to_dict()
    for path, wanted in facts.items():
        got = value_at(report, path)
        if isinstance(wanted, dict):
            wanted = pytest.approx(wanted["near"], rel=wanted["rel"])
        assert got == wanted, path
