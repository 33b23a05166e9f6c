"""The column left of the rows: group headers that fold, names of tracks, scales of counters."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QFontMetricsF, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF, QWheelEvent
from PySide6.QtWidgets import QWidget

from hlprof_core.trace.model import Trace
from hlprof_gui.notify import safe
from hlprof_gui.state.groups import process_title, track_title
from hlprof_gui.state.view_state import Item
from hlprof_gui.theme.theme import Theme
from hlprof_gui.timeline.layout import Layout, RowKind
from hlprof_gui.timeline.scene import Scene
from hlprof_gui.viewmodels.counters import compact
from hlprof_gui.viewmodels.short_texts import drawable
from hlprof_gui.widgets.context_menu import MenuRequest
from hlprof_gui.widgets.tipped import TippedWidget

WIDTH, MIN_WIDTH, MAX_WIDTH = 210, 90, 640
GRIP = 5
"""Pixels at the right border where the column can be made wider."""
LINES_PER_STEP = 3
LEGEND_LINE = 15
"""Height of a name in the legend of a row of counters."""


class HeaderColumn(TippedWidget):
    """Names of what the canvas shows; scrolls with it. A click folds a group or selects a track."""

    scrolled = Signal()
    resized = Signal(int)
    menu_wanted = Signal(object)
    """Argument: the MenuRequest of a right click."""

    def __init__(self, scene: Scene, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.scene, self.theme = scene, theme
        self.setFixedWidth(WIDTH)
        self.setMouseTracking(True)
        self.setAccessibleName("Rows of the timeline")
        self._hover = -1
        self._resizing = False

    # -- painting ---------------------------------------------------------------------------------------------------

    @safe
    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            self.paint_headers(painter)
        finally:
            painter.end()

    def paint_headers(self, painter: QPainter) -> None:
        theme, layout, trace = self.theme, self.scene.layout, self.scene.trace
        painter.fillRect(self.rect(), theme.color("panel"))
        if layout is not None and trace is not None:
            rows = layout.visible(self.scene.top, self.height()).tolist()
            split = next((place for place, row in enumerate(rows) if row >= layout.pinned_rows), len(rows))
            painter.save()
            painter.setClipRect(QRectF(0, layout.pinned_height, self.width(), self.height()))
            sticky = self.scene.sticky_group()
            ceiling = float(layout.pinned_height) if sticky is None else sticky.top + float(layout.height[sticky.row])
            self._paint_rows(painter, rows[split:], trace, ceiling)
            if sticky is not None:
                self._paint_group(painter, sticky.row, trace, sticky.top)
            painter.restore()
            self._paint_rows(painter, rows[:split], trace, 0.0)
            if layout.pinned_rows:
                painter.fillRect(QRectF(0, layout.pinned_height - 2, self.width(), 2), theme.color("accent"))
        painter.setPen(theme.color("border"))
        painter.drawLine(self.width() - 1, 0, self.width() - 1, self.height())

    def _paint_rows(self, painter: QPainter, rows: list[int], trace: Trace, ceiling: float) -> None:
        """Headers of rows; names of tracks stay below ``ceiling`` while part of their rows does."""
        layout = self.scene.layout
        assert layout is not None
        seen: set[int] = set()
        for row in rows:
            if layout.kind[row] == RowKind.GROUP:
                self._paint_group(painter, row, trace, float(layout.y[row]) - self.scene.top)
                continue
            track = int(layout.track[row])
            if track not in seen:
                seen.add(track)
                self._paint_track(painter, track, trace, ceiling)
            if layout.kind[row] == RowKind.COUNTER:
                self._paint_counter(painter, row, trace)

    def _paint_group(self, painter: QPainter, row: int, trace: Trace, top: float) -> None:
        theme, layout = self.theme, self.scene.layout
        assert layout is not None
        box = QRectF(0, top, self.width(), float(layout.height[row]))
        painter.fillRect(box, theme.color("border" if row == self._hover else "group"))
        painter.setPen(theme.color("border"))
        painter.drawLine(QPointF(0, box.bottom() - 1), QPointF(box.right(), box.bottom() - 1))
        group = int(layout.group[row])
        middle = box.center().y()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.color("text_dim"), 1.6, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if layout.collapsed[group]:
            painter.drawPolyline(QPolygonF([QPointF(11, middle - 4), QPointF(15, middle), QPointF(11, middle + 4)]))
        else:
            painter.drawPolyline(QPolygonF([QPointF(9, middle - 2), QPointF(13, middle + 2), QPointF(17, middle - 2)]))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setFont(theme.bold_font)
        painter.setPen(theme.color("text"))
        small = QFontMetricsF(theme.small_font)
        room = box.width() - 26 - 10
        title = QFontMetricsF(theme.bold_font).elidedText(drawable(layout.groups.title(group)), Qt.TextElideMode.ElideMiddle, room)
        painter.drawText(QRectF(26, box.top(), room, box.height()), Qt.AlignmentFlag.AlignVCenter, title)
        used = QFontMetricsF(theme.bold_font).horizontalAdvance(title) + 10
        note = group_note(trace, layout, group)
        if note and room - used > 40:
            painter.setFont(theme.small_font)
            painter.setPen(theme.color("text" if row == self._hover else "text_dim"))
            painter.drawText(
                QRectF(26 + used, box.top(), room - used, box.height()),
                Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight,
                small.elidedText(drawable(note), Qt.TextElideMode.ElideRight, room - used),
            )

    def _paint_track(self, painter: QPainter, track: int, trace: Trace, ceiling: float) -> None:
        theme, layout = self.theme, self.scene.layout
        assert layout is not None
        extent = layout.track_extent(track)
        if extent is None:
            return
        is_pinned = int(layout.track_first[track]) < layout.pinned_rows
        moved = 0.0 if is_pinned else self.scene.top
        top, bottom = extent[0] - moved, extent[1] - moved
        box = QRectF(0, top, self.width() - 1, bottom - top)
        painter.fillRect(box, theme.color("group" if track == self._hovered_track() else "row_odd" if track & 1 else "row_even"))
        if self.scene.state.selection == Item("track", track):
            painter.fillRect(QRectF(0, top, 3, bottom - top), theme.color("accent"))
        painter.setFont(theme.small_font)
        painter.setPen(theme.color("text"))
        first_line = max(top, min(ceiling, bottom - 20)) if bottom - top > 20 else top
        line = QRectF(26, first_line, self.width() - 26 - 10, min(20.0, bottom - top))
        if layout.kind[int(layout.track_first[track])] == RowKind.COUNTER:
            line.setWidth(line.width() - 44)
        title = layout.groups.pinned_title(track) if is_pinned else layout.groups.track_title(track)
        text = QFontMetricsF(theme.small_font).elidedText(drawable(title), Qt.TextElideMode.ElideMiddle, line.width())
        painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_counter(self, painter: QPainter, row: int, trace: Trace) -> None:
        """Scale of a row of counters, and the names of its series."""
        theme, layout, maker = self.theme, self.scene.layout, self.scene.maker
        assert layout is not None
        assert maker is not None
        track, rows, view = int(layout.track[row]), maker.counters, self.scene.view
        low, high = rows.scale(track, rows.look(track, layout.arrangement), view.window, view.width)
        top = float(layout.y[row]) - layout.offset_of(row, self.scene.top)
        box = QRectF(26, top + 3, self.width() - 36, float(layout.height[row]) - 5)
        metrics = QFontMetricsF(theme.small_font)
        painter.setFont(theme.small_font)
        painter.setPen(theme.color("text_dim"))
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop, compact(high))
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom, compact(low))
        names = [drawable(name) for name in rows.of(track).names]
        room = box.width() - max(metrics.horizontalAdvance(compact(v)) for v in (low, high)) - 8
        if len(names) > 1:
            fills = [QColor.fromRgb(rows.colour(track, place)) for place in range(len(names))]
            self._paint_legend(painter, QRectF(26, top + 20, room, box.bottom() - top - 20), list(zip(names, fills, strict=True)))
        elif names and names[0] not in ("", "value", drawable(track_title(trace.tracks[track]))):
            shown = metrics.elidedText(names[0], Qt.TextElideMode.ElideMiddle, room)
            painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom, shown)

    @staticmethod
    def _paint_legend(painter: QPainter, box: QRectF, entries: list[tuple[str, QColor]]) -> None:
        """Names with their colours, line after line as far as there is room; the last place tells how many are left out."""
        metrics = QFontMetricsF(painter.font())
        left, top = box.left(), box.top()
        for place, (name, fill) in enumerate(entries):
            rest = len(entries) - place - 1
            more = metrics.horizontalAdvance(f"+{rest + 1}") + 6 if rest else 0.0
            width = min(metrics.horizontalAdvance(name) + 12, box.width())
            if left > box.left() and left + width > box.right():
                left, top = box.left(), top + LEGEND_LINE
            is_last_line = top + 2 * LEGEND_LINE > box.bottom() + 1
            if top + LEGEND_LINE > box.bottom() + 1 or (is_last_line and rest and left + width + more > box.right() and left > box.left()):
                spot = QRectF(left, min(top, box.bottom() - LEGEND_LINE), box.right() - left, LEGEND_LINE)
                painter.drawText(spot, Qt.AlignmentFlag.AlignVCenter, f"+{rest + 1}")
                return
            painter.fillRect(QRectF(left, top + LEGEND_LINE / 2 - 3, 7, 7), fill)
            text = metrics.elidedText(name, Qt.TextElideMode.ElideRight, width - 11)
            painter.drawText(QRectF(left + 11, top, width, LEGEND_LINE), Qt.AlignmentFlag.AlignVCenter, text)
            left += width + 10

    def _hovered_track(self) -> int:
        layout = self.scene.layout
        return int(layout.track[self._hover]) if layout is not None and 0 <= self._hover < len(layout) else -2

    # -- input ------------------------------------------------------------------------------------------------------

    def row_at(self, y: float) -> int | None:
        """The row whose header is drawn there: a group's stays at the top while its rows scroll."""
        sticky, layout = self.scene.sticky_group(), self.scene.layout
        if sticky is not None and layout is not None and sticky.top <= y < sticky.top + float(layout.height[sticky.row]):
            return sticky.row
        return self.scene.row_at(y)

    def _on_grip(self, x: float) -> bool:
        return x >= self.width() - GRIP

    @safe
    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        if self._on_grip(event.position().x()):
            self._resizing = True
            return
        row, layout, state = self.row_at(event.position().y()), self.scene.layout, self.scene.state
        if row is None or layout is None:
            return
        if layout.kind[row] == RowKind.GROUP:
            state.set_collapsed(state.collapsed ^ {int(layout.group[row])})
        else:
            state.select(Item("track", int(layout.track[row])))

    @safe
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        x, y = event.position().x(), event.position().y()
        if self._resizing:
            self.resized.emit(int(min(max(x, MIN_WIDTH), MAX_WIDTH)))
            return
        grip = self._on_grip(x)
        row = self.row_at(y)
        layout = self.scene.layout
        is_group = row is not None and layout is not None and layout.kind[row] == RowKind.GROUP
        plain = Qt.CursorShape.PointingHandCursor if is_group else Qt.CursorShape.ArrowCursor
        self.setCursor(Qt.CursorShape.SplitHCursor if grip else plain)
        hover = -1 if row is None or grip else row
        if hover != self._hover:
            self._hover = hover
            self.update()

    @safe
    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        self._resizing = False

    @safe
    def leaveEvent(self, _event: QEvent) -> None:
        self._hover = -1
        self.update()

    @safe
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        row, layout = self.row_at(event.pos().y()), self.scene.layout
        if row is not None and layout is not None:
            group, track = int(layout.group[row]), int(layout.track[row])
            self.menu_wanted.emit(MenuRequest("row" if track >= 0 else "group", event.globalPos(), (group, track)))

    @safe
    def wheelEvent(self, event: QWheelEvent) -> None:
        pixels = event.pixelDelta().y() or event.angleDelta().y() / 120 * 20 * LINES_PER_STEP
        self.scene.scroll_by(-pixels)
        self.scrolled.emit()
        event.accept()

    def tip_at(self, at: QPoint) -> str:
        """Whole name and ids of the row at a height."""
        row, layout, trace = self.row_at(at.y()), self.scene.layout, self.scene.trace
        if row is None or layout is None or trace is None:
            return ""
        group, track = int(layout.group[row]), int(layout.track[row])
        by_process = layout.groups.by == "process"
        lines = [] if by_process else [f"{layout.groups.title(group)}   {group_note(trace, layout, group)}"]
        if by_process or track >= 0:
            process = trace.processes[group if by_process else trace.tracks[track].process]
            labels = f" ({', '.join(process.labels)})" if process.labels else ""
            lines.insert(0, f"{process_title(process)}{labels}   pid {process.pid}")
        if track >= 0:
            model = trace.tracks[track]
            lines.insert(0, f"{track_title(model)}   {model.kind} {model.tid}")
        return "\n".join(lines)


def group_note(trace: Trace, layout: Layout, group: int) -> str:
    """What stands beside the title of a group: labels of a process, and its pid where others are called the same; else how many rows
    there are; how many are hidden."""
    filled, hidden = int(layout.filled[group]), int(layout.hidden[group])
    said = trace.processes[group].labels if layout.groups.by == "process" else (f"{filled:,} row{'s' * (filled != 1)}",)
    apart = layout.groups.apart(group)
    if apart and apart != ", ".join(said):
        said = (*said, apart)
    return ", ".join((*said, *([f"{hidden:,} hidden"] if hidden else [])))
