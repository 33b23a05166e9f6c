"""The memory that a widget is painted in, for pictures that are made there instead of being copied to it."""

from __future__ import annotations

import numpy as np
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QWidget

from hlprof_core.trace.table import U4

FORMATS = (QImage.Format.Format_RGB32, QImage.Format.Format_ARGB32_Premultiplied)


def pixels_under(painter: QPainter, widget: QWidget) -> U4 | None:
    """The pixels (height x width, 0xffRRGGBB) of its window that a widget is being painted in; not to be kept.

    None where it is painted elsewhere (into a picture, on a graphics card) or does not begin and end on whole pixels.
    """
    store, image = widget.window().backingStore(), painter.paintEngine().paintDevice()
    if store is None or image is not store.paintDevice() or not isinstance(image, QImage) or image.format() not in FORMATS:
        return None
    at = painter.deviceTransform()
    ratio, left, top = round(at.m11()), round(at.dx()), round(at.dy())
    if (at.m11(), at.m22(), at.dx(), at.dy()) != (ratio, ratio, left, top) or left < 0 or top < 0:
        return None
    right, bottom = left + widget.width() * ratio, top + widget.height() * ratio
    if right > image.width() or bottom > image.height():
        return None
    return np.frombuffer(image.bits(), np.uint32).reshape(image.height(), image.bytesPerLine() // 4)[top:bottom, left:right]
