"""The timeline as a file: laid out without a window, written as an image, as SVG with texts that stay texts, or as a page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRect, QRectF
from PySide6.QtGui import QImage, QImageWriter, QPainter

from hlprof_core.errors import ExportError, UsageError
from hlprof_core.progress import Progress
from hlprof_core.replacement import replaced_whole
from hlprof_core.report.html import render_html
from hlprof_core.report.visible import visible_lines
from hlprof_core.services import write_whole
from hlprof_gui.export import PICTURES
from hlprof_gui.state.view_state import ViewState
from hlprof_gui.theme.theme import Theme
from hlprof_gui.timeline.view import TimelineView
from hlprof_gui.viewmodels.view_page import describe_view, view_statistics


def arrange_offscreen(state: ViewState, theme: Theme, size: tuple[int, int]) -> TimelineView:
    """A view of that size whose parts have their places although it is never shown."""
    view = TimelineView(state, theme, backend="image")
    view.scroll_bar.hide()
    view.ensurePolished()
    view.resize(*size)
    layout = view.layout()
    assert layout is not None
    layout.activate()
    layout.setGeometry(view.rect())
    view.scene.resize(view.canvas.width(), view.canvas.height(), view.devicePixelRatioF())
    return view


def draw_svg(view: TimelineView) -> str:
    """The view as SVG: slices as an image, all words as text."""
    from PySide6.QtSvg import QSvgGenerator

    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(view.size())
    generator.setViewBox(QRect(0, 0, view.width(), view.height()))
    generator.setTitle("Timeline")
    painter = QPainter(generator)
    painter.fillRect(QRectF(0, 0, view.width(), view.height()), view.theme.color("panel"))
    view.paint_picture(painter, labels_as_text=True)
    painter.end()
    return visible_lines(content.data().decode("utf-8"))


def save_image(image: QImage, path: Path) -> None:
    """Write a PNG; ``ExportError`` when that is not possible, the former file is then untouched."""
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QImageWriter(buffer, QByteArray(b"png"))
    if not writer.write(image):
        raise ExportError(f"{path}: the picture cannot be made ({writer.errorString()}).", hint="Make the window smaller.")
    with replaced_whole(path) as temporary:
        temporary.write_bytes(content.data())


def prepare_picture(view: TimelineView, path: Path) -> Callable[[Progress], None]:
    """Draw the view now, as the name says: .png, .svg, or .html with what is selected, noted and counted. What is returned writes it, in
    any thread; ``ExportError`` when that is not possible, the former file is then untouched. ``UsageError`` for another name."""
    suffix = path.suffix.lower()
    if suffix == ".png":
        image = view.picture()
        return lambda _progress: save_image(image, path)
    if suffix not in PICTURES:
        raise UsageError(f"{path}: cannot write that kind of picture.", hint=f"Name it with {', '.join(PICTURES)}.")
    content = draw_svg(view)
    if suffix == ".svg":
        return lambda _progress: write_whole(path, content)
    compose, count = describe_view(view.state, content), view_statistics(view.state)
    return lambda progress: write_whole(path, render_html([compose(count(progress))]))
