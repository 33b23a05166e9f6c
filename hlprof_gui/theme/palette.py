"""Named colours of the window, read from ``resources/themes/<name>.json``; no Qt here, colours are ``#rrggbb`` texts."""

from __future__ import annotations

import json

from msgspec import Struct

from hlprof_core import resource


class Palette(Struct, frozen=True):
    """Colours by what they are for."""

    name: str
    is_dark: bool
    window: str
    panel: str
    canvas: str
    row_even: str
    row_odd: str
    group: str
    grid: str
    border: str
    text: str
    text_dim: str
    accent: str
    accent_text: str
    selection: str
    match: str
    measure: str
    mark: str
    flow: str
    warning: str
    error: str
    good: str
    slice_text_dark: str
    slice_text_light: str
    slices: tuple[str, ...]
    """Fill colours for slices, told apart also by colour-blind people as far as their number allows."""
    lines: tuple[str, ...]
    """Colours for thin lines, as many: they stand off the background too, which on white fills need not."""


def load_palette(name: str) -> Palette:
    """The shipped theme ``dark`` or ``light``."""
    data = json.loads(resource.path("themes", f"{name}.json").read_text(encoding="utf-8"))
    data["slices"], data["lines"] = tuple(data["slices"]), tuple(data["lines"])
    return Palette(**{name: data[name] for name in Palette.__struct_fields__})
