"""Icons: small SVG drawings in ``resources/icons``, tinted with the colours of the theme."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QByteArray, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from hlprof_core import resource
from hlprof_core.errors import UnknownName


def icon_names() -> list[str]:
    """Names of all shipped icons."""
    return sorted(path.stem for path in resource.path("icons").glob("*.svg"))


@lru_cache(maxsize=1000)
def _source(name: str) -> str:
    path = resource.path("icons", f"{name}.svg")
    if not path.is_file():
        raise UnknownName("icon", name, icon_names())
    return path.read_text(encoding="utf-8")


@lru_cache(maxsize=1000)
def draw_icon(name: str, color: str, pixels: int) -> QPixmap:
    """The drawing as a square pixmap of that many device pixels; ``currentColor`` in it becomes ``color``. Drawn once."""
    svg = _source(name).replace("currentColor", color)
    pixmap = QPixmap(pixels, pixels)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    QSvgRenderer(QByteArray(svg.encode())).render(painter, QRectF(0, 0, pixels, pixels))
    painter.end()
    return pixmap


class _TintedEngine(QIconEngine):
    """Draws an icon when a widget asks for it, in just that size: most are never asked for in most of their states."""

    def __init__(self, name: str, color: str, disabled: str, active: str) -> None:
        super().__init__()
        self._source = (name, color, disabled, active)

    def _drawing(self, pixels: int, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        if pixels < 1:
            return QPixmap()  # a button squeezed to nothing
        name, color, disabled, active = self._source
        tint = disabled if mode == QIcon.Mode.Disabled else active if state == QIcon.State.On else color
        if mode == QIcon.Mode.Normal and state == QIcon.State.Off:
            _ASKED.add((name, pixels))
        return draw_icon(name, tint, pixels)

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        return self._drawing(min(size.width(), size.height()), mode, state)

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        pixels = round(min(rect.width(), rect.height()) * painter.device().devicePixelRatio())
        painter.drawPixmap(rect, self._drawing(pixels, mode, state))

    def clone(self) -> QIconEngine:
        other = _TintedEngine(*self._source)
        _ENGINES.append(other)
        return other


_ASKED: set[tuple[str, int]] = set()
"""Names and sizes that widgets wanted so far."""
_ENGINES: list[_TintedEngine] = []
"""Qt owns an engine but not its Python half, which lives as long as the program: there are few."""


def asked_icons() -> list[tuple[str, int]]:
    """Names and sizes in device pixels in which icons were drawn for widgets: they will want them in another colour too."""
    return sorted(_ASKED)


def tinted_icon(name: str, color: str, disabled: str, active: str) -> QIcon:
    """The drawing in its three states: normal, disabled, switched on. ``UnknownName`` for a name that is not there."""
    _source(name)
    engine = _TintedEngine(name, color, disabled, active)
    _ENGINES.append(engine)
    return QIcon(engine)
