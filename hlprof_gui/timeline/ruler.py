"""The time scale above the rows, and the corner beside it that says where its zero is."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFontMetricsF, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF, QWheelEvent
from PySide6.QtWidgets import QWidget

from hlprof_gui.notify import safe
from hlprof_gui.state.view_state import TIME_SCALES, ViewState
from hlprof_gui.theme.theme import Theme
from hlprof_gui.timeline.canvas import BUTTONS, NOTCH, SHAPES
from hlprof_gui.timeline.interaction import Interaction
from hlprof_gui.timeline.scene import Scene
from hlprof_gui.timeline.ticks import Ruler, anchor_text, build_ruler
from hlprof_gui.viewmodels.time_scale import TITLES, day_text, exact_text, is_possible, scale_in_use, zero_ns
from hlprof_gui.widgets.context_menu import MenuRequest

HEIGHT, MOST_WIDTHS = 30, 1000


class RulerWidget(QWidget):
    """Labelled ticks, marks as flags, the cursor's time; a drag on it chooses a range of time."""

    changed = Signal()
    menu_wanted = Signal(object)

    def __init__(self, scene: Scene, theme: Theme, interaction: Interaction, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.scene, self.theme, self.interaction = scene, theme, interaction
        self._widths: dict[str, float] = {}
        self.setFixedHeight(HEIGHT)
        self.setMouseTracking(True)
        self.setAccessibleName("Time ruler")
        self.setToolTip("Drag to choose a range of time")

    @safe
    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            self.paint_ruler(painter)
        finally:
            painter.end()

    def paint_ruler(self, painter: QPainter) -> None:
        theme, scene, trace = self.theme, self.scene, self.scene.trace
        bottom = self.height() - 1
        painter.fillRect(self.rect(), theme.color("panel"))
        painter.setPen(theme.color("border"))
        painter.drawLine(0, bottom, self.width(), bottom)
        if trace is None:
            return
        ruler = ruler_of(scene.state, self.width())
        chosen = scene.state.range
        if chosen is not None:
            left, right = (min(max(scene.x_of(t), -10.0), self.width() + 10.0) for t in (chosen.start_ns, chosen.end_ns))
            painter.fillRect(QRectF(left, bottom - 4, right - left, 4), theme.color("accent"))
        painter.setFont(theme.small_font)
        metrics = QFontMetricsF(theme.small_font)
        window, start = scene.state.window, scene.state.window.start_ns
        per_ns = scene.width / window.length_ns
        painter.setPen(theme.color("border"))
        painter.drawLines([QLineF(x := int((t - start) * per_ns) + 0.5, bottom - 4, x, bottom - 1) for t in ruler.small])
        labels = [(int((time - start) * per_ns) + 0.5, label) for time, label in ruler.ticks]
        painter.setPen(theme.color("text_dim"))
        painter.drawLines([QLineF(x, bottom - 8, x, bottom - 1) for x, _ in labels])
        painter.setPen(theme.color("text"))
        end, plate = -1e9, self._cursor_plate(metrics)
        for x, label in labels:
            width = self._width(label)
            left = min(max(x - width / 2, 2), self.width() - width - 2)
            covered = plate is not None and left < plate.right() + 4 and left + width > plate.left() - 4
            if left > end + 8 and abs(left + width / 2 - x) < width and not covered:
                painter.drawText(QPointF(round(left), bottom - 12), label)
                end = left + width
        self._paint_marks(painter, bottom)
        self._paint_cursor(painter, metrics, bottom)

    def _width(self, label: str) -> float:
        """Measured once: most labels are there again in the next frame."""
        width = self._widths.get(label)
        if width is None:
            if len(self._widths) > MOST_WIDTHS:
                self._widths.clear()
            width = self._widths[label] = QFontMetricsF(self.theme.small_font).horizontalAdvance(label)
        return width

    def _paint_marks(self, painter: QPainter, bottom: int) -> None:
        color = self.theme.color("mark")
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        for mark in self.scene.state.marks:
            x = self.scene.x_of(mark.time_ns)
            if -10 <= x <= self.width() + 10:
                left = float(int(x))
                corners = ((0, 0), (0, -11), (8, -8.25), (1, -5.5), (1, 0))
                painter.drawPolygon(QPolygonF([QPointF(left + dx, bottom + dy) for dx, dy in corners]))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    @property
    def _cursor_ns(self) -> int | None:
        snap = self.interaction.snap
        return snap.time_ns if snap is not None else self.scene.state.cursor_ns

    def _cursor_text(self) -> str:
        time = self._cursor_ns
        return exact_text(self.scene.state, time) if time is not None and self.scene.trace is not None else ""

    def _cursor_plate(self, metrics: QFontMetricsF) -> QRectF | None:
        """Where the time under the pointer is written."""
        text, time = self._cursor_text(), self._cursor_ns
        if not text or time is None or not self.scene.state.window.start_ns <= time <= self.scene.state.window.end_ns:
            return None
        x, width = self.scene.x_of(time), metrics.horizontalAdvance(text) + 12
        return QRectF(round(min(max(x - width / 2, 0), self.width() - width)), 2, width, metrics.height() + 3)

    def _paint_cursor(self, painter: QPainter, metrics: QFontMetricsF, bottom: int) -> None:
        plate, time, snap = self._cursor_plate(metrics), self._cursor_ns, self.interaction.snap
        if plate is None or time is None:
            return
        x = self.scene.x_of(time)
        painter.fillRect(plate, self.theme.color("measure" if snap is not None else "group"))
        painter.setPen(self.theme.color("canvas" if snap is not None else "text"))
        painter.drawText(plate, Qt.AlignmentFlag.AlignCenter, self._cursor_text())
        painter.setPen(QPen(self.theme.color("measure" if snap is not None else "text_dim"), 1))
        painter.drawLine(QLineF(int(x) + 0.5, plate.bottom(), int(x) + 0.5, bottom))

    @safe
    def mousePressEvent(self, event: QMouseEvent) -> None:
        button = BUTTONS.get(event.button())
        if button is not None:
            self.interaction.press(event.position().x(), -1, button, on_ruler=True)
            self.changed.emit()

    @safe
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        x = event.position().x()
        if not event.buttons():
            self.interaction.drop()
        self.interaction.move(x, -1, on_ruler=True)
        self.setCursor(SHAPES[self.interaction.cursor(x, on_ruler=True)])
        self.changed.emit()

    @safe
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        button = BUTTONS.get(event.button())
        if button is not None:
            self.interaction.release(event.position().x(), button)
            self.changed.emit()

    @safe
    def leaveEvent(self, _event: object) -> None:
        self.interaction.leave()
        self.changed.emit()

    @safe
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if self.scene.trace is not None and self.interaction.gesture == "none":
            self.menu_wanted.emit(MenuRequest("ruler", event.globalPos(), time_ns=self.scene.time_at(event.pos().x())))

    @safe
    def wheelEvent(self, event: QWheelEvent) -> None:
        delta = event.angleDelta()
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        self.interaction.wheel(event.position().x(), delta.x() / NOTCH, delta.y() / NOTCH, shift=shift)
        event.accept()


def ruler_of(state: ViewState, width: int) -> Ruler:
    """The marks of the visible time, counted as the user likes."""
    return build_ruler(state.window, zero_ns(state), width, is_clock=scale_in_use(state) == "day")


class CornerWidget(QWidget):
    """Beside the ruler: what its labels count from; a click chooses the next way of counting."""

    def __init__(self, scene: Scene, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.scene, self.theme = scene, theme
        self._painted = ""
        self.setFixedHeight(HEIGHT)
        self.setAccessibleName("Origin of the time ruler")
        self.setToolTip("Click to count from elsewhere: from the first event, the selection, by the file's clock or the time of day")
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def refresh(self) -> None:
        """The time that is shown changed; the origin stays through most of that."""
        if self._text() != self._painted:
            self.update()

    def _text(self) -> str:
        trace = self.scene.trace
        if trace is None:
            return ""
        state = self.scene.state
        ruler, scale = ruler_of(state, self.scene.width), scale_in_use(state)
        if not ruler.anchor_ns:
            return TITLES[scale]
        return f"{day_text(ruler.anchor_ns) if scale == 'day' else anchor_text(ruler.anchor_ns)}  +"

    @safe
    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            self.paint_corner(painter)
        finally:
            painter.end()

    @safe
    def mousePressEvent(self, event: QMouseEvent) -> None:
        state = self.scene.state
        if event.button() == Qt.MouseButton.LeftButton:
            place = TIME_SCALES.index(scale_in_use(state))
            following = (*TIME_SCALES[place + 1 :], *TIME_SCALES[:place])
            state.set_time_scale(next((scale for scale in following if is_possible(state, scale)), state.time_scale))

    def paint_corner(self, painter: QPainter) -> None:
        theme, text = self.theme, self._text()
        painter.fillRect(self.rect(), theme.color("panel"))
        painter.setPen(theme.color("border"))
        painter.drawLine(0, self.height() - 1, self.width(), self.height() - 1)
        painter.drawLine(self.width() - 1, 0, self.width() - 1, self.height())
        self._painted = text
        painter.setFont(theme.small_font)
        painter.setPen(theme.color("text_dim"))
        box = QRectF(10, 0, self.width() - 20, self.height() - 1)
        align = Qt.AlignmentFlag.AlignVCenter | (Qt.AlignmentFlag.AlignRight if text.endswith("+") else Qt.AlignmentFlag.AlignLeft)
        painter.drawText(box, align, QFontMetricsF(theme.small_font).elidedText(text, Qt.TextElideMode.ElideLeft, box.width()))
