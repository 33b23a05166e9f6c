"""Where the ruler has its marks and what they say. Times are int64 ns relative to the start of the trace. Knows no Qt."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from msgspec import Struct

from hlprof_core.trace.ranges import TimeRange
from hlprof_core.units import NS_PER_S
from hlprof_gui.viewmodels.time_scale import day_text

UNITS = ((1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs"), (1, "ns"))
LONG = 100_000
"""When a time is more than so many steps from the start, the ruler counts from an anchor near the window."""


class Tick(NamedTuple):
    time_ns: int
    label: str


class Ruler(Struct, frozen=True):
    """``anchor_ns``: relative time the labels count from, 0 when they count from the start of the trace."""

    ticks: tuple[Tick, ...]
    small: range
    """Times of the small marks: at the ticks and between them."""
    step_ns: int
    anchor_ns: int


def nice_step(ns: float) -> int:
    """The smallest of 1, 2, 5 x 10^k that is at least ``ns``."""
    scale = 1
    while True:
        for factor in (1, 2, 5):
            if factor * scale >= ns:
                return factor * scale
        scale *= 10


@lru_cache(4096)
def decimal_time(ns: int, unit: int, decimals: int) -> str:
    """``ns`` in a unit with so many decimals, exact; thousands apart by thin spaces."""
    sign, whole, rest = "-" if ns < 0 else "", *divmod(abs(ns), unit)
    text = f"{sign}{whole:,}".replace(",", "\u2009")
    if decimals:
        fraction = str(rest * 10**decimals // unit).rjust(decimals, "0")
        text += f".{fraction}"
    return text


def anchor_text(ns: int) -> str:
    """A time far from the start, exact to the ns, in the largest unit that fits: ``1.234 567 890 s``."""
    for unit, name in UNITS:
        if abs(ns) >= unit or unit == 1:
            digits = str(abs(ns) % unit).rjust(len(str(unit)) - 1, "0").rstrip("0") if unit > 1 else ""
            groups = "\u2009".join(digits[i : i + 3] for i in range(0, len(digits), 3))
            return f"{'-' if ns < 0 else ''}{abs(ns) // unit:,}".replace(",", "\u2009") + (f".{groups}" if groups else "") + f" {name}"
    raise AssertionError("unreachable")


@lru_cache(16)
def build_ruler(window: TimeRange, origin_ns: int, width: int, spacing: int = 100, *, is_clock: bool = False) -> Ruler:
    """Marks for a window that is ``width`` pixels wide; labelled ones are at least ``spacing`` pixels apart.

    ``is_clock``: the origin is a midnight, whole seconds are times of day.
    """
    length = max(window.length_ns, 1)
    step = nice_step(length * spacing / max(width, 1))
    small = max(1, step // 5 if str(step)[0] != "2" else step // 4)
    start, end = window.start_ns - origin_ns, window.end_ns - origin_ns
    far = max(abs(start), abs(end))
    anchor = 0
    if far > LONG * step:
        anchor = start // (step * 10) * (step * 10)
    if is_clock:
        anchor = start // NS_PER_S * NS_PER_S if step < NS_PER_S else 0
    top = max(abs(start - anchor), abs(end - anchor))
    unit, name = next((u, n) for u, n in UNITS if u <= max(step, top) or u == 1)
    if anchor:
        unit, name = next((u, n) for u, n in UNITS if u <= max(step, 1))
    decimals = 0
    while unit % 10**decimals == 0 and step * 10**decimals % unit and decimals < 9:
        decimals += 1
    ticks = []
    for time in _multiples(step, start, end):
        if is_clock and not anchor:
            ticks.append(Tick(time + origin_ns, day_text(time)))
            continue
        value = decimal_time(time - anchor, unit, decimals)
        ticks.append(Tick(time + origin_ns, f"{'+' if anchor and time >= anchor else ''}{value} {name}"))
    between = _multiples(small, start, end)
    return Ruler(tuple(ticks), range(between.start + origin_ns, between.stop + origin_ns, small), step, anchor)


def _multiples(step: int, start: int, end: int) -> range:
    """The multiples of a step from ``start`` up to, not including, ``end``."""
    return range(-(-start // step) * step, end, step)
