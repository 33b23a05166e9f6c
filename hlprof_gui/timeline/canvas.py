"""The widget that shows the scene, once with Qt's raster painter and once with OpenGL; both forward input the same way."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from hlprof_core.trace.table import U4
from hlprof_gui.notify import safe
from hlprof_gui.timeline.interaction import Button, Cursor, Interaction
from hlprof_gui.timeline.menu_place import menu_at, menu_of_selection
from hlprof_gui.timeline.overlay import Overlay
from hlprof_gui.timeline.render.surface import pixels_under
from hlprof_gui.timeline.scene import Scene
from hlprof_gui.viewmodels.status import tip_text
from hlprof_gui.widgets.context_menu import MenuRequest
from hlprof_gui.widgets.tipped import TippedWidget

BUTTONS: dict[Qt.MouseButton, Button] = {
    Qt.MouseButton.LeftButton: "left",
    Qt.MouseButton.MiddleButton: "middle",
    Qt.MouseButton.RightButton: "right",
}
SHAPES: dict[Cursor, Qt.CursorShape] = {
    "arrow": Qt.CursorShape.ArrowCursor,
    "open_hand": Qt.CursorShape.OpenHandCursor,
    "closed_hand": Qt.CursorShape.ClosedHandCursor,
    "cross": Qt.CursorShape.CrossCursor,
    "beam": Qt.CursorShape.SplitHCursor,
    "zoom": Qt.CursorShape.SizeHorCursor,
}
NOTCH = 120.0
"""Units of ``QWheelEvent.angleDelta`` in one wheel step."""


class CanvasInput(TippedWidget):
    """Input of a canvas; a base of both back ends. ``changed``: something other than the state must be painted again."""

    changed = Signal()
    menu_wanted = Signal(object)
    """Argument: the MenuRequest of a right click or of the Menu key."""

    def prepare(self, scene: Scene, interaction: Interaction, overlay: Overlay) -> None:
        """Take what to show; once, before the first event."""
        self.scene, self.interaction, self.overlay = scene, interaction, overlay
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAccessibleName("Timeline")
        self.setAccessibleDescription("Slices of all rows over time. W, A, S, D zoom and pan; the wheel zooms at the pointer.")
        self.frames = 0
        """How often the scene was painted."""
        self._letters: dict[int, str] = {}
        """The letter that each key gave when it went down."""
        self.resized: Callable[[], None] = lambda: None
        self._late = QTimer(self, singleShot=True, interval=0)
        self._late.timeout.connect(self.update)

    def fit(self) -> None:
        """Tell the scene the size of this widget."""
        self.scene.resize(self.width(), self.height(), self.devicePixelRatioF())
        self.resized()

    def tip_at(self, _at: QPoint) -> str:
        """What lies under the pointer, unless it drags something."""
        return tip_text(self.interaction.state) if self.interaction.gesture == "none" else ""

    def finish_frame(self) -> None:
        """Count it; names that it had no time for come with the next one."""
        self.frames += 1
        if self.scene.missing_labels:
            self._late.start()

    def _moved(self, event: QMouseEvent) -> tuple[float, float]:
        at: QPointF = event.position()
        return at.x(), at.y()

    @safe
    def mousePressEvent(self, event: QMouseEvent) -> None:
        button = BUTTONS.get(event.button())
        if button is not None:
            x, y = self._moved(event)
            held = event.modifiers()
            shift, control = bool(held & Qt.KeyboardModifier.ShiftModifier), bool(held & Qt.KeyboardModifier.ControlModifier)
            self.interaction.press(x, y, button, shift=shift, control=control)
            self._refresh(x)

    @safe
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        x, y = self._moved(event)
        if not event.buttons():
            self.interaction.drop()  # the button went up over a menu, which did not tell
        self.interaction.move(x, y, shift=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
        self._refresh(x)

    @safe
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        button = BUTTONS.get(event.button())
        if button is not None:
            x, _ = self._moved(event)
            self.interaction.release(x, button)
            self._refresh(x)

    @safe
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            x, y = self._moved(event)
            self.interaction.double_click(x, y)
            self._refresh(x)

    @safe
    def leaveEvent(self, _event: QEvent) -> None:
        self.interaction.leave()
        self.changed.emit()

    @safe
    def wheelEvent(self, event: QWheelEvent) -> None:
        delta = event.angleDelta()
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        self.interaction.wheel(event.position().x(), delta.x() / NOTCH, delta.y() / NOTCH, shift=shift)
        event.accept()

    @safe
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if self.scene.trace is None or self.interaction.gesture != "none":
            return
        is_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        found = menu_of_selection(self.scene) if is_key else menu_at(self.scene, event.pos().x(), event.pos().y())
        place, x, y, row, bundle = found
        at = self.mapToGlobal(QPoint(round(x), round(y)))
        self.menu_wanted.emit(MenuRequest(place, at, row, bundle, self.scene.time_at(x)))

    @safe
    def keyPressEvent(self, event: QKeyEvent) -> None:
        plain = not event.modifiers() & ~(Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier)
        is_cancelled, letter = event.key() == Qt.Key.Key_Escape and self.interaction.cancel(), event.text().lower()
        if is_cancelled:
            self.changed.emit()
        elif plain and self.interaction.key_down(letter):
            self._letters[_place(event)] = letter
            self.changed.emit()
        elif plain and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.interaction.state.focus()
        else:
            QWidget.keyPressEvent(self, event)

    @safe
    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if not event.isAutoRepeat():
            # With Ctrl down by now, or in another layout, the key gives something else than before.
            self.interaction.key_up(self._letters.pop(_place(event), ""))
        QWidget.keyReleaseEvent(self, event)

    @safe
    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.interaction.release_keys()
        QWidget.focusOutEvent(self, event)

    def _refresh(self, x: float) -> None:
        self.setCursor(SHAPES[self.interaction.cursor(x)])
        self.changed.emit()


def _place(event: QKeyEvent) -> int:
    """Which key it is, whatever it gives."""
    return event.nativeScanCode() or event.key()


def paint_scene(painter: QPainter, scene: Scene, overlay: Overlay, pixels: U4 | None) -> None:
    """Paint the scene at the origin of a painter; names that take too long follow in the next frame. ``pixels``: the memory painted in."""
    frame, printed = scene.frame(), overlay.arrows.printed()
    if frame is None:
        painter.fillRect(QRectF(0, 0, scene.width, scene.height), scene.theme.color("canvas"))
        return
    if pixels is None or not scene.picture_onto(pixels, frame, printed):
        picture = scene.picture(printed=printed)
        assert picture is not None
        draw_pixels(painter, picture, scene.scale)
    overlay.paint(painter, frame, is_printed=True)


def paint_still(painter: QPainter, scene: Scene, overlay: Overlay, *, labels_as_text: bool = False) -> None:
    """Paint the scene for a picture: all names at once, as texts of the device when wanted."""
    frame = scene.frame()
    picture = scene.bare_picture() if labels_as_text else scene.picture(all_labels=True, printed=overlay.arrows.printed())
    if frame is None or picture is None:
        painter.fillRect(QRectF(0, 0, scene.width, scene.height), scene.theme.color("canvas"))
        return
    draw_pixels(painter, picture, scene.scale)
    if labels_as_text:
        overlay.paint_names(painter, frame)
    overlay.paint(painter, frame, as_shapes=labels_as_text, is_printed=not labels_as_text)


def draw_pixels(painter: QPainter, pixels: U4, scale: float) -> None:
    """Copy pixels (height x width, 0xffRRGGBB) to the origin of a painter."""
    height, width = pixels.shape
    image = QImage(cast(bytes, pixels.data), width, height, width * 4, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(scale)
    painter.drawImage(0, 0, image)


class ImageCanvas(CanvasInput):
    """The picture is made in memory and copied to the window: works everywhere, and is the faster way without a graphics card."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    @safe
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            # A part that is not to be painted may belong to something over this widget.
            is_whole = event.rect() == self.rect() and event.region().rectCount() == 1
            pixels = pixels_under(painter, self) if is_whole else None
            paint_scene(painter, self.scene, self.overlay, pixels)
        finally:
            painter.end()
        self.finish_frame()

    @safe
    def resizeEvent(self, _event: QResizeEvent) -> None:
        self.fit()
