"""How arrows run from row to row: an S from left to right, an arc within one row, the wider the more they stand for. Knows no Qt."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from hlprof_gui.timeline.bundles import F8, Bundles

THIN, MOST_WIDE = 0.7, 2.4
"""Half the width of one arrow and of the heaviest bundles, logical pixels."""
WIDER = 0.5
"""A bundle of ten times as many is so much wider on both sides."""
HEAD, LEAST_BEND, MOST_BEND, LIFT = 7.0, 16.0, 140.0, 22.0
STEPS = 24
"""Straight pieces by which the distance of a point from a curve is taken."""


class Curves(Struct, frozen=True, eq=False):
    """One row a curve: x0, y0, x1, y1, bend (how far its handles lie to the right and the left of its ends), lift (how far above them),
    half its width, length of its head; logical pixels."""

    table: F8

    def __len__(self) -> int:
        return len(self.table)

    def points(self, share: F8) -> tuple[F8, F8]:
        """Points of all curves at some shares (0 to 1) of their way, a row a curve."""
        x0, y0, x1, y1, bend, lift = (column[:, None] for column in self.table.T[:6])
        rest = 1 - share
        a, b, c, d = rest**3, 3 * rest**2 * share, 3 * rest * share**2, share**3
        return a * x0 + b * (x0 + bend) + c * (x1 - bend) + d * x1, a * y0 + b * (y0 - lift) + c * (y1 - lift) + d * y1

    def bounds(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom of all of them, their width and heads included."""
        t = self.table
        wide = t[:, 6] + t[:, 7] + 2
        left, right = np.minimum(t[:, 0], t[:, 2] - t[:, 4]), np.maximum(t[:, 0] + t[:, 4], t[:, 2])
        top, bottom = np.minimum(t[:, 1], t[:, 3]) - t[:, 5], np.maximum(t[:, 1], t[:, 3])
        return float((left - wide).min()), float((top - wide).min()), float((right + wide).max()), float((bottom + wide).max())

    def nearest(self, x: float, y: float, reach: float) -> int | None:
        """The curve that passes a point within ``reach`` of its border, the last of those that do so most closely; None: none does."""
        if not len(self.table):
            return None
        xs, ys = self.points(np.linspace(0.0, 1.0, STEPS + 1))
        ax, ay, dx, dy = xs[:, :-1] - x, ys[:, :-1] - y, np.diff(xs, axis=1), np.diff(ys, axis=1)
        along = np.clip(-(ax * dx + ay * dy) / np.maximum(dx * dx + dy * dy, 1e-9), 0, 1)
        off = np.hypot(ax + along * dx, ay + along * dy).min(axis=1) - self.table[:, 6]
        best = len(off) - 1 - int(np.argmin(off[::-1]))
        return best if off[best] <= reach else None


def bend_curves(bundles: Bundles) -> Curves:
    """The curves of bundles."""
    b = bundles
    bend = np.clip(np.abs(b.x1 - b.x0) / 2, LEAST_BEND, MOST_BEND)
    lift = np.where(b.y0 == b.y1, LIFT, 0.0)
    half = np.minimum(THIN + WIDER * np.log10(np.maximum(b.count, 1)), MOST_WIDE)
    return Curves(np.stack((b.x0, b.y0, b.x1, b.y1, bend, lift, half, HEAD + 2 * (half - THIN)), axis=1).astype(np.float64))
