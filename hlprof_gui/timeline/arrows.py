"""Paints arrows: on the screen all at once as one image, in drawings line by line; numbers on bundles, and what is not seen."""

from __future__ import annotations

from math import ceil
from typing import cast

import numpy as np
from msgspec import Struct
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QPainterPath, QPen, QPolygonF

from hlprof_core._kernels import curves as kernel
from hlprof_core.trace.table import I1, U4
from hlprof_gui.theme.theme import Theme, translucent
from hlprof_gui.timeline.curves import Curves
from hlprof_gui.timeline.flow_view import Shown
from hlprof_gui.timeline.scene import Print, Scene

CALM, STRONG = 0.72, 1.0
"""How strongly arrows in sight are drawn, and those of the selection."""
RIM = 0.6
MOST_NUMBERS = 12
"""So many bundles at most say how many arrows they stand for."""
MOST_PLATES = 600
MIDDLE = np.array([0.5])


def premultiplied(color: QColor) -> int:
    """0xAARRGGBB with the colours times the opacity."""
    alpha = color.alphaF()
    red, green, blue = (round(part * 255 * alpha) for part in (color.redF(), color.greenF(), color.blueF()))
    return round(alpha * 255) << 24 | red << 16 | green << 8 | blue


def count_text(count: int) -> str:
    """A number in few letters: 950, 12k, 3.1M."""
    for scale, suffix in ((1_000_000, "M"), (1000, "k")):
        if count >= 10 * scale:
            return f"{count // scale:,}{suffix}"
        if count >= scale:
            return f"{count / scale:.1f}".rstrip("0").rstrip(".") + suffix
    return str(count)


class Plate(Struct, frozen=True):
    """A number on its plate; ``size``: width and height in logical pixels."""

    image: QImage
    size: tuple[int, int]


