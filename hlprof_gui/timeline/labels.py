"""Names inside slices: each name is rendered once into an atlas of coverage, frames only copy from it."""

from __future__ import annotations

from math import ceil

import numpy as np
from msgspec import Struct
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QImage, QPainter

from hlprof_core._kernels import columns as kernel
from hlprof_core.analysis.memo import per_trace
from hlprof_core.trace.model import Trace
from hlprof_core.trace.strings import Strings
from hlprof_core.trace.table import I1, I4, I8, U4

WIDTH, MAX_LINES = 2048, 8192
LONGEST = 420
"""Widest text kept, in logical pixels; longer names end in an ellipsis."""
PER_FRAME = 40
"""New names rendered for one frame; the rest follow in the next, so that no frame is late."""
KEY = 1 << 13
WARM_AT_ONCE, WARM_SHARE = 50, 0.5
"""Names rendered ahead in one go, and the share of the atlas they may fill."""


WARM_NAMES, SAMPLE = 3000, 500_000
"""So many of the names most frequent in a sample of the slices are rendered while nothing else happens."""


@per_trace
def frequent_names(trace: Trace) -> I8:
    """String ids of the names worth rendering ahead, the most frequent first; any thread may work them out."""
    every = max(1, len(trace.slices) // SAMPLE)
    counts = np.bincount(trace.slices.name[::every]) if len(trace.slices) else np.zeros(0, np.int64)
    return np.argsort(-counts, kind="stable")[: min(WARM_NAMES, int((counts > 0).sum()))]


class Placed(Struct, frozen=True):
    """``quads``: rows of (x, y, source x, source y, width, colour); ``missing``: names still to be rendered."""

    quads: I4
    missing: int


class LabelAtlas:
    """Rendered names of one trace in one font and scale."""

    def __init__(self, strings: Strings, font: QFont, scale: float) -> None:
        self.strings, self.scale = strings, scale
        self.font = QFont(font)
        self.font.setPixelSize(max(6, round(font.pixelSize() * scale)))
        self.font.setKerning(False)  # so that a text is as wide as its letters, and can be cut between any two
        self.metrics = QFontMetricsF(self.font)
        self.height = int(np.ceil(self.metrics.height()))
        self.generation = 0
        """Counts changes of the picture; a copy on the graphics card is renewed when it differs."""
        self._advance = np.full(0x250, np.nan)
        """Width of each Latin letter, filled as they occur."""
        self._clear()

    def _clear(self) -> None:
        self.cover: I1 = np.zeros((self.height * 8, WIDTH), np.uint8)
        self._x = np.full(len(self.strings), -1, np.int32)
        self._y = np.zeros(len(self.strings), np.int32)
        self._width = np.zeros(len(self.strings), np.int32)
        self._serial = np.zeros(len(self.strings), np.int64)
        self._cuts = np.empty(0, np.int64)
        self._entries = 0
        self._pen = (0, 0)
        self.generation += 1
        dots = self._render(["…"])
        self._dots: I4 = np.array(dots[0][:3], np.int32)
        """Place and width of the ellipsis."""

    def place(self, boxes: I4, names: U4, tops: I8, text: U4, limit: int = PER_FRAME) -> Placed:
        """Where names go: ``boxes`` (strip, left, right, slice), the name of each, the top of each strip's text, the colour of each.

        Renders at most ``limit`` names that were never seen before.
        """
        quads = np.empty((2 * len(boxes), 6), np.int32)
        used, absent = self._place(boxes, names, tops, text, quads)
        missing = 0
        if absent:
            missing = self._ensure(np.unique(names), limit)
            used, _ = self._place(boxes, names, tops, text, quads)
        return Placed(quads[:used], missing)

    def _place(self, boxes: I4, names: U4, tops: I8, text: U4, quads: I4) -> tuple[int, int]:
        """Fill ``quads``; returns how many and for how many boxes the name is not there."""
        parts = (boxes, names, tops, text, self._x, self._y, self._width, self._serial, self._cuts, self._dots, quads)
        pad, widest, narrowest = round(4 * self.scale), round(LONGEST * self.scale), ceil(7 * self.scale)
        return kernel.place_labels(parts, pad, widest, narrowest, KEY)

    def warm(self, names: I8) -> int:
        """Render some names ahead of their use; returns how many are left, 0 too when they would fill the atlas."""
        if self._pen[1] > MAX_LINES * WARM_SHARE:
            return 0
        wanted = names[self._x[names] < 0]
        self._add(wanted[:WARM_AT_ONCE])
        return max(0, len(wanted) - WARM_AT_ONCE)

    def _ensure(self, names: np.ndarray, limit: int) -> int:
        """Render at most ``limit`` of a frame's names; returns how many the next call will add. Where there is no room for them, names of
        other frames go; when the atlas is full of those of this one, the rest is not shown."""
        wanted = names[self._x[names] < 0]
        if self._add(wanted[:limit]):
            return max(0, len(wanted) - limit)
        if self._entries == int((self._x[names] >= 0).sum()):
            return 0
        self._clear()
        return max(0, len(names) - limit) if self._add(names[:limit]) else 0

    def _add(self, names: np.ndarray) -> bool:
        """Render names, in order; False when there was no room for all."""
        made = self._render([self.strings[int(i)] for i in names])
        keys = []
        for name, (x, y, width, cuts) in zip(names, made, strict=False):
            self._x[name], self._y[name], self._width[name], self._serial[name] = x, y, width, self._entries
            keys.append(self._entries * KEY + cuts)
            self._entries += 1
        self._cuts = np.concatenate([self._cuts, *keys])
        return len(made) == len(names)

    def _cut_points(self, text: str) -> I8:
        """Widths at which a text may be cut: 0 and the end of each letter, up to the cap."""
        codes = np.frombuffer(text.encode("utf-32-le", "replace"), np.uint32)
        if len(codes) and codes.max() >= len(self._advance):
            widths = np.array([self.metrics.horizontalAdvance(letter) for letter in text])
        else:
            widths = self._advance[codes]
            if np.isnan(widths).any():
                for code in codes[np.isnan(widths)].tolist():
                    self._advance[code] = self.metrics.horizontalAdvance(chr(code))
                widths = self._advance[codes]
        ends = np.ceil(np.cumsum(widths)).astype(np.int64)
        return np.concatenate(([0], ends[ends <= round(LONGEST * self.scale)]))

    def _render(self, texts: list[str]) -> list[tuple[int, int, int, I8]]:
        """Draw texts into free places; returns (x, y, whole width, cuts) of each, of fewer when the atlas is full."""
        places, jobs = [], []
        x, y = self._pen
        first_line = y
        cap = round(LONGEST * self.scale)
        for text in texts:
            clean = text[:400] if text.isprintable() else "".join(c if c.isprintable() else " " for c in text[:400])
            cuts = self._cut_points(clean)
            stored = min(int(cuts[-1]) + 1, cap)
            whole = int(np.ceil(self.metrics.horizontalAdvance(clean))) if len(cuts) <= len(clean) else int(cuts[-1])
            if x + stored > WIDTH:
                if y + 2 * self.height > MAX_LINES:
                    break
                x, y = 0, y + self.height
            places.append((x, y, whole, cuts))
            jobs.append((x, y - first_line, stored, clean[: len(cuts) - 1]))
            x += stored + 1
        if not places:
            return places
        self._pen = (x, y)
        need = y + self.height
        if need > len(self.cover):
            grown = np.zeros((min(MAX_LINES, max(need, 2 * len(self.cover))), WIDTH), np.uint8)
            grown[: len(self.cover)] = self.cover
            self.cover = grown
        scratch = QImage(WIDTH, need - first_line, QImage.Format.Format_RGB32)
        scratch.fill(0)
        painter = QPainter(scratch)
        painter.setFont(self.font)
        painter.setPen(Qt.GlobalColor.white)
        ascent = self.metrics.ascent()
        for left, top, stored, text in jobs:
            painter.setClipRect(left, top, stored, self.height)
            painter.drawText(QPointF(left, top + ascent), text)
        painter.end()
        drawn = np.frombuffer(scratch.constBits(), np.uint8).reshape(need - first_line, WIDTH, 4)[:, :, 1]
        np.maximum(self.cover[first_line:need], drawn, out=self.cover[first_line:need])
        self.generation += 1
        return places
