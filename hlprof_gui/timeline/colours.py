"""Which colour a slice has: a stable choice by name, category or engine, and a text colour that can be read on it. Knows no Qt."""

from __future__ import annotations

from typing import Literal

import numpy as np

from hlprof_core._kernels import levels as kernel
from hlprof_core.levels.viewport import Ink
from hlprof_core.trace.engines import CLASSES
from hlprof_core.trace.model import Trace
from hlprof_core.trace.strings import Strings
from hlprof_core.trace.table import I1, U4
from hlprof_gui.theme.palette import Palette

ColourBy = Literal["name", "category", "engine"]


def argb(colour: str) -> int:
    """``#rrggbb`` as 0xffRRGGBB."""
    return 0xFF000000 | int(colour[1:], 16)


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


def slice_colours(trace: Trace, by: ColourBy, colours: int) -> I1:
    """A number below ``colours`` for each slice of a trace."""
    if by == "engine":
        place = {name: i for i, name in enumerate(CLASSES)}
        of_track = np.array([place.get(t.engine, len(CLASSES)) % colours for t in trace.tracks] or [0], np.uint8)
        return of_track[trace.slices.track]
    column = trace.slices.name if by == "name" else trace.slices.cat
    return string_colours(trace.strings, colours)[column]


SHADES = {True: ((0, 0.0), (255, 0.28), (0, 0.20)), False: ((0, 0.05), (0, 0.18), (0, 0.30))}
"""Each colour of a dark or light theme comes in three shades that stand off the background: (towards grey level, share)."""


READABLE = 4.5
"""Contrast that a text needs (WCAG AA)."""


def shade(colour: int, grey: int, part: float) -> int:
    """A colour moved towards a grey level by a share."""
    red, green, blue = (round(c + (grey - c) * part) for c in (colour >> 16 & 255, colour >> 8 & 255, colour & 255))
    return 0xFF000000 | red << 16 | green << 8 | blue


def text_on(fill: int, palette: Palette) -> int:
    """The text colour that reads better on a fill."""
    return max((argb(palette.slice_text_dark), argb(palette.slice_text_light)), key=lambda text: contrast(fill, text))


def fills(palette: Palette) -> list[int]:
    """The colours slices are told apart by: those of the theme in three shades, each moved on until a text on it is readable."""
    made = []
    for grey, part in SHADES[palette.is_dark]:
        for colour in palette.slices:
            fill = shade(argb(colour), grey, part)
            step = 0
            while contrast(fill, text_on(fill, palette)) < READABLE:
                step += 1
                fill = shade(argb(colour), grey, min(1.0, part + step * 0.01))
            made.append(fill)
    return made


def fill_palette(palette: Palette) -> U4:
    """The fills as 256 values for the kernel; numbers past their end start over."""
    return np.resize(np.array(fills(palette), np.uint32), 256)


def text_palette(palette: Palette) -> U4:
    """For each of the 256 fills the text colour that reads better on it."""
    return np.resize(np.array([text_on(fill, palette) for fill in fills(palette)], np.uint32), 256)


def build_ink(trace: Trace, palette: Palette, by: ColourBy = "name") -> Ink:
    """Colours of the slices of a trace in a theme."""
    return Ink(slice_colours(trace, by, len(fills(palette))), fill_palette(palette))
