"""The picture of a chip: blocks lit when their trace units record; a click switches the group of a block."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from hlprof_gui.notify import safe
from hlprof_gui.theme.fonts import ui_font
from hlprof_gui.theme.stylesheet import mix
from hlprof_gui.theme.theme import Theme
from hlprof_gui.viewmodels.chip import FRAME_MARGIN, TITLE, Block, Frame, Layout, Rect, lay_out
from hlprof_gui.viewmodels.target import COLOURS, TargetViewModel
from hlprof_gui.viewmodels.unit_switches import Count, Share
from hlprof_gui.widgets.tipped import TippedWidget

EDGE = 12
"""Room between the edge of the chip and its parts."""


class ChipPicture(TippedWidget):
    """Paints what the view model says; asks it for everything."""

    group_clicked = Signal(str)

    def __init__(self, chip: TargetViewModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chip, self._theme = chip, theme
        self._under_pointer: Block | None = None
        self._pressed: Block | None = None
        self._fonts = [ui_font(pixels) for pixels in (12, 11, 10, 9)]
        self.setMouseTracking(True)
        self.setMinimumSize(420, 230)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Picture of the chip")
        theme.follow(self, safe(self.update))

    def sizeHint(self) -> QSize:
        return QSize(860, 250)

    @property
    def under_pointer(self) -> Block | None:
        """The block that the pointer is on."""
        return self._under_pointer

    def layout_now(self) -> Layout:
        """Where everything lies, relative to the inner corner."""
        return lay_out(self._chip.shown, max(200, self.width() - 2 * EDGE), max(100, self.height() - 2 * EDGE))

    def place_of(self, group: str) -> QPoint:
        """A point on the first block of a group."""
        place = next(place for block, place in self.layout_now().blocks if block.group == group)
        return QPoint(round(EDGE + place.x + place.width / 2), round(EDGE + place.y + place.height / 2))

    def block_at(self, point: QPointF) -> Block | None:
        return self.layout_now().block_at(point.x() - EDGE, point.y() - EDGE)

    # -- events -----------------------------------------------------------------------------------------------------

    @safe
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        block = self.block_at(event.position())
        if block != self._under_pointer:
            self._under_pointer = block
            can_click = block is not None and bool(block.group)
            self.setCursor(Qt.CursorShape.PointingHandCursor if can_click else Qt.CursorShape.ArrowCursor)
            self.update()

    @safe
    def leaveEvent(self, event: QEvent) -> None:
        self._under_pointer = None
        self.update()
        super().leaveEvent(event)

    @safe
    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed = self.block_at(event.position()) if event.button() == Qt.MouseButton.LeftButton else None

    @safe
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click is a press and a release on the same group."""
        pressed, block, self._pressed = self._pressed, self.block_at(event.position()), None
        if pressed is not None and block is not None and block.group and block.group == pressed.group:
            self.group_clicked.emit(block.group)

    def tip_at(self, at: QPoint) -> str:
        return next((self._chip.tip(block) for block, _ in self._under(at)), "")

    def tip_area(self, at: QPoint) -> QRect:
        return next((_pixels(place).toAlignedRect() for _, place in self._under(at)), QRect())

    def _under(self, at: QPoint) -> list[tuple[Block, Rect]]:
        return [(block, place) for block, place in self.layout_now().blocks if place.contains(at.x() - EDGE, at.y() - EDGE)]

    # -- painting ---------------------------------------------------------------------------------------------------

    @safe
    def paintEvent(self, _event: QPaintEvent) -> None:
        p = self._theme.palette
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(p.border), 1))
        painter.setBrush(QColor(p.canvas))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)
        layout = self.layout_now()
        for depth, frame in enumerate(layout.frames):
            self._paint_frame(painter, frame, depth)
        shares = self._chip.shares()
        fonts = self._fonts_of(layout)
        group = self._under_pointer.group if self._under_pointer is not None else ""
        for block, place in layout.blocks:
            self._paint_block(painter, block, _pixels(place), shares[block], is_marked=bool(group) and block.group == group)
            self._paint_label(painter, block, place, shares[block], fonts[block.group or block.label])
        painter.end()

    def _paint_frame(self, painter: QPainter, frame: Frame, _depth: int) -> None:
        p = self._theme.palette
        place = _pixels(frame.place)
        painter.setPen(QPen(QColor(p.border), 1))
        painter.setBrush(QColor(mix(p.canvas, p.text, 0.03)))
        painter.drawRoundedRect(place.adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)
        painter.setFont(self._fonts[1])
        painter.setPen(QColor(p.text_dim))
        title = QRectF(place.x() + FRAME_MARGIN + 1, place.y() + 2, place.width() - 2 * FRAME_MARGIN, TITLE)
        painter.drawText(title, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), frame.title)

    def _paint_block(self, painter: QPainter, block: Block, place: QRectF, share: Share, *, is_marked: bool) -> None:
        p = self._theme.palette
        colour = p.slices[COLOURS[block.group]] if block.group else p.text_dim
        dim = mix(p.canvas, colour, 0.16) if block.group else mix(p.canvas, p.text, 0.08)
        edge = p.text if is_marked else colour if share is not Share.NONE else mix(p.canvas, colour, 0.45)
        painter.setPen(QPen(QColor(edge if block.group else p.border), 1.6 if is_marked else 1.0))
        painter.setBrush(QColor(colour if share is Share.ALL else dim))
        corner = min(3.0, place.width() / 5)
        painter.drawRoundedRect(place.adjusted(0.5, 0.5, -0.5, -0.5), corner, corner)
        if share is Share.SOME:
            count = self._count(block)
            lit = QRectF(place.x() + 1, place.y() + 1, (place.width() - 2) * count.on / count.total, place.height() - 2)
            painter.fillRect(lit, QColor(mix(p.canvas, colour, 0.85)))

    def _count(self, block: Block) -> Count:
        on = sum(self._chip.switches.is_on(self._chip.shown, block.group, unit) for unit in block.units)
        return Count(on, len(block.units))

    def _fonts_of(self, layout: Layout) -> dict[str, tuple[QFont, int] | None]:
        """One spelling and letter height for all blocks of a kind: the fullest and largest in which every label fits, else one."""
        found: dict[str, tuple[QFont, int] | None] = {}
        for kind in {block.group or block.label for block, _ in layout.blocks}:
            members = [(block, place) for block, place in layout.blocks if (block.group or block.label) == kind]
            found[kind] = next(
                (
                    (font, spelling)
                    for fitting in (all, any)  # rather some blocks without a label than all
                    for spelling in range(3)
                    for font in self._fonts
                    if fitting(_fits(font, _lines(block, place, spelling), place) for block, place in members)
                ),
                None,
            )
        return found

    def _paint_label(self, painter: QPainter, block: Block, place: Rect, share: Share, letters: tuple[QFont, int] | None) -> None:
        if letters is not None and _fits(letters[0], _lines(block, place, letters[1]), place):
            p = self._theme.palette
            is_lit = share is Share.ALL or (share is Share.SOME and 2 * self._count(block).on > len(block.units))
            painter.setPen(QColor(p.slice_text_dark if is_lit else p.text if share is Share.SOME else p.text_dim))
            painter.setFont(letters[0])
            painter.drawText(_pixels(place), int(Qt.AlignmentFlag.AlignCenter), "\n".join(_lines(block, place, letters[1])))


def _lines(block: Block, place: Rect, spelling: int) -> list[str]:
    """What is written into a block: 0 all there is, 1 without the figure, 2 only the number."""
    if spelling == 2:
        number = block.label.rpartition(" ")[2]
        return [number] if number.isdigit() else [""]
    if spelling == 1 or not block.figure:
        return [block.label]
    if place.height >= 30:
        return [block.label, block.figure]
    return [f"{block.label} {block.figure}"]


def _fits(font: QFont, lines: list[str], place: Rect) -> bool:
    metrics = QFontMetricsF(font)
    width, height = max(metrics.horizontalAdvance(line) for line in lines), metrics.ascent() * 1.2 * len(lines)
    return 0 < width <= place.width - 3 and height <= place.height


def _pixels(place: Rect) -> QRectF:
    """A place as whole pixels of the widget."""
    left, top = round(EDGE + place.x), round(EDGE + place.y)
    right, bottom = round(EDGE + place.x + place.width), round(EDGE + place.y + place.height)
    return QRectF(QRect(left, top, max(1, right - left), max(1, bottom - top)))
