"""The values of a row of counters under the pointer: a dot on each line and a plate with names and numbers beside them."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from hlprof_gui.theme.theme import Theme
from hlprof_gui.timeline.layout import RowKind
from hlprof_gui.timeline.scene import Scene
from hlprof_gui.viewmodels.counters import compact
from hlprof_gui.viewmodels.short_texts import drawable

PAD, LINE, OFF = 8.0, 16.0, 14.0
MOST_LINES = 12
LONGEST, MOST_LETTERS = 280.0, 300
"""Width of the longest name, logical pixels, and how many letters of a name are looked at."""


class CounterReadout:
    """Paints while the pointer is over a row of counters."""

    def __init__(self, scene: Scene, theme: Theme) -> None:
        self.scene, self.theme = scene, theme

    def paint(self, painter: QPainter) -> None:
        state, layout, maker, trace = self.scene.state, self.scene.layout, self.scene.maker, self.scene.trace
        hover, time = state.hover, state.cursor_ns
        if hover is None or hover.kind != "counter" or time is None or layout is None or maker is None or trace is None:
            return
        series = int(np.searchsorted(trace.counters.offsets, hover.id, side="right")) - 1
        track = trace.series[series].track
        rows = layout.rows_of(track, RowKind.COUNTER)
        box = self.scene.row_box(rows[0]) if rows else None
        if box is None:
            return
        look, view = maker.counters.look(track, layout.arrangement), self.scene.view
        found = maker.counters.readings(track, look, time, view.window, view.width)
        top = float(layout.y[rows[0]]) - layout.offset_of(rows[0], self.scene.top)
        height, x = float(layout.height[rows[0]]), self.scene.x_of(time)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for reading in found:
            y = top + maker.counters.line_at(reading.height, height)
            if box[0] <= y <= box[1]:
                painter.setPen(QPen(self.theme.color("canvas"), 1.5))
                painter.setBrush(QColor.fromRgb(maker.counters.colour(track, reading.place)))
                painter.drawEllipse(QPointF(x, y), 3.5, 3.5)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        names = maker.counters.of(track).names
        meant = trace.series[series].series if len(names) > 1 else None
        lines = [(self._name(names[r.place], len(names)), r.value, maker.counters.colour(track, r.place), names[r.place] == meant)
                 for r in reversed(found)]  # fmt: skip
        if look.is_stacked:
            lines.insert(0, ("together", sum(r.value for r in found), None, False))
        self._paint_plate(painter, x, box[0], lines[:MOST_LINES])

    @staticmethod
    def _name(series: str, count: int) -> str:
        return series if count > 1 or series != "value" else ""

    def _paint_plate(self, painter: QPainter, x: float, top: float, lines: list[tuple[str, float, int | None, bool]]) -> None:
        """Right of the pointer where there is room, else left of it; inside the canvas."""
        theme = self.theme
        metrics = QFontMetricsF(theme.small_font)
        texts = [compact(value, 5) for _, value, _, _ in lines]
        room = min(LONGEST, self.scene.width / 2)
        shown = [metrics.elidedText(drawable(name[:MOST_LETTERS]), Qt.TextElideMode.ElideMiddle, room) for name, *_ in lines]
        names = max(map(metrics.horizontalAdvance, shown), default=0.0)
        numbers = max((metrics.horizontalAdvance(text) for text in texts), default=0.0)
        mark = 14.0 if any(fill is not None for _, _, fill, _ in lines) else 0.0
        width = 2 * PAD + mark + names + (PAD if names else 0.0) + numbers
        height = LINE * len(lines) + PAD
        left = x + OFF if x + OFF + width < self.scene.width else x - OFF - width
        plate = QRectF(round(max(left, 2.0)), round(min(max(top, 2.0), self.scene.height - height - 2)), round(width), height)
        painter.setPen(QPen(theme.color("border"), 1))
        painter.setBrush(theme.color("panel"))
        painter.drawRoundedRect(plate.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        painter.setFont(theme.small_font)
        for place, ((_, _, fill, is_meant), name, text) in enumerate(zip(lines, shown, texts, strict=True)):
            line = QRectF(plate.left() + PAD, plate.top() + PAD / 2 + place * LINE, plate.width() - 2 * PAD, LINE)
            if fill is not None:
                painter.fillRect(QRectF(line.left(), line.center().y() - 4, 8, 8), QColor.fromRgb(fill))
            painter.setPen(theme.color("text" if is_meant or len(lines) == 1 else "text_dim"))
            painter.drawText(line.adjusted(mark, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, name)
            painter.setPen(theme.color("text"))
            painter.drawText(line, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, text)


