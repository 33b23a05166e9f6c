"""Markdown in a panel: names break between their parts, numbers do not, nothing is smeared, copies are clean."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtGui import QFont, QGuiApplication, QTextDocument
from pytestqt.qtbot import QtBot

from hlprof_core.report.markdown import escape
from hlprof_gui.theme.theme import Theme
from hlprof_gui.widgets.rich_text import RichText, styled_document

TEXT = """# run.json

> **Warning** data-loss: 3 events left out.

| operation | kernel | total |
| --- | --- | ---: |
| top\\_mlp/fc2/backward/weight | optimizer\\_sparse\\_adagrad\\_with\\_valid\\_count\\_2d\\_f32 | 7.196\N{NO-BREAK SPACE}ms |
"""


@pytest.fixture
def panel(qtbot: QtBot, qapp: Any) -> RichText:
    panel = RichText()
    qtbot.addWidget(panel)
    panel.setDocument(styled_document(TEXT, Theme("dark"), panel))
    panel.resize(300, 400)
    panel.show()
    qtbot.waitExposed(panel)
    return panel


def lines_of(document: QTextDocument, start: str) -> list[str]:
    """The lines into which the paragraph that begins so is broken."""
    block = document.begin()
    while block.isValid() and not block.text().startswith(start):
        block = block.next()
    layout, text = block.layout(), block.text()
    places = [layout.lineAt(i) for i in range(layout.lineCount())]
    return [text[line.textStart() : line.textStart() + line.textLength()].strip("\N{ZERO WIDTH SPACE}") for line in places]


def test_names_break_between_their_parts_and_numbers_never(panel: RichText) -> None:
    document = panel.document()
    assert lines_of(document, "7.196") == ["7.196\N{NO-BREAK SPACE}ms"]
    kernel = lines_of(document, "optimizer")
    assert len(kernel) > 1
    assert all(line.endswith("_") for line in kernel[:-1])
    assert panel.horizontalScrollBar().maximum() == 0


def test_bold_is_the_weight_that_the_font_has(panel: RichText) -> None:
    block, weights = panel.document().begin(), set()
    while block.isValid():
        weights |= {part.fragment().charFormat().fontWeight() for part in block}
        block = block.next()
    assert max(weights) == QFont.Weight.DemiBold


def test_what_is_laid_out_stays_so_when_it_is_shown(qtbot: QtBot, qapp: Any) -> None:
    panel = RichText()
    qtbot.addWidget(panel)
    document = styled_document(TEXT, Theme("dark"), panel)
    wrapping = document.defaultTextOption().wrapMode()
    panel.setDocument(document)
    assert document.defaultTextOption().wrapMode() == wrapping, "Qt lays it out anew for another"


def test_a_copy_has_the_names_as_they_are(panel: RichText) -> None:
    panel.selectAll()
    panel.copy()
    data = QGuiApplication.clipboard().mimeData()
    assert "optimizer_sparse_adagrad_with_valid_count_2d_f32" in data.text()
    assert "top_mlp/fc2/backward/weight" in data.text()
    assert "\N{ZERO WIDTH SPACE}" not in data.html()


@pytest.mark.parametrize("name", ["std::array<char*,2ul>::" * 4, "x" * 5000, "&amp;" * 20, "a\\|b~~" * 20])
def test_names_without_parts_break_too_and_are_as_they_are(name: str, qtbot: QtBot, qapp: Any) -> None:
    row = f"[{escape(name)}](filter%3Aname%3D%3D{'y' * 60}) | 1.000\N{NO-BREAK SPACE}ms"
    panel = RichText()
    qtbot.addWidget(panel)
    panel.setDocument(styled_document(f"| operation | total |\n| --- | ---: |\n| {row} |\n", Theme("dark"), panel))
    panel.resize(300, 400)
    panel.show()
    qtbot.waitExposed(panel)
    assert panel.horizontalScrollBar().maximum() == 0
    panel.selectAll()
    panel.copy()
    copied = QGuiApplication.clipboard().mimeData()
    assert (name if len(name) < 300 else "x" * 299 + "…") in copied.text()
    assert "y" * 60 in copied.html()
    assert lines_of(panel.document(), "1.000") == ["1.000\N{NO-BREAK SPACE}ms"]
