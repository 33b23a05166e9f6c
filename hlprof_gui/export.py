"""The kinds of pictures that can be written, by the ends of their names. Loads nothing, so that help can name them."""

from __future__ import annotations

PICTURES = {
    ".png": "PNG",
    ".svg": "SVG, its texts can be selected",
    ".html": "Page with the picture, the selection, statistics, notes and measures",
}


def dialog_filter() -> str:
    """The kinds for a file dialog."""
    return ";;".join(f"{title.partition(',')[0].partition(' with')[0]} (*{suffix})" for suffix, title in PICTURES.items())