class ArrowPainter:
    """Paints what ``scene.flows`` shows; keeps the images of arrows that stay where they are."""

    def __init__(self, scene: Scene, theme: Theme) -> None:
        self.scene, self.theme = scene, theme
        self._cover: I1 = np.empty(0, np.uint8)
        self._pixels: U4 = np.empty((0, 0), np.uint32)
        self._pixels_of: tuple[object, ...] = ()
        self._plates: dict[str, Plate] = {}
        self._plates_of: tuple[str, float] = ("", 0.0)

    def printed(self) -> Print | None:
        """All arrows in sight, to be drawn into a picture of the scene; those of the selection are painted later."""
        shown = next((shown for shown in self.scene.flows.shown() if not shown.is_chosen and len(shown.curves)), None)
        if shown is None:
            return None
        inks = self._inks(shown)

        def onto(picture: U4) -> None:
            kernel.blend_cover(self._cover_of(shown, 0, 0, *picture.shape), *inks, picture)

        return Print((shown, inks), onto)

    def paint(self, painter: QPainter, *, as_shapes: bool = False, is_printed: bool = False) -> None:
        """Arrows of the selection over the others, what the pointer is on over all. ``as_shapes``: no images of them; ``is_printed``: those
        in sight are in the picture below."""
        for shown in self.scene.flows.shown():
            if not len(shown.curves):
                continue
            if as_shapes:
                self._paint_shapes(painter, shown.curves, *self._colours(shown))
            elif shown.is_chosen or not is_printed:
                self._paint_image(painter, shown)
            self._paint_numbers(painter, shown, as_text=as_shapes)
        self._paint_hover(painter)
        self._paint_note(painter)

    def _colours(self, shown: Shown) -> tuple[QColor, QColor]:
        """Of the rim and of the line."""
        theme, strength = self.theme, STRONG if shown.is_chosen else CALM
        return translucent(theme.color("canvas"), RIM * strength), translucent(theme.color("flow"), strength)

    def _inks(self, shown: Shown) -> tuple[int, int]:
        rim, line = self._colours(shown)
        return premultiplied(rim), premultiplied(line)

    def _cover_of(self, shown: Shown, left: int, top: int, height: int, width: int) -> I1:
        """Cover of a part of the canvas, device pixels; the array is reused."""
        if self._cover.size < width * height:
            self._cover = np.empty(width * height, np.uint8)
        table = shown.curves.table * self.scene.scale
        table[:, [0, 2]] -= left
        table[:, [1, 3]] -= top
        cover = self._cover[: width * height]
        kernel.cover_curves(cover, width, table)
        return cover

    def _paint_image(self, painter: QPainter, shown: Shown) -> None:
        """An image of the part of the canvas that the curves cross."""
        scene = self.scene
        scale, view = scene.scale, scene.view
        key = (shown, view.width, view.height, self._inks(shown))
        box = shown.curves.bounds()
        left, top = max(0, int(box[0] * scale) - 1), max(0, int(box[1] * scale) - 1)
        width, height = min(int(box[2] * scale) + 2, view.width) - left, min(int(box[3] * scale) + 2, view.height) - top
        if width <= 0 or height <= 0:
            return
        if self._pixels_of != key:
            self._pixels = np.zeros((height, width), np.uint32)
            kernel.blend_cover(self._cover_of(shown, left, top, height, width), *self._inks(shown), self._pixels)
            self._pixels_of = key
        image = QImage(cast(bytes, self._pixels.data), width, height, width * 4, QImage.Format.Format_ARGB32_Premultiplied)
        image.setDevicePixelRatio(scale)
        painter.drawImage(QPointF(left / scale, top / scale), image)

    def _paint_shapes(self, painter: QPainter, curves: Curves, rim: QColor, line: QColor) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for x0, y0, x1, y1, bend, lift, half, head in curves.table.tolist():
            start, end = QPointF(x0, y0), QPointF(x1 - head * 0.6, y1)
            path = QPainterPath(start)
            path.cubicTo(start + QPointF(bend, -lift), end - QPointF(bend, lift), end)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            for color, width in ((rim, 2 * half + 2), (line, 2 * half)):
                painter.setPen(QPen(color, width))
                painter.drawPath(path)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(line)
            tip = QPointF(x1, y1)
            painter.drawPolygon(QPolygonF([tip, tip + QPointF(-head, -0.55 * head), tip + QPointF(-head, 0.55 * head)]))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def _paint_numbers(self, painter: QPainter, shown: Shown, *, as_text: bool) -> None:
        """How many the heaviest bundles stand for, on plates that do not cover each other."""
        count = shown.bundles.count
        heaviest = np.arange(len(count) - 1, max(-1, len(count) - 1 - 3 * MOST_NUMBERS), -1)
        heaviest = heaviest[count[heaviest] > 1]
        if not len(heaviest):
            return
        xs, ys = Curves(shown.curves.table[heaviest]).points(MIDDLE)
        plates, taken = self._plates_now(), list[tuple[float, float, float]]()
        for number, x, y in zip(count[heaviest].tolist(), xs[:, 0].tolist(), ys[:, 0].tolist(), strict=True):
            text = count_text(number)
            plate = plates.get(text) or self._make_plate(plates, text)
            width, height = plate.size
            left, top = round(x - width / 2), round(y - height / 2)
            if left < 0 or top < 0 or left + width > self.scene.width or top + height > self.scene.height:
                continue
            if any(left < far + 4 and near < left + width + 4 and abs(top - at) < height + 2 for near, far, at in taken):
                continue
            taken.append((left, left + width, top))
            if as_text:
                self._paint_plate(painter, QRectF(left, top, width, height), text)
            else:
                painter.drawImage(QPointF(left, top), plate.image)
            if len(taken) == MOST_NUMBERS:
                break

    def _paint_number(self, painter: QPainter, curve: Curves, count: int) -> None:
        plates, text = self._plates_now(), count_text(count)
        plate = plates.get(text) or self._make_plate(plates, text)
        (x,), (y,) = (places[:, 0].tolist() for places in curve.points(MIDDLE))
        painter.drawImage(QPointF(round(x - plate.size[0] / 2), round(y - plate.size[1] / 2)), plate.image)

    def _plates_now(self) -> dict[str, Plate]:
        """Numbers in the present colours that are ready to be copied: most stay when the view moves."""
        look = (self.theme.palette.name, self.scene.scale)
        if self._plates_of != look or len(self._plates) > MOST_PLATES:
            self._plates, self._plates_of = {}, look
        return self._plates

    def _make_plate(self, plates: dict[str, Plate], text: str) -> Plate:
        metrics, scale = QFontMetricsF(self.theme.small_font), self.scene.scale
        width, height = int(metrics.horizontalAdvance(text) + 8), int(metrics.height() - 1)
        image = QImage(ceil(width * scale), ceil(height * scale), QImage.Format.Format_ARGB32_Premultiplied)
        image.setDevicePixelRatio(scale)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        self._paint_plate(painter, QRectF(0, 0, width, height), text)
        painter.end()
        plates[text] = Plate(image, (width, height))
        return plates[text]

    def _paint_plate(self, painter: QPainter, plate: QRectF, text: str) -> None:
        painter.setFont(self.theme.small_font)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(translucent(self.theme.color("flow"), 0.8), 1))
        painter.setBrush(self.theme.color("canvas"))
        painter.drawRoundedRect(plate.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(self.theme.color("text"))
        painter.drawText(plate, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_hover(self, painter: QPainter) -> None:
        """What is under the pointer stands out."""
        bundle = self.scene.state.hover_bundle
        hit = self.scene.flows.find(bundle) if bundle is not None else None
        if hit is not None:
            shown, place = hit
            curve = Curves(shown.curves.table[place : place + 1])
            self._paint_shapes(painter, curve, self.theme.color("canvas"), self.theme.color("selection"))
            if bundle is not None and bundle.count > 1:
                self._paint_number(painter, curve, bundle.count)

    def note(self) -> str:
        """What of the arrows is not to be seen, "" when all are."""
        parts = []
        for shown in self.scene.flows.shown():
            b = shown.bundles
            if not shown.is_chosen:
                parts.append(f"{b.arrows:,} arrow{'s' * (b.arrows != 1)}")
                if b.elsewhere:
                    parts.append(f"{b.elsewhere:,} between rows out of sight")
            if b.hidden:
                parts.append(f"{b.hidden:,} to hidden rows")
            if b.undrawn:
                parts.append(f"{b.undrawn:,} not drawn")
        return "  ·  ".join(parts)

    def _paint_note(self, painter: QPainter) -> None:
        text = self.note()
        if not text:
            return
        metrics = QFontMetricsF(self.theme.small_font)
        painter.setFont(self.theme.small_font)
        width, height = metrics.horizontalAdvance(text) + 14, metrics.height() + 4
        plate = QRectF(self.scene.width - width - 6, self.scene.height - height - 6, width, height)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(translucent(self.theme.color("panel"), 0.9))
        painter.drawRoundedRect(plate, 4, 4)
        painter.setPen(self.theme.color("text_dim"))
        painter.drawText(plate, Qt.AlignmentFlag.AlignCenter, text)
