"""Pictures as files: whole or not at all, and links stay links."""

from __future__ import annotations

from pathlib import Path

import pytest

from hlprof_core.errors import ExportError


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_a_picture_behind_a_link_replaces_what_the_link_leads_to(trace_file: Path, tmp_path: Path, qapp: object, suffix: str) -> None:
    from hlprof_core.io.open import open_trace
    from hlprof_gui.cli_render import draw

    target, link = tmp_path / f"real.{suffix}", tmp_path / f"link.{suffix}"
    target.write_text("former")
    link.symlink_to(target)
    draw(open_trace(trace_file, use_cache=False), link, (640, 320), None, "dark")
    assert link.is_symlink()
    assert target.read_bytes().startswith({"png": b"\x89PNG", "svg": b"<?xml"}[suffix])
    assert sorted(p.name for p in tmp_path.iterdir() if p.suffix == ".tmp") == []


def test_a_picture_that_fails_leaves_the_former_one(tmp_path: Path, qapp: object) -> None:
    from PySide6.QtGui import QImage

    from hlprof_gui.export import save_image

    target = tmp_path / "view.png"
    target.write_text("former")
    with pytest.raises(ExportError, match=r"view\.png"):
        save_image(QImage(), target)
    assert target.read_text() == "former"
    assert [p.name for p in tmp_path.iterdir()] == ["view.png"]
