"""The canvas on a graphics card: the scene by OpenGL, the overlay by Qt's painter on top.

A window of its own inside the widget: Qt would put a QOpenGLWidget together with everything around it anew for each frame.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QResizeEvent
from PySide6.QtOpenGL import QOpenGLWindow
from PySide6.QtWidgets import QWidget

from hlprof_gui.notify import safe
from hlprof_gui.timeline.canvas import CanvasInput
from hlprof_gui.timeline.render.opengl import OpenGLRenderer
from hlprof_gui.widgets.floating import NATIVE

UNPACK_ROW_LENGTH, UNPACK_SKIP_ROWS, UNPACK_SKIP_PIXELS, UNPACK_BUFFER = 0x0CF2, 0x0CF3, 0x0CF4, 0x88EC
TEXTURE0 = 0x84C0
UNPACK_ALIGNMENT = 0x0CF5
SCISSOR_TEST, STENCIL_TEST, DEPTH_TEST, CULL_FACE = 0x0C11, 0x0B90, 0x0B71, 0x0B44
STENCIL_BUFFER = 0x0400


class GLSurface(QOpenGLWindow):
    """Where OpenGL draws; input and keyboard belong to the widgets under it."""

    def __init__(self, canvas: GLCanvas) -> None:
        super().__init__()
        from hlprof_gui.timeline.backend import surface_format

        self.setFormat(surface_format())
        self.setFlags(self.flags() | Qt.WindowType.WindowTransparentForInput | Qt.WindowType.WindowDoesNotAcceptFocus)
        self.canvas = canvas
        self.renderer: OpenGLRenderer | None = None
        self._context: Any = None

    @safe
    def initializeGL(self) -> None:
        import moderngl

        self._context = moderngl.create_context(require=330)
        self.renderer = OpenGLRenderer(self._context)

    @safe
    def paintGL(self) -> None:
        if self.renderer is None:
            return
        self._restore_defaults()
        target = self._context.detect_framebuffer(self.defaultFramebufferObject())
        target.use()
        scene = self.canvas.scene
        canvas_colour = scene.theme.color("canvas")
        self._context.clear(canvas_colour.redF(), canvas_colour.greenF(), canvas_colour.blueF(), 1.0)
        frame, atlas = scene.frame(), scene.atlas
        if frame is None or atlas is None:
            return
        scene.place_labels(frame)
        self.renderer.draw(frame, scene.quads, atlas.cover, atlas.height, (id(atlas), atlas.generation))
        # Qt binds the textures of images to whatever unit is active, and draws with the first one.
        self.context().functions().glActiveTexture(TEXTURE0)
        # Qt uploads its letters in lines of whole words; moderngl leaves lines of any length behind, which garbles them.
        self.context().functions().glPixelStorei(UNPACK_ALIGNMENT, 4)
        painter = QPainter(self)
        try:
            self.canvas.overlay.paint(painter, frame)
        finally:
            painter.end()
        self.canvas.finish_frame()

    def _restore_defaults(self) -> None:
        """Qt's painter leaves its own settings behind after it has drawn text."""
        functions = self.context().functions()
        functions.glBindBuffer(UNPACK_BUFFER, 0)
        for name in (UNPACK_ROW_LENGTH, UNPACK_SKIP_ROWS, UNPACK_SKIP_PIXELS):
            functions.glPixelStorei(name, 0)
        for name in (SCISSOR_TEST, STENCIL_TEST, DEPTH_TEST, CULL_FACE):
            functions.glDisable(name)
        functions.glClear(STENCIL_BUFFER)


class GLCanvas(CanvasInput):
    """Same input, same picture as ``ImageCanvas``."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.surface = GLSurface(self)
        self._frame = QWidget.createWindowContainer(self.surface, self)
        self._frame.setObjectName(NATIVE)
        self._frame.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._frame.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def update(self, *_: object) -> None:
        """Paint again soon; what is seen is the surface."""
        self.surface.update()

    @safe
    def resizeEvent(self, _event: QResizeEvent) -> None:
        self._frame.setGeometry(self.rect())
        self.fit()
