"""Pages in both themes: what was light gets dark while it is on the screen, and a page that went does not hear of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pytestqt.qtbot import QtBot


@pytest.mark.parametrize("page_id", ["target", "when", "units", "run"])
def test_pages_follow_the_theme(make_page: Callable[..., Any], page_context: Any, theme: Any, page_id: str) -> None:
    page_context.model.set("hw.arch", "gaudi2")
    page_context.model.set("hw.phase", "enq")
    page = make_page(page_id)
    seen = {}
    for choice in ("dark", "light", "dark"):
        theme.use(choice)
        theme.finish()
        picture = page.grab().toImage()
        lightness = sum(picture.pixelColor(x, y).lightness() for x in range(0, picture.width(), 16) for y in range(0, picture.height(), 16))
        seen[choice] = lightness / (picture.width() * picture.height() / 256)
    assert seen["dark"] < 110 < 150 < seen["light"]


def test_a_page_that_went_is_not_told(make_page: Callable[..., Any], page_context: Any, theme: Any, qtbot: QtBot) -> None:
    gone: list[str] = []
    for page_id in ("target", "when", "units", "run"):
        page = make_page(page_id)
        page.destroyed.connect(lambda *_, page_id=page_id: gone.append(page_id))
        page.deleteLater()
        qtbot.waitUntil(lambda page_id=page_id: page_id in gone)
    theme.use("light")
    theme.finish()
    page_context.model.set("hw.arch", "gaudi3")
    theme.use("dark")
    theme.finish()
