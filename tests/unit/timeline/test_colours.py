"""Colours of slices: stable, told apart, and with a text that can be read."""

from __future__ import annotations

import pytest

from hlprof_core.trace.strings import Strings
from hlprof_gui.theme.palette import load_palette
from hlprof_gui.timeline import colours
from tests.small_trace import small_trace


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_text_on_a_slice_is_readable(theme: str) -> None:
    palette = load_palette(theme)
    fills, texts = colours.fill_palette(palette), colours.text_palette(palette)
    for fill, text in zip(fills.tolist(), texts.tolist(), strict=True):
        assert colours.contrast(fill, text) >= 4.5


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_slices_stand_off_the_background(theme: str) -> None:
    palette = load_palette(theme)
    background = colours.argb(palette.canvas)
    assert min(colours.contrast(c, background) for c in colours.fills(palette)) >= 1.4


def test_a_name_has_the_same_colour_in_every_trace() -> None:
    a = colours.string_colours(Strings.of(["", "gemm_7", "relu"]), 36)
    b = colours.string_colours(Strings.of(["", "copy", "relu", "gemm_12"]), 36)
    assert a[1] == b[3]
    assert a[2] == b[2]


def test_colours_by_engine_and_category() -> None:
    trace = small_trace()
    by_engine = colours.slice_colours(trace, "engine", 36)
    for track in range(len(trace.tracks)):
        assert len(set(by_engine[trace.slices.track == track].tolist())) <= 1
    assert len(set(by_engine.tolist())) > 1
    assert colours.slice_colours(trace, "category", 36).shape == by_engine.shape
