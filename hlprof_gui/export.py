"""Pictures as files: written beside the target first, so a failure never harms what was there."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from PySide6.QtGui import QImage

from hlprof_core.errors import ExportError


def save_image(image: QImage, path: Path) -> None:
    """Write a PNG; ``ExportError`` when that is not possible, the former file is then untouched."""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".png", dir=path.parent)
    except OSError as error:
        raise ExportError(f"{path} cannot be written: {error.strerror}.", hint="Choose another folder.") from error
    os.close(handle)
    temporary = Path(name)
    try:
        if not image.save(name):
            raise ExportError(f"{path} cannot be written.", hint="Is the disk full? Choose another folder.")
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)
        temporary.replace(path)
    except OSError as error:
        raise ExportError(f"{path} cannot be written: {error.strerror}.", hint="Choose another folder.") from error
    finally:
        temporary.unlink(missing_ok=True)
