"""Names and values of a trace may have millions of letters; on the screen is their beginning, and what is copied has them whole."""

from __future__ import annotations

import re

MAY_BREAK = "\N{ZERO WIDTH SPACE}"
LONG_WORD = re.compile(r"\S{25,}")
"""Of such words, names of kernels above all, not every one fits in a narrow panel."""
IN_LINE, IN_BLOCK = 300, 2_000
"""Letters of a text in one line, and of one that may wrap. Qt measures all of a text before it draws the part that fits."""


def beginning_of(text: str, most: int = IN_LINE) -> str:
    """The text, or its beginning and an ellipsis: ``most`` letters then."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def breakable(text: str) -> str:
    """The text with places to break in all long words."""
    return LONG_WORD.sub(lambda word: MAY_BREAK.join(word[0]), text)


def drawable(text: str) -> str:
    """The text for a line that is painted: breaks, tabs and marks that turn the direction of writing are spaces there."""
    return text if text.isprintable() else "".join(letter if letter.isprintable() else " " for letter in text)


def one_line(text: str, most: int = IN_LINE) -> str:
    """The same without breaks and tabs."""
    return " ".join(beginning_of(text, most).split())
