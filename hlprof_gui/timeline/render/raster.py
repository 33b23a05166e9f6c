"""A frame as an array of pixels: copy each scanline's line, then the labels. Knows no Qt."""

from __future__ import annotations

from hlprof_core._kernels import columns as kernel
from hlprof_core.trace.table import I1, I4, U4
from hlprof_gui.timeline.frame import Frame


def compose(frame: Frame, quads: I4, atlas: I1, text_height: int, into: U4) -> None:
    """Fill ``into`` (height x width, 0xffRRGGBB; may be a part of a larger picture) with the frame and its labels."""
    kernel.place_lines(frame.lines, frame.line_map, into)
    if len(quads):
        kernel.blit_labels(into, atlas, atlas.shape[1], text_height, quads)
