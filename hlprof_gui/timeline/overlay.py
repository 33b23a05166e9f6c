"""What is painted over the slices: selection, hover, measures, marks, the chosen time, the cursor; arrows too."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from hlprof_core.analysis.memo import per_trace
from hlprof_core.trace.model import Trace
from hlprof_core.trace.ranges import TimeRange
from hlprof_core.trace.table import UNFINISHED
from hlprof_core.units import format_ns, format_ns_exact
from hlprof_gui.state.view_state import Edge, Measure
from hlprof_gui.theme.theme import Theme, translucent
from hlprof_gui.timeline.arrows import ArrowPainter
from hlprof_gui.timeline.counter_readout import CounterReadout
from hlprof_gui.timeline.frame import Frame
from hlprof_gui.timeline.interaction import Interaction
from hlprof_gui.timeline.layout import TRACK_GAP, RowKind
from hlprof_gui.timeline.scene import Scene
from hlprof_gui.viewmodels.short_texts import beginning_of, drawable

TAG_TOP, LONGEST_TAG = 3, 420.0
"""Longer texts of plates end in an ellipsis, logical pixels."""
FAR = 1 << 20
"""Coordinates are kept within this, beyond it Qt's painter loses precision."""


@per_trace
def has_unfinished(trace: Trace) -> bool:
    """Whether any slice has no recorded end."""
    return bool((trace.slices.flags & UNFINISHED).any())


def length_text(ns: int) -> str:
    """A length for people and to the nanosecond."""
    exact = format_ns_exact(ns)
    return f"{format_ns(ns)}  ·  {exact}" if ns >= 1000 else exact


