"""A frame drawn by OpenGL 3.3: lines as a texture, the line map as a second one, labels as quads from the atlas. Knows no Qt.

The same integer arithmetic as the raster kernels, so both back ends give the same picture.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hlprof_core.trace.table import I1, I4
from hlprof_gui.timeline.frame import Frame

LINES_VERTEX = """#version 330 core
void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    gl_Position = vec4(corner * 2.0 - 1.0, 0.0, 1.0);
}
"""
LINES_FRAGMENT = """#version 330 core
uniform sampler2D lines;
uniform isampler2D line_map;
uniform ivec2 size;
out vec4 colour;
void main() {
    int y = size.y - 1 - int(gl_FragCoord.y);
    int line = texelFetch(line_map, ivec2(y, 0), 0).r;
    colour = vec4(texelFetch(lines, ivec2(int(gl_FragCoord.x), line), 0).bgr, 1.0);
}
"""
LABELS_VERTEX = """#version 330 core
uniform ivec2 size;
uniform int text_height;
in ivec2 place;
in ivec2 source;
in int width;
in int ink;
flat out vec3 text;
flat out ivec2 origin;
flat out ivec2 from;
void main() {
    ivec2 corner = ivec2(gl_VertexID & 1, gl_VertexID >> 1);
    vec2 at = vec2(place + corner * ivec2(width, text_height));
    gl_Position = vec4(at.x / size.x * 2.0 - 1.0, 1.0 - at.y / size.y * 2.0, 0.0, 1.0);
    text = vec3((ink >> 16) & 255, (ink >> 8) & 255, ink & 255) / 255.0;
    origin = place;
    from = source;
}
"""
LABELS_FRAGMENT = """#version 330 core
uniform sampler2D atlas;
uniform ivec2 size;
flat in vec3 text;
flat in ivec2 origin;
flat in ivec2 from;
out vec4 colour;
void main() {
    ivec2 at = ivec2(int(gl_FragCoord.x), size.y - 1 - int(gl_FragCoord.y));
    colour = vec4(text, texelFetch(atlas, at - origin + from, 0).r);
}
"""
QUADS = 512
TRIANGLE_STRIP, BLEND, NEAREST = 5, 1, 0x2600


class OpenGLRenderer:
    """Draws frames into the framebuffer that is bound; made for one moderngl context, used only while that is current."""

    def __init__(self, context: Any) -> None:
        self.context = context
        self._fill = context.program(vertex_shader=LINES_VERTEX, fragment_shader=LINES_FRAGMENT)
        self._text = context.program(vertex_shader=LABELS_VERTEX, fragment_shader=LABELS_FRAGMENT)
        self._fill_array = context.vertex_array(self._fill, [])
        self._lines: Any = None
        self._map: Any = None
        self._atlas: Any = None
        self._atlas_state: tuple[int, int, tuple[int, ...]] | None = None
        self._quads = context.buffer(reserve=QUADS * 24)
        self._text_array = self._make_text_array()

    def _make_text_array(self) -> Any:
        return self.context.vertex_array(self._text, [(self._quads, "2i 2i 1i 1i/i", "place", "source", "width", "ink")])

    def draw(self, frame: Frame, quads: I4, atlas: I1, text_height: int, atlas_key: tuple[int, int]) -> None:
        """Fill the bound framebuffer, which has the size of the frame. ``atlas_key`` changes whenever the atlas does."""
        gl, view = self.context, frame.view
        gl.viewport = (0, 0, view.width, view.height)
        gl.disable(BLEND)
        self._upload_lines(frame)
        self._lines.use(0)
        self._map.use(1)
        self._fill["lines"], self._fill["line_map"] = 0, 1
        self._fill["size"] = (view.width, view.height)
        self._fill_array.render(TRIANGLE_STRIP, vertices=4)
        if len(quads):
            self._draw_labels(frame, quads, atlas, text_height, atlas_key)

    def _upload_lines(self, frame: Frame) -> None:
        count, width = frame.lines.shape
        if self._lines is None or self._lines.size[0] != width or self._lines.size[1] < count:
            if self._lines is not None:
                self._lines.release()
            self._lines = self.context.texture((width, count + count // 2 + 16), 4, alignment=4)
            self._lines.filter = (NEAREST, NEAREST)
        self._lines.write(np.ascontiguousarray(frame.lines), viewport=(0, 0, width, count), alignment=4)
        height = frame.view.height
        if self._map is None or self._map.size[0] != height:
            if self._map is not None:
                self._map.release()
            self._map = self.context.texture((height, 1), 1, dtype="i4", alignment=4)
            self._map.filter = (NEAREST, NEAREST)
        self._map.write(np.ascontiguousarray(frame.line_map, np.int32), alignment=4)

    def _draw_labels(self, frame: Frame, quads: I4, atlas: I1, text_height: int, atlas_key: tuple[int, int]) -> None:
        state = (*atlas_key, atlas.shape)
        if self._atlas_state != state:
            if self._atlas is None or self._atlas.size != atlas.shape[::-1]:
                if self._atlas is not None:
                    self._atlas.release()
                self._atlas = self.context.texture(atlas.shape[::-1], 1, alignment=1)
                self._atlas.filter = (NEAREST, NEAREST)
            self._atlas.write(atlas, alignment=1)
            self._atlas_state = state
        if quads.nbytes > self._quads.size:
            self._text_array.release()
            self._quads.orphan(2 * quads.nbytes)
            self._text_array = self._make_text_array()
        self._quads.write(quads)
        self._atlas.use(2)
        self._text["atlas"], self._text["size"], self._text["text_height"] = 2, (frame.view.width, frame.view.height), text_height
        self.context.enable(BLEND)
        self.context.blend_func = 0x0302, 0x0303
        self._text_array.render(TRIANGLE_STRIP, vertices=4, instances=len(quads))
        self.context.disable(BLEND)
