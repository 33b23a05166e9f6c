"""Each code that reading and writing can tell is explained on the page of formats."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_code_is_explained() -> None:
    used: set[str] = set()
    for source in (ROOT / "hlprof_core").rglob("*.py"):
        used |= set(re.findall(r'"((?:read|archive|export|crop|layout)\.[a-z_]+)"', source.read_text("utf-8")))
    assert len(used) > 30
    page = (ROOT / "docs" / "formats" / "README.md").read_text("utf-8")
    assert not sorted(code for code in used if f"`{code}`" not in page)


def test_every_format_has_a_page() -> None:
    from hlprof_core.io.readers.reader import readers

    page = (ROOT / "docs" / "formats" / "README.md").read_text("utf-8")
    for reader in readers():
        assert f"| `{reader.name}` |" in page
