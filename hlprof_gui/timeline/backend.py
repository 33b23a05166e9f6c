"""Which back end draws the canvas: OpenGL where it is hardware, Qt's raster painter where OpenGL is missing or software."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Literal, cast

from msgspec import Struct
from PySide6.QtGui import QGuiApplication, QOffscreenSurface, QOpenGLContext, QSurfaceFormat
from PySide6.QtWidgets import QWidget

from hlprof_core.errors import UnknownName
from hlprof_gui.timeline.canvas import CanvasInput, ImageCanvas

BackendChoice = Literal["auto", "image", "opengl"]
CHOICES: tuple[BackendChoice, ...] = ("auto", "image", "opengl")
VARIABLE = "HLPROF_RENDERER"
"""Environment variable that overrides the choice."""
DEVICES = ("dri/render*", "dri/card*", "nvidia[0-9]*", "dxg", "mali*", "kgsl*", "pvr*")
"""Where drivers of graphics cards show in ``/dev``."""
SOFTWARE = ("llvmpipe", "softpipe", "swrast", "software", "swiftshader", "gdi generic")


class OpenGLFacts(Struct, frozen=True):
    """What a probe found; ``renderer`` is empty without OpenGL 3.3."""

    renderer: str
    version: str

    @property
    def is_hardware(self) -> bool:
        return bool(self.renderer) and not any(word in self.renderer.lower() for word in SOFTWARE)


def surface_format() -> QSurfaceFormat:
    """OpenGL 3.3 core, as macOS and old drivers have it too."""
    wanted = QSurfaceFormat()
    wanted.setVersion(3, 3)
    wanted.setStencilBufferSize(8)  # Qt paints translucent lines with it, and without it the whole of what they enclose
    wanted.setProfile(QSurfaceFormat.OpenGLContextProfile.CoreProfile)
    return wanted


def has_graphics_device(devices: Path = Path("/dev")) -> bool:
    """Whether it is worth asking OpenGL, which takes a moment: a Linux without a device for graphics can only have it in software."""
    return not sys.platform.startswith("linux") or any(next(devices.glob(name), None) for name in DEVICES)


def probe_opengl() -> OpenGLFacts:
    """Make a context once and ask what draws it; needs a QGuiApplication."""
    missing = OpenGLFacts("", "")
    if QGuiApplication.platformName() in ("offscreen", "minimal", "vnc"):
        return missing
    context = QOpenGLContext()
    context.setFormat(surface_format())
    surface = QOffscreenSurface()
    surface.setFormat(surface_format())
    surface.create()
    if not context.create() or not surface.isValid() or not context.makeCurrent(surface):
        return missing
    try:
        major, minor = context.format().version()
        if (major, minor) < (3, 3):
            return missing
        functions = context.functions()
        renderer, version = functions.glGetString(0x1F01), functions.glGetString(0x1F02)
        return OpenGLFacts(str(renderer or ""), str(version or ""))
    finally:
        context.doneCurrent()
        surface.destroy()


def choose_backend(choice: BackendChoice = "auto") -> Literal["image", "opengl"]:
    """The environment first, then the choice, then what the probe says."""
    wanted = os.environ.get(VARIABLE, "") or choice
    if wanted not in CHOICES:
        raise UnknownName("renderer", wanted, CHOICES, hint=f"{VARIABLE} takes one of {', '.join(CHOICES)}.")
    if wanted != "auto":
        return cast(Literal["image", "opengl"], wanted)
    return "opengl" if has_graphics_device() and probe_opengl().is_hardware else "image"


def make_canvas(choice: BackendChoice, parent: QWidget | None = None) -> CanvasInput:
    """A canvas of the chosen back end."""
    backend = choose_backend(choice)
    canvas: CanvasInput
    if backend == "opengl":
        from hlprof_gui.timeline.gl_canvas import GLCanvas

        canvas = GLCanvas(parent)
    else:
        canvas = ImageCanvas(parent)
    canvas.setProperty("backend", backend)
    return canvas
