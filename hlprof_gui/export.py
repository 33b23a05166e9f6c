"""Pictures as files: whole or not at all."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QByteArray
from PySide6.QtGui import QImage, QImageWriter

from hlprof_core.errors import ExportError
from hlprof_core.replacement import replaced_whole


def save_image(image: QImage, path: Path) -> None:
    """Write a PNG; ``ExportError`` when that is not possible, the former file is then untouched."""
    with replaced_whole(path) as temporary:
        writer = QImageWriter(str(temporary), QByteArray(b"png"))
        if not writer.write(image):
            raise ExportError(f"{path}: cannot be written ({writer.errorString()}).", hint="Is the disk full? Choose another folder.")
