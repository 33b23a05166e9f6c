"""The shipped fonts: the same letters on every machine, so pictures are identical too."""

from __future__ import annotations

from functools import cache

from PySide6.QtGui import QFont, QFontDatabase

from hlprof_core import resource
from hlprof_core.errors import HlprofError

UI_FAMILY, MONO_FAMILY = "Inter", "JetBrains Mono"
FILES = ("Inter-Regular.otf", "Inter-SemiBold.otf", "JetBrainsMono-Regular.ttf")
UI_PIXELS = 13


@cache
def load_fonts() -> None:
    """Make the shipped families known to Qt, once; needs a QGuiApplication."""
    for file in FILES:
        path = resource.path("fonts", file)
        if QFontDatabase.addApplicationFont(str(path)) < 0:
            raise HlprofError(f"The font {path} cannot be loaded.", hint="The installation is incomplete: install hlprof again.")


def ui_font(pixels: int = UI_PIXELS, *, bold: bool = False) -> QFont:
    """Font of the window's texts; digits have equal width, so numbers do not dance."""
    font = QFont(UI_FAMILY)
    font.setPixelSize(pixels)
    font.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
    font.setFeature(QFont.Tag("tnum"), 1)
    font.setStyleStrategy(QFont.StyleStrategy.PreferAntialias)
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return font


def mono_font(pixels: int = UI_PIXELS - 1) -> QFont:
    """Font of numbers and raw values; ligatures are off, a value is shown as it is."""
    font = QFont(MONO_FAMILY)
    font.setPixelSize(pixels)
    for tag in ("liga", "calt"):
        font.setFeature(QFont.Tag(tag), 0)
    font.setStyleStrategy(QFont.StyleStrategy.PreferAntialias)
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return font
