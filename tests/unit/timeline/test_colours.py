"""Colours of slices: stable, told apart, and with a text that can be read."""

from __future__ import annotations

import numpy as np
import pytest

from hlprof_core.trace.builder import TraceBuilder
from hlprof_core.trace.model import Origin
from hlprof_core.trace.strings import Strings
from hlprof_gui.state.view_state import COLOUR_WAYS, ColourBy
from hlprof_gui.theme.palette import load_palette
from hlprof_gui.timeline import colours
from tests.small_trace import small_trace


@pytest.mark.parametrize("by", COLOUR_WAYS)
@pytest.mark.parametrize("theme", ["dark", "light"])
def test_text_on_a_slice_is_readable(theme: str, by: ColourBy) -> None:
    palette = load_palette(theme)
    colouring = colours.build_colouring(small_trace(), palette, by)
    fills, texts = colouring.ink.palette, colouring.text
    for fill, text in zip(fills.tolist(), texts.tolist(), strict=True):
        assert colours.contrast(fill, text) >= 4.5


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_slices_stand_off_the_background(theme: str) -> None:
    palette = load_palette(theme)
    background = colours.argb(palette.canvas)
    assert min(colours.contrast(c, background) for c in colours.fills(palette) + colours.ramp_fills(palette)) >= 1.4


def test_durations_of_one_order_share_a_colour_in_every_trace() -> None:
    steps = colours.duration_steps(np.array([0, 1, 99, 150, 1_000, 1_100, 10_000, 10**9, 10**12]))
    assert steps[0] == steps[1] == steps[2] == steps[3] == 0
    assert steps[4] == steps[5] == 2
    assert (np.diff(steps.astype(int)) >= 0).all()
    assert steps[-1] < colours.STEPS


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


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_every_theme_has_as_many_colours(theme: str) -> None:
    assert len(colours.fills(load_palette(theme))) == colours.COLOURS


def test_colours_are_worked_out_once_a_trace() -> None:
    trace = small_trace()
    assert colours.known_colours(trace, "name") is colours.known_colours(trace, "name")
    assert (colours.known_colours(trace, "name") == colours.slice_colours(trace, "name", colours.COLOURS)).all()


def test_values_have_different_colours_as_long_as_there_are_enough() -> None:
    types = ("bf16", "f32", "f16", "fp8", "int8", "int32", "int64")
    numbers = colours.value_colours(types, 36)
    assert len(set(numbers.tolist())) == len(types), "also where only digits differ"
    again = colours.value_colours(types[::-1], 36)[::-1]
    assert (numbers == again).all(), "whatever their order"
    many = [f"v{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(60)]
    assert (colours.value_colours(many, 36) == colours.string_colours(Strings.of(many), 36)).all()


def test_categories_are_told_apart() -> None:
    b = TraceBuilder()
    for n, cat in enumerate(("dma", "nic", "tpc", "api", "data", "gemm")):
        b.slice("p", 1, n * 10, 5, "x", cat=cat)
    by_category = colours.slice_colours(b.finish(Origin("test")), "category", 36)
    assert len(set(by_category.tolist())) == 6
