"""Rows of counters: the series of one counter stacked or over each other, in a scale of their own, as pixels and as values. Knows no Qt.

    most  ▁▂▃▅▆▅▃▂   b on top of a
          ▅▅▆▆▇▇▆▆   a
    0
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from hlprof_core.trace.model import Trace
from hlprof_core.trace.ranges import TimeRange
from hlprof_core.trace.strings import Strings
from hlprof_core.trace.table import F8, U4
from hlprof_gui.state.arrangement import Arrangement
from hlprof_gui.theme.palette import Palette
from hlprof_gui.timeline import colours
from hlprof_gui.viewmodels.counter_tracks import TrackCounters, known_counters

AREA = 0.38
"""Ink of the area below a value."""


class Look(Struct, frozen=True):
    """How a row is drawn: series on top of each other or from a common zero, the scale that of the trace or of what is visible."""

    is_stacked: bool
    fits_view: bool


class Reading(Struct, frozen=True):
    """One series at a moment: its number among those of the row, value, and the height of its line (0 bottom, 1 top of the scale)."""

    place: int
    value: float
    height: float


class CounterRows:
    """Draws and reads rows of counters in one theme."""

    def __init__(self, trace: Trace, palette: Palette) -> None:
        self.trace = trace
        self._lines = colours.line_colours(palette)
        known = known_counters(trace)
        names = Strings.of([trace.series[known.ids(t)[0]].name for t in known.tracks])
        self._first = dict(zip(known.tracks, colours.string_colours(names, colours.FAMILIES).tolist(), strict=True))
        self._seen: dict[tuple[int, bool], tuple[tuple[TimeRange, int], tuple[float, float]]] = {}

    def of(self, track: int) -> TrackCounters:
        return known_counters(self.trace).of(self.trace, track)

    def colour(self, track: int, place: int) -> int:
        """0xffRRGGBB of a series: its counter's name decides that of the first, the others follow in the order of the palette."""
        shade, number = divmod(place % len(self._lines), colours.FAMILIES)
        return self._lines[(self._first.get(track, 0) + number) % colours.FAMILIES + colours.FAMILIES * shade]

    def look(self, track: int, arrangement: Arrangement) -> Look:
        """As usual for these series unless the user chose otherwise."""
        return Look(self.of(track).is_stacked(track in arrangement.restacked), track in arrangement.fitted)

    def scale(self, track: int, look: Look, window: TimeRange, width: int) -> tuple[float, float]:
        """Values at the bottom and top of the row."""
        counters = self.of(track)
        if not look.fits_view:
            return counters.scale(is_stacked=look.is_stacked)
        known = self._seen.get((track, look.is_stacked))
        if known is None or known[0] != (window, width):
            self._fold(track, look, window, width)
            known = self._seen[track, look.is_stacked]
        return known[1]

    def _fold(self, track: int, look: Look, window: TimeRange, width: int) -> list[tuple[F8, F8]]:
        """Least and most of each line in each pixel; keeps the limits of all."""
        levels = self.of(track).levels(is_stacked=look.is_stacked)
        columns = [line.columns(0, len(line.value), window, width) for line in levels]
        if look.fits_view:
            lows = [float(np.fmin.reduce(low)) for low, _ in columns]
            highs = [float(np.fmax.reduce(high)) for _, high in columns]
            low, high = (pick((v for v in values if np.isfinite(v)), default=0.0) for pick, values in ((min, lows), (max, highs)))
            low = 0.0 if look.is_stacked else low
            self._seen[track, look.is_stacked] = ((window, width), (low, high))
        return columns

    def draw(self, track: int, look: Look, window: TimeRange, height: int, background: U4, scale: float) -> U4:
        """The picture of a row (height x width, device pixels) over its background, one line of pixels."""
        width = len(background)
        columns = self._fold(track, look, window, width)
        least, most = self.scale(track, look, window, width)
        part = 1.0 if np.isfinite(most - least) else 0.25  # from -1e308 to 1e308 is farther than numbers go
        least, most = least * part, most * part
        thick = max(1, round(scale))
        floor = height - 1 - thick
        per_value = (max(height - round(5 * scale), 1) - 1) / (most - least) if most > least else 0.0
        zero = floor - round((min(max(0.0, least), most) - least) * per_value)
        picture = np.repeat(background[None, :], height, axis=0)
        y = np.arange(height, dtype=np.int16)[:, None]
        lines = []
        for low, high in columns:
            known = ~np.isnan(high)
            inside = (np.clip(np.where(known, v * part, least), least, most) for v in (high, low))
            top, bottom = (floor - np.round((v - least) * per_value) for v in inside)
            # A line that is not there lies below the picture.
            top, bottom = np.where(known, top, height).astype(np.int16), np.where(known, bottom, -1).astype(np.int16)
            lines.append((top, bottom))
        fills = [self.colour(track, place) for place in range(len(lines))]
        if look.is_stacked or (len(lines) == 1 and least >= 0):
            self._fill_stack(picture, y, lines, fills, background, floor + thick)
        elif len(lines) == 1:
            top, bottom = lines[0]
            area = (y >= np.minimum(top, zero)) & (y <= np.maximum(bottom, zero) + thick - 1) & (top < height)
            np.copyto(picture, colours.mix(background, fills[0], AREA), where=area)
        for (top, bottom), fill in zip(lines, fills, strict=True):
            _join(top, bottom, height)
            first, last = max(int(top.min(initial=height)), 0), min(int(bottom.max(initial=-1)) + thick, height)
            if first < last:
                # Above the line the difference wraps around to a large number: one comparison instead of two.
                below = (y[first:last] - top).view(np.uint16)
                np.copyto(picture[first:last], np.uint32(fill), where=below < np.maximum(bottom + thick - top, 0).astype(np.uint16))
        return picture

    @staticmethod
    def _fill_stack(
        picture: U4, y: np.ndarray, lines: list[tuple[np.ndarray, np.ndarray]], fills: list[int], background: U4, bottom: int
    ) -> None:
        """The area of each series between its line and the one below it."""
        for (top, _), fill in zip(reversed(lines), reversed(fills), strict=True):
            first = max(int(top.min(initial=bottom)), 0)
            if first < bottom:
                np.copyto(picture[first:bottom], colours.mix(background, fill, AREA), where=y[first:bottom] >= top)

    @staticmethod
    def line_at(share: float, height: float) -> float:
        """Where a line of that height (0..1) lies below the top of a row, logical pixels."""
        return height - 2 - share * (height - 6)

    def readings(self, track: int, look: Look, time_ns: int, window: TimeRange, width: int) -> list[Reading]:
        """What each series is at a time, from the lowest line up in a stack; series without a value yet are left out."""
        values = self.of(track).at(time_ns)
        least, most = self.scale(track, look, window, width)
        total, found = 0.0, []
        for place, value in enumerate(values):
            if not np.isfinite(value):
                continue
            total = total + value if look.is_stacked else value
            share = (total - least) / (most - least) if most > least else 0.0
            found.append(Reading(place, value, min(max(share, 0.0), 1.0)))
        return found

    def sample_at(self, track: int, look: Look, time_ns: int, height: float, window: TimeRange, width: int) -> int | None:
        """Row of ``trace.counters`` that is meant at a time and height (0 bottom, 1 top): of the area there, else of the nearest line."""
        found = self.readings(track, look, time_ns, window, width)
        if not found:
            return None
        above = [reading for reading in found if reading.height >= height] if look.is_stacked else []
        nearest = min(found, key=lambda reading: abs(reading.height - height))
        counters = self.of(track)
        chosen = above[0].place if above else nearest.place
        first = int(self.trace.counters.offsets[counters.ids[chosen]])
        return first + int(np.searchsorted(counters.times[chosen], time_ns, side="right")) - 1


def _join(top: np.ndarray, bottom: np.ndarray, height: int) -> None:
    """Lead each pixel of a line to the one before it, where the step between them falls on their border."""
    before_top, before_bottom, here_top, here_bottom = top[:-1].copy(), bottom[:-1].copy(), top[1:], bottom[1:]
    known = (before_top < height) & (here_top < height)
    np.minimum(here_top, before_bottom, out=here_top, where=known)
    np.maximum(here_bottom, before_top, out=here_bottom, where=known)
