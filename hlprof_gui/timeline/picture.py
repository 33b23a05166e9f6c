"""The timeline as a file: laid out without a window, written as SVG with texts that stay texts."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QRect, QRectF
from PySide6.QtGui import QPainter

from hlprof_core.errors import ExportError
from hlprof_core.replacement import replaced_whole
from hlprof_gui.state.view_state import ViewState
from hlprof_gui.theme.theme import Theme
from hlprof_gui.timeline.view import TimelineView


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


def save_svg(view: TimelineView, path: Path) -> None:
    """Write the view as SVG: slices as an image, all words as text. ``ExportError``: the former file is untouched."""
    from PySide6.QtSvg import QSvgGenerator

    with replaced_whole(path) as temporary:
        generator = QSvgGenerator()
        generator.setFileName(str(temporary))
        generator.setSize(view.size())
        generator.setViewBox(QRect(0, 0, view.width(), view.height()))
        generator.setTitle("Timeline")
        painter = QPainter()
        if not painter.begin(generator):
            raise ExportError(f"{path}: cannot be written.", hint="Is the disk full? Choose another folder.")
        painter.fillRect(QRectF(0, 0, view.width(), view.height()), view.theme.color("panel"))
        view.paint_picture(painter, labels_as_text=True)
        painter.end()
        # Qt does not tell that the disk was full while it wrote.
        if temporary.is_file() and not temporary.read_bytes()[-20:].rstrip().endswith(b"</svg>"):
            raise ExportError(f"{path}: cannot be written whole.", hint="Is the disk full? Choose another folder.")
