"""Pictures that were looked at once and stay as they are: compared pixel by pixel, with room for how machines smooth letters."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QImage

FOLDER = Path(__file__).parent / "golden"
LARGE, MOST = 48, 0.002
"""A pixel differs when a colour is off by more than LARGE of 255; so large a share of the pixels may."""


def pixels(image: QImage) -> np.ndarray:
    """Height x width x 4."""
    image = image.convertToFormat(QImage.Format.Format_RGB32)
    return np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.width(), 4).copy()


def coarse(image: QImage) -> QImage:
    """The same in few shades, as nobody sees and files are half as large for; far within LARGE."""
    shades = (pixels(image)[:, :, :3] & 0xF8) | 0x04
    height, width, _ = shades.shape
    return QImage(np.ascontiguousarray(shades[:, :, ::-1]).tobytes(), width, height, 3 * width, QImage.Format.Format_RGB888).copy()


def compare(image: QImage, name: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """Fail when the picture is another one; with ``--update`` it becomes the new one, which somebody has to look at."""
    file = FOLDER / f"{name}.png"
    if request.config.getoption("--update"):
        coarse(image).save(str(file), quality=0)
        return
    actual = tmp_path / f"{name}.png"
    image.save(str(actual))
    assert file.exists(), f"{name}: no picture to compare with; look at {actual} and run ./dev test --update tests/visual"
    wanted = QImage(str(file))
    assert (image.width(), image.height()) == (wanted.width(), wanted.height()), name
    off = np.abs(pixels(image)[:, :, :3].astype(int) - pixels(wanted)[:, :, :3].astype(int)).max(axis=2) > LARGE
    assert off.mean() <= MOST, f"{name}: {off.mean():.2%} of the pixels differ, around row {int(np.argwhere(off)[0][0])}; see {actual}"
