"""The reference page in the guide is the one that the schema makes."""

from __future__ import annotations

from pathlib import Path

from hlprof_core.config.reference_page import reference_page
from hlprof_core.config.schema import SETTINGS

PAGE = Path(__file__).resolve().parents[3] / "docs" / "guide" / "hl-prof-config.md"


def test_the_page_is_up_to_date():
    assert PAGE.read_text(encoding="utf-8") == reference_page(), f"write it anew: python -m hlprof_core.config.reference_page > {PAGE.name}"


def test_the_page_has_every_setting():
    text = reference_page()
    for entry in SETTINGS:
        assert f"`{entry.key}`" in text
