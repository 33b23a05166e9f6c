"""Pictures as files: whole or not at all, and links stay links."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hlprof_core.analysis.steps import Step
from hlprof_core.errors import ExportError
from hlprof_core.levels.pyramid import build_levels
from hlprof_core.progress import Progress
from hlprof_gui.export import dialog_filter
from hlprof_gui.state.view_state import Edge, Item, Measure, ViewState
from hlprof_gui.timeline.picture import arrange_offscreen, prepare_picture, save_image
from tests.small_trace import small_trace


@pytest.mark.parametrize("suffix", ["png", "svg", "html"])
def test_a_picture_behind_a_link_replaces_what_the_link_leads_to(trace_file: Path, tmp_path: Path, qapp: object, suffix: str) -> None:
    from hlprof_core.io.open import open_trace
    from hlprof_gui.cli_render import draw

    target, link = tmp_path / f"real.{suffix}", tmp_path / f"link.{suffix}"
    target.write_text("former")
    link.symlink_to(target)
    draw(open_trace(trace_file, use_cache=False), link, (640, 320), None, "dark")
    assert link.is_symlink()
    assert target.read_bytes().startswith({"png": b"\x89PNG", "svg": b"<?xml", "html": b"<!DOCTYPE"}[suffix])
    assert sorted(p.name for p in tmp_path.iterdir() if p.suffix == ".tmp") == []


def test_a_picture_that_fails_leaves_the_former_one(tmp_path: Path, qapp: object) -> None:
    from PySide6.QtGui import QImage

    target = tmp_path / "view.png"
    target.write_text("former")
    with pytest.raises(ExportError, match=r"view\.png"):
        save_image(QImage(), target)
    assert target.read_text() == "former"
    assert [p.name for p in tmp_path.iterdir()] == ["view.png"]


def test_a_page_holds_picture_selection_notes_and_measures(open_window: Any, tmp_path: Path) -> None:
    state = open_window.state
    state.select(Item("slice", 2))
    state.add_mark(state.trace.span.start_ns + 5, "a <note>", 20)
    state.set_measures([Measure(Edge(state.trace.span.start_ns), Edge(state.trace.span.start_ns + 77))])
    prepare_picture(open_window.timeline, tmp_path / "view.html")(Progress())
    text = (tmp_path / "view.html").read_text(encoding="utf-8")
    assert text.count("<svg") == 1
    assert "a &lt;note&gt;" in text
    assert "77 ns" in text
    assert state.trace.name(2) in text
    assert "<script" not in text
    assert "http" not in text.replace("http://www.w3.org", "")


def test_kinds_of_pictures_for_a_dialog() -> None:
    assert dialog_filter() == "PNG (*.png);;SVG (*.svg);;Page (*.html)"


def test_a_filter_dims_or_leaves_out(trace_file: Path, tmp_path: Path, qapp: object) -> None:
    from PySide6.QtGui import QImage

    from hlprof_core.io.open import open_trace
    from hlprof_core.services import filter_mask, read_filter
    from hlprof_gui.cli_render import draw

    trace = open_trace(trace_file, use_cache=False)
    mask = filter_mask(trace, read_filter("relu"))
    pictures = []
    for name, chosen, hide in (("all", None, False), ("dim", mask, False), ("hide", mask, True)):
        draw(trace, tmp_path / f"{name}.png", (640, 320), None, "dark", chosen, is_hiding=hide)
        pictures.append(QImage(str(tmp_path / f"{name}.png")))
    assert len({bytes(p.constBits()) for p in pictures}) == 3
    draw(trace, tmp_path / "hide.svg", (640, 320), None, "dark", mask, is_hiding=True)
    text = (tmp_path / "hide.svg").read_text()
    assert "TPC 0" in text
    assert "MainThread" not in text, "rows without a match are left out"


def test_the_band_of_steps_has_its_place_in_pictures(theme: Any) -> None:
    trace = small_trace()
    state = ViewState()
    state.open(trace, build_levels(trace))
    state.set_steps(trace, (Step("one", trace.span),))
    view = arrange_offscreen(state, theme, (900, 400))
    assert view.legend.y() < view.overview.y() + view.overview.height() <= view.steps.y() == view.steps_title.y() < view.ruler.y()
    assert view.steps_title.height() == view.steps.height() > 0
    assert view.canvas.y() + view.canvas.height() == 400
