"""Which colour a slice has, a stable choice by what the user wants to tell apart, and a text colour that can be read on it. Knows no Qt."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from weakref import WeakKeyDictionary

import numpy as np
from msgspec import Struct

from hlprof_core._kernels import levels as kernel
from hlprof_core.analysis.memo import per_trace
from hlprof_core.levels.viewport import Ink
from hlprof_core.trace.engines import CLASSES
from hlprof_core.trace.model import Trace
from hlprof_core.trace.strings import Strings
from hlprof_core.trace.table import I1, I8, U4
from hlprof_gui.state.view_state import ColourBy, ColourGroups
from hlprof_gui.theme.palette import Palette

FAMILIES, COLOURS = 12, 36
"""So many colours every theme has, and so many fills with their shades, to tell names apart."""


class Colouring(Struct, frozen=True, eq=False):
    """``ink`` fills the slices; ``text`` is for each of its 256 colours the one that reads on it."""

    ink: Ink
    text: U4


def argb(colour: str) -> int:
    """``#rrggbb`` as 0xffRRGGBB."""
    return 0xFF000000 | int(colour[1:], 16)


@lru_cache(4096)
def luminance(colour: int) -> float:
    """Relative luminance of a colour as WCAG defines it, 0..1."""

    def linear(value: int) -> float:
        x = value / 255
        return x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4

    return 0.2126 * linear(colour >> 16 & 255) + 0.7152 * linear(colour >> 8 & 255) + 0.0722 * linear(colour & 255)


def contrast(a: int, b: int) -> float:
    """Contrast ratio of two colours, 1..21."""
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def string_colours(strings: Strings, colours: int) -> I1:
    """A number below ``colours`` for each text; texts that differ only in digits get the same one."""
    hashes = np.empty(len(strings), np.uint32)
    kernel.hash_names(strings.data, np.ascontiguousarray(strings.offsets), hashes)
    hashes ^= hashes >> 15
    hashes *= np.uint32(0x2C1B3C6D)
    hashes ^= hashes >> 12
    return (hashes % np.uint32(colours)).astype(np.uint8)


def value_colours(texts: Sequence[str], colours: int) -> I1:
    """A number below ``colours`` for each of these texts, which differ: all different where there are enough, else as for names.

    Each has its own wherever that is free, so most keep it in every trace.
    """
    numbers = string_colours(Strings.of(list(texts)), colours)
    if len(texts) <= colours:
        taken: set[int] = set()
        for place in sorted(range(len(texts)), key=texts.__getitem__):
            number = int(numbers[place])
            while number in taken:
                number = (number + 1) % colours
            taken.add(number)
            numbers[place] = number
    return numbers


_KNOWN: WeakKeyDictionary[Trace, dict[ColourBy, I1]] = WeakKeyDictionary()


def known_colours(trace: Trace, by: ColourBy) -> I1:
    """``slice_colours`` in as many colours as every theme has, kept for the trace's life: any thread may work them out ahead."""
    known = _KNOWN.setdefault(trace, {})
    if by not in known:
        known[by] = slice_colours(trace, by, COLOURS)
    return known[by]


_KNOWN_GROUPS: WeakKeyDictionary[ColourGroups, I1] = WeakKeyDictionary()


def known_group_colours(groups: ColourGroups) -> I1:
    """A number below ``COLOURS`` for each slice by the value of its argument, kept for the groups' life: any thread may ask ahead."""
    known: I1 | None = _KNOWN_GROUPS.get(groups)
    if known is None:
        known = np.asarray(value_colours(groups.labels, COLOURS)[groups.keys])
        _KNOWN_GROUPS[groups] = known
    return known


@per_trace
def track_engines(trace: Trace) -> tuple[tuple[str, ...], I8]:
    """The engines of the trace, and for each track the place of its engine among them."""
    known: dict[str, int] = {}
    places = np.fromiter((known.setdefault(track.engine, len(known)) for track in trace.tracks), np.int64, len(trace.tracks))
    return tuple(known), places


def engine_number(engine: str) -> int:
    """The place of an engine among the classes, behind the last one for any other."""
    return CLASSES.index(engine) if engine in CLASSES else len(CLASSES)


@per_trace
def track_ranks(trace: Trace) -> I8:
    """For each track its rank, -1 where it has none."""
    return np.fromiter((track.rank for track in trace.tracks), np.int64, len(trace.tracks))


def slice_colours(trace: Trace, by: ColourBy, colours: int) -> I1:
    """A number below ``colours`` for each slice of a trace."""
    if by == "duration":
        return duration_steps(trace.slices.dur_ns)
    if by in ("engine", "rank"):
        engines, places = track_engines(trace)
        number: I8 = np.array([*map(engine_number, engines), 0], np.int64)[places] if by == "engine" else track_ranks(trace) + 1
        chosen: I1 = (number % colours).astype(np.uint8)[trace.slices.track]
        return chosen
    if by == "category":
        return category_colours(trace, colours)[trace.slices.cat]
    return string_colours(trace.strings, colours)[trace.slices.name]


_KNOWN_CATEGORIES: WeakKeyDictionary[Trace, dict[int, I1]] = WeakKeyDictionary()