class Overlay:
    """Paints onto a canvas in logical pixels; knows where things are from the scene."""

    def __init__(self, scene: Scene, theme: Theme, interaction: Interaction) -> None:
        self.scene, self.theme, self.interaction = scene, theme, interaction
        self.readout = CounterReadout(scene, theme)
        self.arrows = ArrowPainter(scene, theme)
        self._taken: np.ndarray | None = None
        """Pixels of each line of plates that have one, once there is any."""
        self._tags: list[tuple[QRectF, str, QColor, QColor]] = []

    def paint(self, painter: QPainter, frame: Frame, *, as_shapes: bool = False, is_printed: bool = False) -> None:
        """Everything, bottom to top. ``as_shapes``: no images of arrows, for drawings; ``is_printed``: the picture below has them."""
        painter.setFont(self.theme.small_font)
        self._taken, self._tags = None, []
        self._paint_pinned_border(painter)
        self._paint_range(painter)
        self._paint_unfinished(painter, frame)
        self.arrows.paint(painter, as_shapes=as_shapes, is_printed=is_printed)
        self._paint_hover(painter)
        self.readout.paint(painter)
        self._paint_match(painter)
        self._paint_selection(painter)
        self._paint_marks(painter)
        for measure in self.scene.state.measures:
            self._paint_measure(painter, measure)
        if self.interaction.draft is not None and self.interaction.draft.length_ns:
            self._paint_measure(painter, self.interaction.draft)
        self._paint_zoom_box(painter)
        self._paint_snap(painter)
        self._paint_cursor(painter)
        self._paint_tags(painter)

    def paint_names(self, painter: QPainter, frame: Frame) -> None:
        """Names inside slices as texts of the device, for pictures whose texts can be selected."""
        trace, layout = self.scene.trace, self.scene.layout
        if trace is None or layout is None:
            return
        painter.setFont(self.theme.small_font)
        metrics, scale = QFontMetricsF(self.theme.small_font), frame.view.scale
        inks = self.scene.label_colours(frame)
        for (strip, left, right, slice_id), ink in zip(frame.boxes.tolist(), inks.tolist(), strict=True):
            row = int(frame.strip_rows[strip])
            seen = self.scene.row_box(row)
            if seen is None or seen[1] - seen[0] < float(layout.height[row]):
                continue  # partly under the pinned rows
            box = QRectF(left / scale + 4, seen[0], (right - left) / scale - 8, float(layout.height[row]))
            text = metrics.elidedText(trace.name(slice_id & 0xFFFFFFFF), Qt.TextElideMode.ElideRight, box.width())
            if len(text) > 2:
                painter.setPen(QColor.fromRgb(ink))
                painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)

    # -- helpers ----------------------------------------------------------------------------------------------------

    def _x(self, time_ns: int) -> float:
        return float(min(max(self.scene.x_of(time_ns), -FAR), FAR))

    def _band(self, span: TimeRange) -> QRectF:
        left, right = self._x(span.start_ns), self._x(span.end_ns)
        return QRectF(left, 0, right - left, self.scene.height)

    def _line(self, painter: QPainter, x: float, color: QColor, *, dashed: bool = False) -> None:
        painter.setPen(QPen(color, 1, Qt.PenStyle.DashLine if dashed else Qt.PenStyle.SolidLine))
        painter.drawLine(QLineF(int(x) + 0.5, 0, int(x) + 0.5, self.scene.height))

    def _box(self, slice_id: int) -> QRectF | None:
        box = self.scene.slice_box(slice_id)
        if box is None:
            return None
        left, top, right, bottom = max(box[0], -8.0), box[1], min(box[2], self.scene.width + 8.0), box[3]
        is_seen = right >= left and bottom > max(top, 0.0) and top < self.scene.height
        return QRectF(left, top, max(right - left, 2), bottom - top) if is_seen else None

    def _tag_step(self, painter: QPainter) -> float:
        """From one line of plates to the next."""
        return QFontMetricsF(painter.font()).height() + 9

    def _tag(self, painter: QPainter, center: float, text: str, fill: QColor, ink: QColor) -> QRectF | None:
        """Place for a text on a plate at the top, inside the canvas and clear of the other plates; painted when all lines are.

        None where all is full: plates upon plates could not be read.
        """
        metrics = QFontMetricsF(painter.font())
        room = min(LONGEST_TAG, self.scene.width - 22.0)
        text = metrics.elidedText(drawable(beginning_of(text)), Qt.TextElideMode.ElideRight, room)
        width, height = metrics.horizontalAdvance(text) + 14, metrics.height() + 6
        left = min(max(center - width / 2, 4), max(4, self.scene.width - width - 4))
        left = round(left)
        place = slice(max(left - 3, 0), int(left + width) + 4)
        if self._taken is None:
            lines = int((self.scene.height - TAG_TOP) / self._tag_step(painter))
            self._taken = np.zeros((max(1, lines), self.scene.width + 8), np.bool_)
        free = np.flatnonzero(~self._taken[:, place].any(axis=1))
        if not len(free):
            return None
        line = int(free[0])
        self._taken[line, place] = True
        plate = QRectF(left, TAG_TOP + line * self._tag_step(painter), width, height)
        self._tags.append((plate, text, fill, ink))
        return plate

    def _paint_tags(self, painter: QPainter) -> None:
        for plate, text, fill, ink in self._tags:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(fill)
            painter.drawRoundedRect(plate, 4, 4)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            painter.setPen(ink)
            painter.drawText(plate, Qt.AlignmentFlag.AlignCenter, text)

    # -- layers -----------------------------------------------------------------------------------------------------

    def _paint_pinned_border(self, painter: QPainter) -> None:
        layout = self.scene.layout
        if layout is not None and layout.pinned_rows:
            painter.fillRect(QRectF(0, layout.pinned_height - 2, self.scene.width, 2), self.theme.color("accent"))

    def _paint_range(self, painter: QPainter) -> None:
        chosen = self.scene.state.range
        if chosen is None:
            return
        color = self.theme.color("accent")
        band = self._band(chosen)
        for part in self._range_parts(band):
            painter.fillRect(part, translucent(color, 0.14))
            painter.setPen(translucent(color, 0.9))
            for x in (part.left(), part.right()):
                painter.drawLine(QLineF(int(x) + 0.5, part.top(), int(x) + 0.5, part.bottom()))
        if band.right() >= 0 and band.left() <= self.scene.width:
            middle = band.intersected(QRectF(0, 0, self.scene.width, self.scene.height)).center().x()
            self._tag(painter, middle, length_text(chosen.length_ns), color, self.theme.color("accent_text"))

    def _range_parts(self, band: QRectF) -> list[QRectF]:
        """The chosen time on the screen: one band, or a part for each run of rows that it is about."""
        tracks, layout = self.scene.state.range_tracks, self.scene.layout
        if tracks is None or layout is None:
            return [band]
        wanted, parts = set(tracks), list[QRectF]()
        for row in layout.visible(self.scene.top, self.scene.height).tolist():
            box = self.scene.row_box(row)
            if box is None or int(layout.track[row]) not in wanted:
                continue
            part = QRectF(band.left(), box[0], band.width(), box[1] - box[0])
            if parts and part.top() - parts[-1].bottom() <= TRACK_GAP:
                parts[-1].setBottom(part.bottom())
            else:
                parts.append(part)
        return parts

    def _paint_unfinished(self, painter: QPainter, frame: Frame) -> None:
        """Slices without a recorded end fade out in a sawtooth."""
        trace = self.scene.trace
        if trace is None or not len(frame.boxes) or not has_unfinished(trace):
            return
        flags = trace.slices.flags[frame.boxes[:, 3].view(np.uint32)]
        color = self.theme.color("canvas")
        for place in np.flatnonzero(flags & UNFINISHED)[:200]:
            box = self._box(int(frame.boxes[place, 3].view(np.uint32)))
            if box is None or box.right() > self.scene.width:
                continue
            teeth, half = QPolygonF(), box.height() / 6
            teeth.append(box.topRight())
            for k in range(6):
                teeth.append(QPointF(box.right() - (5 if k % 2 == 0 else 0), box.top() + half * (k + 0.5)))
            teeth.append(box.bottomRight())
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color)
            painter.drawPolygon(teeth)

    def _paint_hover(self, painter: QPainter) -> None:
        hover = self.scene.state.hover
        if hover is None or hover.kind != "slice" or hover == self.scene.state.selection:
            return
        box = self._box(hover.id)
        if box is not None:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(translucent(self.theme.color("selection"), 0.75), 1))
            painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5))

    def _paint_match(self, painter: QPainter) -> None:
        state = self.scene.state
        if 0 <= state.match_index < len(state.matches):
            self._outline(painter, int(state.matches[state.match_index]), self.theme.color("match"))

    def _paint_selection(self, painter: QPainter) -> None:
        selection = self.scene.state.selection
        if selection is None:
            return
        if selection.kind == "slice":
            self._outline(painter, selection.id, self.theme.color("selection"))
        elif selection.kind in ("instant", "counter", "sample"):
            where = self.scene.state.item_range(selection)
            if where is not None:
                self._line(painter, self._x(where.start_ns), self.theme.color("selection"))

    def _outline(self, painter: QPainter, slice_id: int, color: QColor) -> None:
        box = self._box(slice_id)
        if box is None:
            return
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(translucent(self.theme.color("canvas"), 0.9), 1))
        painter.drawRect(box.adjusted(-1.5, -1.5, 1.5, 1.5))
        painter.setPen(QPen(color, 2))
        painter.drawRect(box)

    def _paint_measure(self, painter: QPainter, measure: Measure) -> None:
        color = self.theme.color("measure")
        band = self._band(measure.range)
        if band.right() < 0 or band.left() > self.scene.width:
            return
        painter.fillRect(band, translucent(color, 0.12))
        for x in (band.left(), band.right()):
            self._line(painter, x, color)
        visible = band.intersected(QRectF(0, 0, self.scene.width, self.scene.height))
        plate = self._tag(painter, visible.center().x(), length_text(measure.length_ns), color, self.theme.color("canvas"))
        if plate is None:
            return
        middle = plate.center().y()
        for x, inward in ((visible.left(), 1), (visible.right(), -1)):
            tip, end = x, plate.left() if inward > 0 else plate.right()
            if (end - tip) * inward > 10:
                painter.setPen(QPen(color, 1))
                painter.drawLine(QLineF(tip, middle, end, middle))
                painter.drawLine(QLineF(tip, middle, tip + 5 * inward, middle - 4))
                painter.drawLine(QLineF(tip, middle, tip + 5 * inward, middle + 4))

    def _paint_marks(self, painter: QPainter) -> None:
        color = self.theme.color("mark")
        for mark in self.scene.state.marks:
            band = self._band(mark.range)
            if band.right() < 0 or band.left() > self.scene.width:
                continue
            if mark.length_ns:
                painter.fillRect(band, translucent(color, 0.1))
                self._line(painter, band.right(), color, dashed=True)
            self._line(painter, band.left(), color, dashed=mark.length_ns > 0)
            if mark.label:
                seen = band.intersected(QRectF(0, 0, self.scene.width, self.scene.height)) if mark.length_ns else band
                self._tag(painter, seen.center().x(), mark.label, color, self.theme.color("canvas"))

    def _paint_zoom_box(self, painter: QPainter) -> None:
        box = self.interaction.box
        if box is None or box.first_ns == box.second_ns:
            return
        a, b = sorted((box.first_ns, box.second_ns))
        color = self.theme.color("accent")
        band = self._band(TimeRange(a, b))
        shade = translucent(self.theme.color("canvas"), 0.55)
        painter.fillRect(QRectF(0, 0, band.left(), self.scene.height), shade)
        painter.fillRect(QRectF(band.right(), 0, self.scene.width - band.right(), self.scene.height), shade)
        for x in (band.left(), band.right()):
            self._line(painter, x, color)
        self._tag(painter, band.center().x(), format_ns(b - a), color, self.theme.color("accent_text"))

    def _paint_snap(self, painter: QPainter) -> None:
        """The border a measure would take: a line through its row with a target on it."""
        snap = self.interaction.snap
        if snap is None:
            return
        color = self.theme.color("measure")
        x = self._x(snap.time_ns)
        self._line(painter, x, translucent(color, 0.8), dashed=True)
        rows = self._snap_rows(snap)
        if rows is None:
            return
        top, bottom = rows
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(translucent(self.theme.color("canvas"), 0.9), 4))
        painter.drawLine(QLineF(x, top - 2, x, bottom + 2))
        painter.setPen(QPen(color, 2))
        painter.drawLine(QLineF(x, top - 2, x, bottom + 2))
        painter.setBrush(self.theme.color("canvas"))
        painter.drawEllipse(QPointF(x, (top + bottom) / 2), 4, 4)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def _snap_rows(self, snap: Edge) -> tuple[float, float] | None:
        """Top and bottom of what a measure snaps to: a slice, a row of moments, or the place of a flag."""
        if snap.item is None:
            return 2.0, 22.0
        if snap.item.kind == "slice":
            box = self.scene.slice_box(snap.item.id)
            return None if box is None else (box[1], box[3])
        trace, layout = self.scene.trace, self.scene.layout
        if trace is None or layout is None:
            return None
        rows = layout.rows_of(int(trace.instants.track[snap.item.id]), RowKind.INSTANTS)
        return self.scene.row_box(rows[0]) if rows else None

    def _paint_cursor(self, painter: QPainter) -> None:
        cursor = self.scene.state.cursor_ns
        if cursor is not None and self.interaction.snap is None:
            self._line(painter, self._x(cursor), translucent(self.theme.color("text"), 0.35))
