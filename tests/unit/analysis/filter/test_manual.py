"""The manual says what the language does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hlprof_core.analysis.filter import read_filter
from hlprof_core.analysis.filter.completion import describe_fields

PAGE = (Path(__file__).parents[4] / "docs" / "guide" / "filter.md").read_text(encoding="utf-8")
WRITTEN = [
    text.strip("`").replace("\\|", "|")
    for row in re.findall(r"^\| (.+?) \| .+ \|$", PAGE.partition("## Fields")[0], re.MULTILINE)
    for text in re.findall(r"`[^`]+`", row)
]


def test_the_fields_are_those_of_the_list() -> None:
    assert describe_fields() in PAGE, "write the table anew from describe_fields()"


@pytest.mark.parametrize("text", WRITTEN)
def test_what_it_shows_is_understood(text: str) -> None:
    assert read_filter(text).leaves