def category_colours(trace: Trace, colours: int) -> I1:
    """A number below ``colours`` for each string of a trace that is a category of slices, 0 for the others; kept for the trace's life."""
    known = _KNOWN_CATEGORIES.setdefault(trace, {})
    if colours not in known:
        known[colours] = _category_colours(trace, colours)
    return known[colours]


def _category_colours(trace: Trace, colours: int) -> I1:
    used = np.flatnonzero(np.bincount(trace.slices.cat, minlength=len(trace.strings)))
    numbers = np.zeros(len(trace.strings), np.uint8)
    numbers[used] = value_colours([trace.strings[int(text)] for text in used], colours)
    return numbers


SHORTEST_NS, STEPS, STEPS_A_DECADE = 100, 16, 2
"""Durations are told apart from 100 ns on in steps of half a decade, the same in every trace."""
RAMP = {True: ("#3b6ea8", "#7ec5bf", "#f3c862", "#e2603f"), False: ("#b9d3ee", "#8ecbb4", "#f0c05a", "#c9442c")}
"""From short to long on a dark and on a light background."""


def duration_steps(dur_ns: I8) -> I1:
    """For each duration its step of the ramp."""
    decades = np.log10(np.maximum(dur_ns, SHORTEST_NS) / SHORTEST_NS)
    return np.minimum(decades * STEPS_A_DECADE, STEPS - 1).astype(np.uint8)


@lru_cache(8)
def ramp_fills(palette: Palette) -> tuple[int, ...]:
    """The colours of durations, each moved on until a text on it is readable."""
    ends = [argb(colour) for colour in RAMP[palette.is_dark]]
    made = []
    for step in range(STEPS):
        place = step / (STEPS - 1) * (len(ends) - 1)
        low = min(int(place), len(ends) - 2)
        parts = zip(split(ends[low]), split(ends[low + 1]), strict=True)
        red, green, blue = (round(a + (b - a) * (place - low)) for a, b in parts)
        made.append(readable(0xFF000000 | red << 16 | green << 8 | blue, 255 if palette.is_dark else 0, 0.0, palette))
    return tuple(made)


SHADES = {True: ((0, 0.0), (255, 0.28), (0, 0.20)), False: ((0, 0.05), (0, 0.18), (0, 0.30))}
"""Each colour of a dark or light theme comes in three shades that stand off the background: (towards grey level, share)."""


READABLE = 4.5
"""Contrast that a text needs (WCAG AA)."""


def split(colour: int) -> tuple[int, int, int]:
    """Red, green and blue."""
    return colour >> 16 & 255, colour >> 8 & 255, colour & 255


def shade(colour: int, grey: int, part: float) -> int:
    """A colour moved towards a grey level by a share."""
    red, green, blue = (round(c + (grey - c) * part) for c in split(colour))
    return 0xFF000000 | red << 16 | green << 8 | blue


def mix(under: U4, over: int, part: float) -> U4:
    """Blend a colour over pixels."""
    keep = round(256 * (1 - part))
    part_int = 256 - keep
    red_blue = ((under & 0xFF00FF) * keep + (over & 0xFF00FF) * part_int) >> 8 & 0xFF00FF
    green = ((under & 0x00FF00) * keep + (over & 0x00FF00) * part_int) >> 8 & 0x00FF00
    return np.asarray(0xFF000000 | red_blue | green, np.uint32)


def text_on(fill: int, palette: Palette) -> int:
    """The text colour that reads better on a fill."""
    return max((argb(palette.slice_text_dark), argb(palette.slice_text_light)), key=lambda text: contrast(fill, text))


@lru_cache(8)
def fills(palette: Palette) -> tuple[int, ...]:
    """The colours slices are told apart by: those of the theme in three shades, each moved on until a text on it is readable."""
    return tuple(readable(argb(colour), grey, part, palette) for grey, part in SHADES[palette.is_dark] for colour in palette.slices)


def line_colours(palette: Palette) -> list[int]:
    """Colours of lines: those of the theme, then the same in two fainter shades."""
    grey = 128
    return [shade(argb(colour), grey, part) for part in (0.0, 0.35, 0.6) for colour in palette.lines]


def readable(colour: int, grey: int, part: float, palette: Palette) -> int:
    """A colour moved towards a grey level by that share, and on until a text on it is readable."""
    fill, step = shade(colour, grey, part), 0
    while contrast(fill, text_on(fill, palette)) < READABLE:
        step += 1
        fill = shade(colour, grey, min(1.0, part + step * 0.01))
    return fill


def fill_palette(palette: Palette) -> U4:
    """The fills as 256 values for the kernel; numbers past their end start over."""
    return np.resize(np.array(fills(palette), np.uint32), 256)


def build_colouring(trace: Trace, palette: Palette, by: ColourBy = "name", groups: ColourGroups | None = None) -> Colouring:
    """Colours of the slices of a trace in a theme; ``groups`` go with ``argument``."""
    chosen = ramp_fills(palette) if by == "duration" else fills(palette)
    text = [text_on(fill, palette) for fill in chosen]
    index = known_colours(trace, by) if groups is None else known_group_colours(groups)
    ink = Ink(index, np.resize(np.array(chosen, np.uint32), 256))
    return Colouring(ink, np.resize(np.array(text, np.uint32), 256))
