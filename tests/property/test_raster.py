"""The raster kernel against a pixel by pixel reading of the slices."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hlprof_core._kernels import columns as kernel
from hlprof_core.levels.pyramid import Pyramid, build_pyramid
from hlprof_core.levels.viewport import NO_SLICE, Columns, CounterLevels, Ink, Strips, draw_strips
from hlprof_core.trace.ranges import TimeRange

PALETTE = np.array([0xFF000000 | (i * 7919 & 0xFFFFFF) for i in range(256)], np.uint32)


def lane_of(gaps: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    starts, lengths, time = [], [], 0
    for gap, length in gaps:
        starts.append(time + gap)
        lengths.append(length)
        time += gap + length
    return np.array(starts, np.int64), np.array(lengths, np.int64)


def finest(start: np.ndarray, length: np.ndarray) -> Pyramid:
    """Only the slices themselves."""
    full = build_pyramid(start, length, np.array([0, len(start)], np.int64))
    return Pyramid(full.levels[:1])


def by_hand(start: np.ndarray, length: np.ndarray, window: TimeRange, width: int) -> list[tuple[float, set[int], int, int]]:
    """For each pixel: covered time, the slices that cover most of it, number of slices, how many only touch its border."""
    per = window.length_ns / width
    pixels = []
    for x in range(width):
        a, b = window.start_ns + x * per, window.start_ns + (x + 1) * per
        covers, touching = {}, 0
        for i, (s, d) in enumerate(zip(start.tolist(), length.tolist(), strict=True)):
            if s >= window.end_ns:
                continue
            cover = min(s + d, b) - max(s, a)
            if cover > 1e-9 or (d == 0 and a <= s < b):
                covers[i] = max(cover, 0.0)
            touching += abs(cover) <= 1e-9 and (d > 0 or min(abs(s - a), abs(s - b)) <= 1e-9)
        most = max(covers.values(), default=0.0)
        pixels.append((sum(covers.values()), {i for i, c in covers.items() if c >= most - 1e-3}, len(covers), touching))
    return pixels


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 60)), min_size=1, max_size=40),
    st.integers(-50, 600),
    st.integers(1, 900),
    st.integers(1, 40),
)
def test_pixels_show_what_covers_them(gaps: list[tuple[int, int]], begin: int, span: int, width: int) -> None:
    start, length = lane_of(gaps)
    window = TimeRange(begin, begin + span)
    pixels, columns = np.full((1, width), 0xFF102030, np.uint32), Columns.empty(1, width)
    ink = Ink((np.arange(len(start)) % 256).astype(np.uint8), PALETTE)
    draw_strips(finest(start, length), Strips.single(np.array([0])), window, ink, pixels, columns=columns, bordered=False)
    per = span / width
    for x, (covered, best, count, touching) in enumerate(by_hand(start, length, window, width)):
        got = int(columns.best[0, x])
        assert columns.share[0, x] == pytest.approx(min(covered / per, 1.0), abs=2e-3)
        # What touches a border may be in either pixel: whole numbers are divided there.
        if touching and covered <= 1e-9:
            assert abs(int(columns.count[0, x]) - count) <= touching
        elif count == 0:
            assert got == NO_SLICE
            assert pixels[0, x] == 0xFF102030
        else:
            assert got in best
            assert abs(int(columns.count[0, x]) - count) <= touching
            fill, part = int(PALETTE[got]), 0.4 + 0.6 * min(covered / per, 1.0)
            for shift in (0, 8, 16):
                wanted = (0x102030 >> shift & 255) * (1 - part) + (fill >> shift & 255) * part
                assert abs((int(pixels[0, x]) >> shift & 255) - wanted) <= 3


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(0.02, 1.0), st.integers(20, 300))
def test_nothing_disappears_at_any_level(seed: int, share: float, width: int) -> None:
    rng = np.random.default_rng(seed)
    length = rng.integers(0, 30, 4000)
    start = np.cumsum(rng.choice([0, 3, 50, 4000], 4000) + np.concatenate(([0], length[:-1]))).astype(np.int64)
    whole = build_pyramid(start, length, np.array([0, 4000], np.int64))
    total = int(start[-1] + length[-1])
    begin = int(rng.integers(0, total))
    window = TimeRange(begin, begin + max(width, int(total * share)))
    ink = Ink(np.zeros(4000, np.uint8), PALETTE)
    got, fine = Columns.empty(1, width), Columns.empty(1, width)
    for pyramid, columns in ((whole, got), (finest(start, length), fine)):
        draw_strips(pyramid, Strips.single(np.array([0])), window, ink, np.zeros((1, width), np.uint32), columns=columns)
    drawn, exact = got.best[0] != NO_SLICE, fine.best[0] != NO_SLICE
    near = exact | np.roll(exact, 1) | np.roll(exact, -1)
    assert not (drawn & ~near).any(), "something is drawn where nothing is within a pixel"
    near = drawn | np.roll(drawn, 1) | np.roll(drawn, -1)
    assert not (exact & ~near).any(), "a slice vanished"
    total_share = float(fine.share.sum())
    assert float(got.share.sum()) == pytest.approx(total_share, abs=2.0 + 0.02 * total_share)


def test_several_lanes_give_their_average() -> None:
    start, length = np.array([0, 0], np.int64), np.array([100, 50], np.int64)
    pyramid = build_pyramid(start, length, np.array([0, 1, 2], np.int64))
    strips = Strips(np.array([0, 2], np.int64), np.array([0, 1], np.int64))
    columns = Columns.empty(1, 10)
    draw_strips(pyramid, strips, TimeRange(0, 100), Ink(np.array([1, 2], np.uint8), PALETTE), np.zeros((1, 10), np.uint32), columns=columns)
    assert columns.share[0].tolist() == pytest.approx([1.0] * 5 + [0.5] * 5)
    assert columns.count[0].tolist() == [2] * 5 + [1] * 5


def test_boxes_are_the_wide_slices_clipped_to_the_window() -> None:
    start, length = np.array([0, 100, 110], np.int64), np.array([100, 5, 90], np.int64)
    pixels = np.zeros((1, 200), np.uint32)
    ink = Ink(np.zeros(3, np.uint8), PALETTE)
    boxes = draw_strips(finest(start, length), Strips.single(np.array([0])), TimeRange(50, 150), ink, pixels, min_label=20)
    assert boxes.tolist() == [[0, 0, 100, 0], [0, 120, 200, 2]]


def test_wrong_sizes_are_refused() -> None:
    pyramid = build_pyramid(np.zeros(1, np.int64), np.ones(1, np.int64), np.array([0, 1], np.int64))
    ink = Ink(np.zeros(1, np.uint8), PALETTE)
    with pytest.raises(ValueError, match="sizes"):
        draw_strips(pyramid, Strips.single(np.array([1])), TimeRange(0, 10), ink, np.zeros((1, 5), np.uint32))
    with pytest.raises(ValueError, match="sizes"):
        draw_strips(pyramid, Strips.single(np.array([0])), TimeRange(0, 10), ink, np.zeros((2, 5), np.uint32))
    with pytest.raises(ValueError, match="sizes"):
        draw_strips(pyramid, Strips.single(np.array([0])), TimeRange(10, 10), ink, np.zeros((1, 5), np.uint32))
    with pytest.raises(ValueError, match="sizes"):
        kernel.blit_labels(np.zeros((4, 4), np.uint32), np.zeros((4, 4), np.uint8), 4, 4, np.array([0, 0, 3, 0, 4, 0], np.int32))


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(-20, 20)), max_size=300),
    st.integers(-20, 500),
    st.integers(1, 3000),
    st.integers(1, 30),
)
def test_counters_show_lowest_and_highest_in_each_pixel(samples: list[tuple[int, int]], begin: int, span: int, width: int) -> None:
    time = np.cumsum([s[0] for s in samples] or [0])[: len(samples)].astype(np.int64)
    value = np.array([s[1] for s in samples], float)
    window = TimeRange(begin, begin + span)
    low, high = CounterLevels(time, value).columns(0, len(time), window, width)
    per = span / width
    for x in range(width):
        a = begin + math.ceil(x * per)
        b = begin + span if x + 1 == width else begin + math.ceil((x + 1) * per)
        seen = [v for t, v in zip(time.tolist(), value.tolist(), strict=True) if a <= t < b]
        before = [v for t, v in zip(time.tolist(), value.tolist(), strict=True) if t < a]
        if before and not (a < b and (time == a).any()):
            seen.append(before[-1])
        if seen:
            assert (low[x], high[x]) == (min(seen), max(seen))
        else:
            assert math.isnan(low[x])
            assert math.isnan(high[x])


def test_labels_are_blended_and_clipped() -> None:
    whole = np.full((6, 10), 0xFF000000, np.uint32)
    pixels = whole[1:5, 2:8]
    atlas = np.array([[255, 128, 0, 255], [255, 255, 255, 255]], np.uint8)
    ink = np.array([0xFFFFFFFF], np.uint32).view(np.int32)[0]
    quads = np.array([[1, 1, 0, 0, 3, ink], [-1, 3, 0, 0, 4, ink], [5, -1, 0, 0, 4, ink]], np.int32)
    kernel.blit_labels(pixels, atlas, 4, 2, quads)
    assert pixels[1].tolist() == [0xFF000000, 0xFFFFFFFF, 0xFF808080, 0xFF000000, 0xFF000000, 0xFF000000]
    assert pixels[3, 0] == 0xFF808080
    assert pixels[3, 2] == 0xFFFFFFFF
    assert pixels[0].tolist() == [0xFF000000] * 5 + [0xFFFFFFFF]
    pixels[:] = 0xFF000000
    assert (whole == 0xFF000000).all(), "nothing beside the picture is touched"


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(-5, 90), st.integers(0, 90)), max_size=20), st.integers(0, 3), st.integers(5, 60))
def test_names_go_where_they_fit_and_end_in_dots_where_not(places: list[tuple[int, int, int]], pad: int, widest: int) -> None:
    letters = {1: [7, 15, 22], 2: [5] * 9, 3: [30, 60]}
    cuts = {name: [0, *np.cumsum(widths).tolist()] if name == 2 else [0, *widths] for name, widths in letters.items()}
    key, dots, narrowest = 100, (1, 2, 6), 7
    x, y = np.array([-1, 10, 20, 30, 40], np.int32), np.array([0, 1, 2, 3, 4], np.int32)
    width = np.array([0, 22, 45, 60, 0], np.int32)
    serial = np.array([0, 0, 1, 2, 3])
    every = np.array([serial[name] * key + cut for name in (1, 2, 3) for cut in cuts[name]] + [3 * key], np.int64)
    boxes = np.array([(k % 2, left, left + length, k) for k, (_, left, length) in enumerate(places)], np.int32).reshape(-1, 4)
    names, ink = np.array([name for name, _, _ in places], np.uint32), np.arange(len(places), dtype=np.uint32)
    quads = np.full((2 * len(places), 6), 7, np.int32)
    parts = (boxes, names, np.array([50, 60]), ink, x, y, width, serial, every, np.array(dots, np.int32), quads)
    used, absent = kernel.place_labels(parts, pad, widest, narrowest, key)
    wanted = []
    for k, (name, left, length) in enumerate(places):
        room, top = min(length - 2 * pad, widest), (50, 60)[k % 2]
        if name in (0, 4):
            continue
        if width[name] <= room:
            wanted.append([left + pad, top, x[name], y[name], width[name], k])
            continue
        shown = max(cut for cut in cuts[name] if cut <= max(room - dots[2], 0))
        if shown >= narrowest:
            wanted += [[left + pad, top, x[name], y[name], shown, k], [left + pad + shown, top, *dots, k]]
    assert quads[:used].tolist() == wanted
    assert absent == sum(name == 0 for name, _, _ in places)


def test_lines_go_where_the_map_says() -> None:
    lines = np.arange(15, dtype=np.uint32).reshape(3, 5)
    whole = np.full((6, 9), 99, np.uint32)
    picture, line_map = whole[1:5, 2:7], np.array([2, 0, 0, 1])
    kernel.place_lines(lines, line_map, picture)
    assert (picture == lines[line_map]).all()
    picture[:] = 99
    assert (whole == 99).all(), "nothing beside the picture is touched"
    for wrong in (np.array([0, 0, 0, 3]), np.array([0, 0, 0, -1]), np.array([0, 0, 0])):
        with pytest.raises(ValueError, match="sizes"):
            kernel.place_lines(lines, wrong, picture)
    with pytest.raises(TypeError, match="lines of 4-byte pixels"):
        kernel.place_lines(lines, line_map, whole[1:5, :5:2])
