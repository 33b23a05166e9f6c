"""Both themes are legible, and slices are told apart by colour-blind people as far as twelve colours allow."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from hlprof_gui.theme.palette import Palette, load_palette
from hlprof_gui.theme.stylesheet import disabled_icon, disabled_text, mix
from hlprof_gui.timeline import colours
from hlprof_gui.timeline.frame import DIMMED

LMS = np.array(
    [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566], [0.0883024619, 0.2817188376, 0.6299787005]]
)
LAB = np.array(
    [[0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099], [0.0259040371, 0.7827717662, -0.8086757660]]
)
SIGHT = {
    "full": np.eye(3),
    "deutan": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]),
    "protan": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]),
}
"""What dichromats see of linear RGB (Machado, Oliveira and Fernandes 2009, severity 1)."""
LEAST_DISTANCE = 0.06
"""In OKLab; a just noticeable difference is near 0.02."""


def linear(color: str) -> np.ndarray:
    v = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(v <= 0.04045, v / 12.92, ((v + 0.055) / 1.055) ** 2.4)


def contrast(a: str, b: str) -> float:
    light, dark = sorted((float(linear(c) @ [0.2126, 0.7152, 0.0722]) for c in (a, b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def oklab(color: str, sight: np.ndarray) -> np.ndarray:
    return np.cbrt(np.clip(sight @ linear(color), 0, 1) @ LMS.T) @ LAB.T


@pytest.fixture(params=["dark", "light"])
def palette(request: pytest.FixtureRequest) -> Palette:
    return load_palette(request.param)


def test_texts_have_contrast(palette: Palette) -> None:
    grounds = ["window", "panel", "canvas", "row_even", "row_odd", "group"]
    low = [
        (text, ground, round(contrast(getattr(palette, text), getattr(palette, ground)), 2))
        for text in ("text", "text_dim", "accent", "warning", "error", "good")
        for ground in grounds
        if contrast(getattr(palette, text), getattr(palette, ground)) < 4.5
    ]
    assert low == []
    assert contrast(palette.accent_text, palette.accent) >= 4.5
    for level in ("error", "warning", "accent"):
        ground = mix(palette.panel, getattr(palette, level), 0.16)
        assert contrast(palette.text, ground) >= 4.5, "messages"
        assert contrast(getattr(palette, level), ground) >= 4.5, "badges"
    assert contrast(palette.text, mix(palette.panel, palette.accent, 0.24)) >= 4.5, "chosen rows"


def test_labels_are_legible_on_every_slice(palette: Palette) -> None:
    for fill in palette.slices:
        assert max(contrast(fill, palette.slice_text_dark), contrast(fill, palette.slice_text_light)) >= 4.5, fill


def test_overlays_stand_out(palette: Palette) -> None:
    for name in ("selection", "match", "measure", "mark", "flow"):
        assert contrast(getattr(palette, name), palette.canvas) >= 3, name


@pytest.mark.parametrize("sight", SIGHT)
def test_slices_are_told_apart(palette: Palette, sight: str) -> None:
    seen = {c: oklab(c, SIGHT[sight]) for c in palette.slices}
    near = [(a, b) for a, b in itertools.combinations(seen, 2) if np.linalg.norm(seen[a] - seen[b]) < LEAST_DISTANCE]
    assert near == []


def pairs(p: Palette) -> dict[str, tuple[str, str, float]]:
    """Text, what it stands on and the contrast it needs, for all that is drawn by hand: (WCAG AA, 3 for what cannot be used now)."""
    hover, pressed, chosen = (mix(p.panel, color, share) for color, share in ((p.text, 0.08), (p.text, 0.16), (p.accent, 0.24)))
    return {
        "tag of a measure": (p.canvas, p.measure, 4.5),
        "tag of a note": (p.canvas, p.mark, 4.5),
        "tag of the chosen time": (p.accent_text, p.accent, 4.5),
        "selected text in a field": (p.accent_text, p.accent, 4.5),
        "time at the pointer": (p.text, p.group, 4.5),
        "values at the pointer": (p.text_dim, p.panel, 4.5),
        "header under the pointer": (p.text, p.border, 4.5),
        "tip": (p.text, p.group, 4.5),
        "button under the pointer": (p.text, hover, 4.5),
        "dim text of a row under the pointer": (p.text_dim, hover, 4.5),
        "pressed button": (p.text, pressed, 4.5),
        "chosen row": (p.text, chosen, 4.5),
        "even step": (p.text, mix(p.panel, p.accent, 0.30), 4.5),
        "odd step": (p.text, mix(p.panel, p.accent, 0.16), 4.5),
        "what is wrong with a filter": (p.text, mix(p.panel, p.error, 0.16), 4.5),
        "axis of a plot": (p.text_dim, p.canvas, 4.5),
        "text that cannot be used": (disabled_text(p), p.panel, 3.0),
        "text of a menu that cannot be used": (p.text_dim, p.panel, 4.5),
        "text of a button that cannot be used": (p.text_dim, p.group, 4.5),
        "icon": (p.text, p.window, 4.5),
        "icon that is on": (p.accent, chosen, 3.0),
        "icon that cannot be used": (disabled_icon(p), p.window, 2.0),
        "frame of the overview": (p.accent, p.canvas, 3.0),
        "border of pinned rows": (p.accent, p.canvas, 3.0),
    }


def test_everything_drawn_has_contrast(palette: Palette) -> None:
    low = {name: round(contrast(a, b), 2) for name, (a, b, least) in pairs(palette).items() if contrast(a, b) < least}
    assert low == {}


def test_slices_that_a_filter_dims_stay_legible(palette: Palette) -> None:
    for fill in (*colours.fills(palette), *colours.ramp_fills(palette)):
        for row in (palette.row_even, palette.row_odd):
            ground = mix(row, f"#{fill & 0xFFFFFF:06x}", DIMMED)
            assert contrast(palette.text_dim, ground) >= 3, f"{fill:x}"


def test_lines_stand_off_the_background(palette: Palette) -> None:
    grounds = palette.canvas, palette.row_even, palette.row_odd
    assert {line: contrast(line, g) for line in palette.lines for g in grounds if contrast(line, g) < 3} == {}
    assert len(palette.lines) == len(palette.slices) == colours.FAMILIES


@pytest.mark.parametrize("sight", SIGHT)
def test_lines_are_told_apart(palette: Palette, sight: str) -> None:
    seen = {c: oklab(c, SIGHT[sight]) for c in palette.lines}
    near = [(a, b) for a, b in itertools.combinations(seen, 2) if np.linalg.norm(seen[a] - seen[b]) < LEAST_DISTANCE]
    assert near == []


@pytest.mark.parametrize("sight", SIGHT)
def test_marks_on_the_timeline_are_told_apart(palette: Palette, sight: str) -> None:
    """Selection, match, measure, note, arrow and chosen time; also in the eyes of dichromats."""
    names = ("selection", "match", "measure", "mark", "flow", "accent")
    seen = {name: oklab(getattr(palette, name), SIGHT[sight]) for name in names}
    near = {(a, b): round(float(np.linalg.norm(seen[a] - seen[b])), 3) for a, b in itertools.combinations(seen, 2)}
    assert {pair: d for pair, d in near.items() if d < LEAST_DISTANCE} == {}


@pytest.mark.parametrize("sight", SIGHT)
def test_short_and_long_durations_are_told_apart(palette: Palette, sight: str) -> None:
    """Colours two decades apart differ: the ramp is one of lightness too."""
    ramp = [oklab(f"#{fill & 0xFFFFFF:06x}", SIGHT[sight]) for fill in colours.ramp_fills(palette)]
    apart = 2 * colours.STEPS_A_DECADE
    assert min(np.linalg.norm(ramp[i + apart] - ramp[i]) for i in range(len(ramp) - apart)) >= LEAST_DISTANCE
