"""Names with anything in them: pages stay pages, and what cannot be shown has a sign."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET

import pytest

from hlprof_core.report.answer import write_table
from hlprof_core.report.document import Column, Document, Section, Table
from hlprof_core.report.html import render_html
from hlprof_core.report.markdown import render_markdown
from hlprof_core.report.text import render_text
from hlprof_core.report.visible import visible, visible_lines

ODD = "a\x00\x01\x1b[31m\x7f\x9f\ud800\ufffe\nb\tc"
PAGE = Document(
    ODD, ODD, (ODD,), (Section(ODD, (ODD,), Table((Column(ODD, "left"), Column("share", "bar")), ((ODD, 0.5), ("x\ny", 0.1)), ODD)),)
)  # fmt: skip


def test_each_sign_stands_for_one_character() -> None:
    assert visible(ODD) == "a␀␁␛[31m␡\ufffd\ufffd\ufffd␊b␉c"
    assert len(visible(ODD)) == len(ODD)
    assert visible_lines(ODD) == "a␀␁␛[31m␡\ufffd\ufffd\ufffd\nb\tc"
    fine = "größe 层 👩‍👩‍👧 1\u202f000"
    assert visible(fine) == fine


@pytest.mark.parametrize("page", [render_text(PAGE, width=200), render_markdown([PAGE]), render_html([PAGE])], ids=["text", "md", "html"])
def test_pages_hold_what_can_be_shown(page: str) -> None:
    assert not {c for c in page if (ord(c) < 32 and c not in "\n\t") or 0x7F <= ord(c) < 0xA0 or 0xD800 <= ord(c) < 0xE000}
    page.encode("utf-8")
    assert "x␊y" in page or page.startswith("<!DOCTYPE"), "a name is on one line, to which a browser brings it"


def test_a_picture_of_odd_names_is_well_formed() -> None:
    assert ET.fromstring(visible_lines(f"<svg><text>{ODD}</text></svg>")).findtext("text") == visible_lines(ODD)


def test_an_answer_is_a_table_whatever_is_in_it() -> None:
    out = io.StringIO()
    write_table(("name",), [(ODD,)], out)
    assert out.getvalue().splitlines()[2:] == [visible(ODD.replace("\n", " "))]
