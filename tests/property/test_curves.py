"""The kernel that draws curves against the distance of each pixel from the line."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hlprof_core._kernels import curves as kernel
from hlprof_gui.timeline.curves import Curves

WIDTH, HEIGHT = 90, 60
PLACES = st.floats(-60, 130, width=32)
CURVES = st.tuples(PLACES, PLACES, PLACES, PLACES, st.floats(0, 40), st.floats(0, 20), st.floats(0.4, 4), st.just(0.0))


def cover_of(table: list[tuple[float, ...]]) -> np.ndarray:
    cover = np.full(WIDTH * HEIGHT, 7, np.uint8)
    kernel.cover_curves(cover, WIDTH, np.array(table, np.float64).reshape(-1, 8))
    return cover.reshape(HEIGHT, WIDTH)


def distances(curve: tuple[float, ...]) -> np.ndarray:
    """Of each pixel's middle from the curve, taken at very many points of it."""
    xs, ys = Curves(np.array([curve])).points(np.linspace(0, 1, 400))
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH] + 0.5
    off = np.full((HEIGHT, WIDTH), np.inf)
    for px, py in zip(xs[0].tolist(), ys[0].tolist(), strict=True):
        np.minimum(off, (x - px) ** 2 + (y - py) ** 2, out=off)
    return np.sqrt(off)


def tightest_bend(curve: tuple[float, ...]) -> float:
    """The least radius of its bends; nothing where it turns back on the spot."""
    xs, ys = Curves(np.array([curve])).points(np.linspace(0, 1, 400))
    dx, dy = np.gradient(xs[0]), np.gradient(ys[0])
    if (dx[1:] * dx[:-1] + dy[1:] * dy[:-1] <= 0).any():
        return 0.0
    with np.errstate(divide="ignore", over="ignore"):
        return float((np.hypot(dx, dy) ** 3 / np.abs(dx * np.gradient(dy) - dy * np.gradient(dx))).min())


@settings(max_examples=50, deadline=None)
@given(CURVES)
def test_pixels_on_the_line_are_covered_and_those_away_from_it_are_not(curve: tuple[float, ...]) -> None:
    # Where a line bends within its own width the tip of the bend is cut off.
    assume(tightest_bend(curve) >= curve[6])
    cover, off, half = cover_of([curve]), distances(curve), curve[6]
    inner, outer = off < half - 1.3, off > half * 1.5 + 2.6
    # What is cut into straight pieces and steps may be off by a pixel and a trace of one; more than that is a hole or a smear.
    assert (cover[inner] >= 96).all()
    assert (cover[outer] < 64).all()


@settings(max_examples=40, deadline=None)
@given(st.lists(CURVES, max_size=5))
def test_of_several_curves_the_largest_cover_counts(table: list[tuple[float, ...]]) -> None:
    single = [cover_of([curve]) for curve in table]
    assert (cover_of(table) == np.max(single, axis=0, initial=0)).all() if single else not cover_of([]).any()


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 255), max_size=90), st.integers(0, 0xFFFFFF), st.integers(1, 255))
def test_colours_follow_the_cover(cover: list[int], under: int, alpha: int) -> None:
    rim, line = 0x80000000, alpha << 24 | alpha << 8
    plane = np.array(cover, np.uint8)
    pixels = np.full(len(cover), 0xFF000000 | under, np.uint32)
    kernel.blend_cover(plane, rim, line, pixels[None])
    alone = np.zeros(len(cover), np.uint32)
    kernel.blend_cover(plane, rim, line, alone[None])
    for value, blended, drawn in zip(cover, pixels.tolist(), alone.tolist(), strict=True):
        top = max(value - 128, 0) / 127 * alpha
        rest = min(value, 127) / 127 * 128
        opacity = top + rest * (1 - top / 255)
        assert abs((drawn >> 24) - opacity) <= 3
        assert abs((drawn >> 8 & 255) - top) <= 3
        for shift in (0, 8, 16):
            wanted = (drawn >> shift & 255) + (under >> shift & 255) * (1 - opacity / 255)
            assert abs((blended >> shift & 255) - wanted) <= 4
        if not value:
            assert (blended, drawn) == (0xFF000000 | under, 0)


def test_a_head_points_right_and_is_as_long_as_told() -> None:
    cover = cover_of([(10.0, 30.0, 60.0, 30.0, 16.0, 0.0, 0.7, 12.0)])
    ink = cover >= 128
    tall = ink.sum(axis=0)
    assert tall[48:58].max() >= 10
    assert (np.diff(tall[49:60]) <= 0).all()
    assert not ink[:, 61:].any()


@pytest.mark.parametrize(
    ("size", "width", "numbers"),
    [(100, 0, 8), (100, 7, 8), (100, 10, 7), (100, -3, 8)],
    ids=["no width", "no rows", "part of a curve", "negative"],
)
def test_sizes_must_fit(size: int, width: int, numbers: int) -> None:
    with pytest.raises(ValueError, match="sizes"):
        kernel.cover_curves(np.zeros(size, np.uint8), width, np.zeros(numbers))


def test_numbers_that_are_none_draw_nothing() -> None:
    assert not cover_of([(np.nan, 0, 10, 10, 16, 0, 1, 7), (0, 0, np.inf, 10, 16, 0, 1, 7), (1e300, 0, 10, 10, 16, 0, 1, 7)]).any()
    assert not cover_of([(0, 0, 10, 10, 16, 0, -1, 7), (0, 0, 10, 10, 16, 0, 1, 1e9)]).any()
