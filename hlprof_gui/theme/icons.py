"""Icons: small SVG drawings in ``resources/icons``, tinted with the colours of the theme."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from hlprof_core import resource
from hlprof_core.errors import UnknownName

SIZES = (16, 20, 24, 32, 40, 48)


def icon_names() -> list[str]:
    """Names of all shipped icons."""
    return sorted(path.stem for path in resource.path("icons").glob("*.svg"))


def draw_icon(name: str, color: str, pixels: int) -> QPixmap:
    """The drawing as a square pixmap of that many device pixels; ``currentColor`` in it becomes ``color``."""
    path = resource.path("icons", f"{name}.svg")
    if not path.is_file():
        raise UnknownName("icon", name, icon_names())
    svg = path.read_text(encoding="utf-8").replace("currentColor", color)
    pixmap = QPixmap(pixels, pixels)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    QSvgRenderer(QByteArray(svg.encode())).render(painter, QRectF(0, 0, pixels, pixels))
    painter.end()
    return pixmap


def tinted_icon(name: str, color: str, disabled: str, active: str) -> QIcon:
    """The drawing in its three states: normal, disabled, switched on."""
    icon = QIcon()
    for pixels in SIZES:
        icon.addPixmap(draw_icon(name, color, pixels), QIcon.Mode.Normal, QIcon.State.Off)
        icon.addPixmap(draw_icon(name, active, pixels), QIcon.Mode.Normal, QIcon.State.On)
        icon.addPixmap(draw_icon(name, disabled, pixels), QIcon.Mode.Disabled)
    return icon
