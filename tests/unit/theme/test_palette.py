"""Both themes are legible, and slices are told apart by colour-blind people as far as twelve colours allow."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from hlprof_gui.theme.palette import Palette, load_palette
from hlprof_gui.theme.stylesheet import mix

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
