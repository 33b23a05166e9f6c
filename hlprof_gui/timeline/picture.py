"""The timeline as a file: laid out without a window, written as SVG with texts that stay texts."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from PySide6.QtCore import QRect, QRectF
from PySide6.QtGui import QPainter

from hlprof_core.errors import ExportError
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

    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".svg", dir=path.parent)
    except OSError as error:
        raise ExportError(f"{path} cannot be written: {error.strerror}.", hint="Choose another folder.") from error
    os.close(handle)
    temporary = Path(name)
    try:
        generator = QSvgGenerator()
        generator.setFileName(name)
        generator.setSize(view.size())
        generator.setViewBox(QRect(0, 0, view.width(), view.height()))
        generator.setTitle("Timeline")
        painter = QPainter()
        if not painter.begin(generator):
            raise ExportError(f"{path} cannot be written.", hint="Is the disk full? Choose another folder.")
        painter.fillRect(QRectF(0, 0, view.width(), view.height()), view.theme.color("panel"))
        view.paint_picture(painter, labels_as_text=True)
        painter.end()
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)
        if not temporary.stat().st_size:
            raise ExportError(f"{path} cannot be written.", hint="Is the disk full? Choose another folder.")
        temporary.replace(path)
    except OSError as error:
        raise ExportError(f"{path} cannot be written: {error.strerror}.", hint="Choose another folder.") from error
    finally:
        temporary.unlink(missing_ok=True)
